"""Proofs: one full match of a pattern shows that no check of a policy fires in a component.

A proof may fail although no check fires, but it must never succeed if a check fires. The pattern accepts the
characters that no active row of the catalogue names, bare or escaped. If a row is about more than single
characters, its trigger says what must not follow. A row is active unless the policy allows its kind
everywhere.

The pattern is the automaton below. If it does not read the component to the end, it proves nothing::

              plain octets
                +----+
                v    |
    start --> [ between ] --- end of the component --> proven
                ^    |
                |    +-- "/", "&" ... ------ and no trigger follows --+
                |    +-- "%41" ------------- and no trigger follows --+
                |    +-- "%C3%A4" ---------- a whole character -------+
                +-----------------------------------------------------+

Why it is sound:

1. Each octet is read by one step: as a plain octet, as an octet with a trigger, or as part of an escape. The
   match is a full match, so no octet is left out.
2. No active row names a plain octet, or the character of an accepted escape. So no row about single
   characters fires, and no row whose every fault has a character that it names (``Check.one_of``).
3. Wherever a row about several octets matches, its trigger matches after the first of them; the catalogue
   promises this (``Check.trigger``), and tests check it. That octet is never plain: its step fails if the
   trigger matches. The trigger for characters that are faulty only in names is tried where a name begins;
   a component without escapes has no such character, so a first pattern without this trigger reads it.
4. ``%`` is never plain. It is read as the beginning of an escape, if no trigger matches after it, or as a
   stray sign, if stray signs are repaired.
5. Escapes of non-ASCII text are read as complete characters of well-formed UTF-8 (RFC 3629, section 4), so
   nothing ill-formed is accepted.
6. Steps that begin with the same octet differ in the next one. No octet can be read in two ways, so the
   engine never backtracks: the loops are possessive, and the time is linear. Only the trigger for names goes
   back through a name, once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from postel._alphabet.characters import NO_CHARACTERS, NON_ASCII, Characters
from postel._alphabet.percent import MALFORMED_PERCENTS, UNRESERVED
from postel._alphabet.regex import branches, compiled
from postel._alphabet.spellings import Spelling, pattern_of
from postel._catalogue.check import Action, Component
from postel._catalogue.kinds import Kind
from postel._policy.actions import actions_by_kind, actions_in, active
from postel._policy.policy import Policy
from postel._policy.rules import rules_of

_UNRESERVED: Final = Characters.of(bytes(sorted(UNRESERVED)).decode())
_PERCENT: Final = Characters.of("%")
_PLUS: Final = Characters.of("+")
_BRACKET: Final = Characters.of("[")
_TWO_DIGITS: Final = re.compile(rb"(?:[0-9A-Fa-f]|\[[0-9A-Fa-f-]++\]){2}(?![*+?{])")
"""Matches the two hex digits, or classes of them, with which a pattern begins."""
_REPLACEMENT: Final = Characters.of("\N{REPLACEMENT CHARACTER}")
"""REPLACE can write very many of these characters."""
_LOOKAHEAD: Final = compiled(rb"\A\(\?=(?:[^()]++|\([^()]*+\))++\)")
"""Matches the lookahead with which a pattern begins; groups in it must hold no groups."""
_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9_-]+")
"""Matches a name that needs no escapes in a pattern, and that has only one spelling without escapes."""

_UNEDITED: Final = frozenset({Action.ALLOW, Action.REPORT})


def proof(  # noqa: PLR0913 - the last three are given by name
    policy: Policy,
    component: Component,
    repaired: frozenset[Kind] = frozenset(),
    *,
    ignored: frozenset[Action] = frozenset(),
    whole_view: bool = True,
    plain: bool = False,
) -> re.Pattern[bytes]:
    """Return a pattern whose full match proves that no check outside ``repaired`` fires.

    Checks whose action is in ``ignored`` may fire. With ``whole_view``, the match also proves that the
    decoded view keeps no escape; with ``plain``, that a path has no escape, and a query no opening bracket.
    """
    acting = [
        kind
        for kind in active(policy, component)
        if kind not in repaired and not ignored.issuperset(actions_in(policy, kind, component))
    ]
    is_ranged = Kind.OUTSIDE_ACCEPTED_RANGE in acting
    in_names = _union(kind.check.escaped[component] for kind in acting if kind.check.names_only)
    acting = [kind for kind in acting if not kind.check.names_only]
    faulty = _union(kind.check.bare.get(component, NO_CHARACTERS) for kind in acting)
    bare = NON_ASCII.complement() - _PERCENT - faulty
    escaped = _union(kind.check.escaped.get(component, NO_CHARACTERS) for kind in acting).complement()
    escaped -= _union(kind.check.one_of for kind in acting)
    path = component is Component.PATH
    for each in policy.acceptances if is_ranged else ():
        if each.component is component:
            bare &= each.characters | Characters.of("/" if path else "&=")
            escaped &= each.characters
            if not path and " " not in each.characters:
                bare -= _PLUS
    if plain:
        bare, escaped = (bare, NO_CHARACTERS) if path else (bare - _BRACKET, escaped - _BRACKET)
    if whole_view and Action.PRESERVE in actions_by_kind(policy, component):
        escaped -= _PERCENT  # under a policy that preserves, the decoded view writes "%25" for a "%" in data
    spelling = Spelling.ESCAPED
    if Kind.SPELLING in acting:
        spelling = Spelling.UPPER
        escaped -= _UNRESERVED
        bare -= NO_CHARACTERS if path else _PLUS
    triggers = _triggers(policy, component, acting, ignored)
    if is_ranged and not path and "=" not in escaped:  # a second equals sign is part of the value
        triggers.setdefault(b"=", []).append(b"[^&=]*+=")
    after_percent = triggers.get(b"%", [])
    written = (escaped & NON_ASCII) - faulty
    steps = _of_ascii(escaped - NON_ASCII, spelling, after_percent)
    steps += [MALFORMED_PERCENTS] if Kind.MALFORMED_ESCAPE in repaired else []
    steps += [pattern_of(written, Spelling.BARE)] if Kind.RAW_NON_ASCII in repaired and written else []
    column, rules = actions_by_kind(policy, component), policy.rules
    replaces = Action.REPLACE in {*column, *(each.action for each in rules if each.component is component)}
    steps += _of_text(escaped & NON_ASCII, spelling, first=_REPLACEMENT if replaces else None)
    in_names &= escaped
    if not in_names:
        return compiled(_pattern(component, bare, triggers, steps), re.DOTALL)
    # Names are examined for these characters only if the component has an escape.
    unescaped = _pattern(component, bare, triggers, [])
    for octet in b"", b"&":
        triggers.setdefault(octet, []).append(_in_name(in_names))
    pattern = _pattern(component, bare, triggers, steps)
    return compiled(b"(?:" + unescaped + rb"\Z|" + pattern + b")", re.DOTALL)


def settled_proof(policy: Policy, component: Component) -> re.Pattern[bytes]:
    """Return a pattern whose full match proves that only checks with the action REPORT fire.

    Repeated names are not compared, and neither is text with its composed form.
    """
    compared = frozenset({Kind.DUPLICATE_NAME, Kind.NOT_NFC})
    return proof(policy, component, compared, ignored=_UNEDITED, whole_view=False)


def _union(sets: Iterable[Characters]) -> Characters:
    return Characters.of(*(each for characters in sets for each in characters.ranges))


def _triggers(
    policy: Policy, component: Component, kinds: Iterable[Kind], ignored: frozenset[Action]
) -> dict[bytes, list[bytes]]:
    """Return, for each octet, the patterns that must not match after it."""
    triggers: dict[bytes, list[bytes]] = {}
    for kind in kinds:
        trigger = kind.check.triggers(component)
        if list(trigger) == [b"="]:
            # A value begins after the first equals sign of its pair. Later equals signs are part of the
            # value, so the trigger is tried only once in each pair.
            names = _plain_names(policy, component, kind, ignored)
            # Match the names unchanged, and every name with an escape: `next=(?!...)|[^&=%]*+%`.
            name = b"(?:" + b"|".join(names) + b")=" if names else b"[^&=]*+="
            follows = name + trigger[b"="] + (b"|[^&=%]*+%" if names else b"")
            trigger = {b"": follows, b"&": follows}
        for octet, follows in trigger.items():
            triggers.setdefault(octet, []).append(follows)
    return triggers


def _in_name(escaped: Characters) -> bytes:
    """Return a pattern that matches at the beginning of a name with any of these characters, escaped.

    >>> re.match(_in_name(Characters.of("A")), b"a%42%41=1"), re.match(_in_name(Characters.of("A")), b"a=%41")
    (<re.Match object; span=(0, 7), match=b'a%42%41'>, None)
    """
    # The engine goes back from the end of the name to each percent sign, faster than a group would repeat.
    return b"[^=&]*" + pattern_of(escaped, Spelling.ESCAPED)


def _plain_names(
    policy: Policy, component: Component, kind: Kind, ignored: frozenset[Action]
) -> list[bytes] | None:
    """Return the names of the pairs in which a kind is not ignored; ``None`` unless all names are plain."""
    quiet = {Action.ALLOW} | ignored
    if policy.action(kind, component) not in quiet:
        return None
    rules = rules_of(policy.rules, kind, component)
    names = [rule.pattern.text for rule in rules if rule.action not in quiet]
    return [name.encode() for name in names] if all(map(_PLAIN_NAME.fullmatch, names)) else None


def _of_ascii(escaped: Characters, spelling: Spelling, follows: list[bytes]) -> list[bytes]:
    """Return a step over ASCII escapes, if any is accepted; the digits decide which triggers are tried.

    >>> _of_ascii(Characters.of("AaB"), Spelling.UPPER, [b"[46]1(?=/)|[57]0"])
    [b'%(?:42|[46]1(?!(?=/)))']
    """
    if not escaped:
        return []
    triggers = [each for pattern in follows for each in branches(pattern)]
    others = [each for each in triggers if not _TWO_DIGITS.match(each)]
    alike: dict[tuple[bytes, ...], str] = {(): ""}
    for each in escaped.text():
        digits = b"%02X" % ord(each)
        mine = tuple(
            rest for rest in (_rest_after(digits, trigger) for trigger in triggers) if rest is not None
        )
        alike[mine] = alike.get(mine, "") + each
    steps = [
        pattern_of(Characters.of(held), spelling).removeprefix(b"%") + _unless(_sharing(mine))
        for mine, held in alike.items()
        if held
    ]
    return [b"%" + _unless(others) + b"(?:" + b"|".join(steps) + b")"]


def _rest_after(digits: bytes, trigger: bytes) -> bytes | None:
    """Return the rest of a trigger after two hex digits; ``None`` if it does not begin with these digits.

    >>> _rest_after(b"2E", b"2[0Ee](?=/)"), _rest_after(b"2F", b"2[0Ee](?=/)")
    (b'(?=/)', None)
    """
    begin = _TWO_DIGITS.match(trigger)
    if begin is None or re.fullmatch(begin[0], digits, re.IGNORECASE) is None:
        return None
    return trigger[begin.end() :]


def _sharing(triggers: Iterable[bytes]) -> list[bytes]:
    """Merge triggers that begin with the same lookahead, so that it is tried once.

    >>> _sharing([b"(?=[0-7])[01]A", b"(?=/)", b"(?=[0-7])2"])
    [b'(?=[0-7])(?:[01]A|2)', b'(?=/)']
    """
    alike: dict[bytes, list[bytes]] = {}
    for each in triggers:
        lookahead = b"".join(_LOOKAHEAD.findall(each))
        alike.setdefault(lookahead, []).append(each.removeprefix(lookahead))
    return [
        lookahead + (rests[0] if len(rests) == 1 else b"(?:" + b"|".join(rests) + b")")
        for lookahead, rests in alike.items()
    ]


def _of_text(escaped: Characters, spelling: Spelling, first: Characters | None = None) -> list[bytes]:
    """Return a step over escapes of non-ASCII text; a lookahead excludes ASCII escapes first, for speed.

    Those of ``first`` are tried before all others.

    >>> _of_text(Characters.of("\u00e4"), Spelling.UPPER)
    [b'(?=%[89A-Fa-f])(?:%C3%A4)++']
    """
    if not escaped:
        return []
    text = pattern_of(escaped, spelling)
    if first is not None and first & escaped:
        text = b"(?:" + pattern_of(first & escaped, Spelling.UPPER) + b"|" + text + b")"
    # The step reads a run of characters at once, because characters of one script follow each other.
    return [b"(?=%[89A-Fa-f])(?:" + text + b")++"]


def _pattern(
    component: Component, bare: Characters, triggers: dict[bytes, list[bytes]], steps: list[bytes]
) -> bytes:
    r"""Return the pattern of a proof.

    >>> plain, slashes = Characters.of("abc/"), {b"/": [b"/"]}
    >>> _pattern(Component.PATH, plain, slashes, [b"%41"]).decode()
    '(?:/(?!/)[\\x61-\\x63]*+)++(?:\\Z|(?:(?:/(?!/)|%41)[\\x61-\\x63]*+)*+)'
    """
    triggering = Characters.of(b"".join(triggers).decode()) & bare
    # Each branch begins with its octet, which the engine compares before it enters the branch.
    lookaheads = {
        octet: re.escape(octet) + _unless(follows)
        for octet, follows in triggers.items()
        if octet and octet.decode() in triggering
    }
    # Runs of plain characters are matched at once, so the loop is entered only for other octets.
    clean = pattern_of(bare - triggering, Spelling.BARE) + b"*+" if bare - triggering else b""
    each = [*lookaheads.values(), *steps]
    loop = b"(?:(?:" + b"|".join(each) + b")" + clean + b")*+" if each else b""
    # Most components have only plain characters and delimiters, which an inner loop matches to the end.
    front = _unless(triggers.get(b"", []))
    if component is Component.PATH:  # a path begins with a slash, and every policy has a trigger for slashes
        front += b"(?:" + lookaheads[b"/"] + clean + b")++"
    else:
        front += clean + (b"(?:" + lookaheads[b"&"] + clean + b")*+" if b"&" in lookaheads else b"")
    return front + rb"(?:\Z|" + loop + b")"


def _unless(follows: Sequence[bytes]) -> bytes:
    """Return a negative lookahead for these patterns; without patterns, it is empty."""
    return b"(?!" + b"|".join(follows) + b")" if follows else b""
