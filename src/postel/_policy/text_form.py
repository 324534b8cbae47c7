r"""The text form of a policy: its grammar, a parser and a writer.

In a configuration file, an environment variable or a command, a policy is a line of text: the name of a
preset, then clauses that change it. A later clause overrides earlier ones, as a later method call does. It is
an error if a clause without names undoes an earlier one with names.

    policy     = preset *( space clause )
    preset     = "strict" / "standard" / "lenient"
    clause     = setting / range / charset / limit / keep
    setting    = slug [ place ] "=" action              ; encoded-slash=preserve
    range      = "accept" [ place ] "=" characters      ; accept@query[q]=latin
    charset    = "charset" [ "@query" ] names "=" label ; charset[q]=windows-1252
    limit      = "limit." 1*( ALPHA / "-" ) "=" ( 1*DIGIT / "none" ) ; limit.pairs=100
    keep       = "keep=" ( "first" / "last" )           ; which duplicate stays
    place      = [ "@" component *( "," component ) ] [ names ]
    names      = "[" name *( "," name ) "]"
    component  = "path" / "query" / "form" / "host" / "content-type" / "headers" / "json"
    action     = "allow" / "report" / "repair" / "preserve" / "replace" / "drop" / "drop-pair" / "reject"
    characters = item *( "," item )
    item       = "ascii" / "latin" / "none" / "U+" 4*6HEXDIG [ "-" 4*6HEXDIG ]
    label      = 1*VCHAR                                ; Encoding Standard, section 4.2
    slug       = 1*( ALPHA / DIGIT / "-" )
    name       = 1*bare / DQUOTE *( quotable / "\" DQUOTE / "\\" / "\u{" 1*6HEXDIG "}" ) DQUOTE
    space      = 1*( SP / HTAB / CR / LF / comment )
    comment    = "#" *( any character but LF )          ; at the start of a word
    bare       = ALPHA / DIGIT / "-" / "." / "_" / "~" / "*" / "$" / ":" / "/" / "@"
    quotable   = any printable character of ASCII but DQUOTE and "\"

All words except names and code points are read in either case and written in lower case. A syntax error
raises ``PolicyError`` and shows the text with a caret under the fault. :class:`postel.Policy` interprets the
clauses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, final

from postel._catalogue.check import Action, Component
from postel._catalogue.kinds import Kind
from postel._errors import PolicyError
from postel._policy.clause_values import written_characters
from postel._policy.rules import COMPONENTS, Acceptance, NameRule, rules_of

Rules: TypeAlias = Sequence[NameRule]
"""Rules for single names."""
Named: TypeAlias = Sequence[NameRule | Acceptance]
"""Rules and ranges, of which some are for single names."""
TableAndRules: TypeAlias = tuple[tuple[tuple[Action, ...], ...], Rules]
"""The table of a policy, and its rules for single names."""

# These patterns are compiled on use, because most applications read policies only when they start.
_BARE: Final = r"[A-Za-z0-9\-._~*$:/@]+"
_WORD: Final = r"[A-Za-z0-9\-.]+"
_VALUE: Final = r"[^\s]+"
_SPACE: Final = r"(?:[ \t\r\n]+|(?<![^ \t\r\n])#[^\n]*)+"
"""White space and comments. ``#`` begins a comment at the start of a word; in a quoted name it is data."""
PRESETS: Final[tuple[str, ...]] = ("standard", "strict", "lenient")
"""The names of the presets. If two presets are equally near to a policy, ``str`` begins with the first."""
_BEGINNING: Final = "a policy begins with a preset: strict, standard or lenient"
_QUOTE: Final = 'write a name that is not a plain word in double quotes, such as nul["tags[]"]=reject'
_COMPONENT: Final = r"[A-Za-z-]+"
_QUOTED: Final = r'"((?:[ !#-\[\]-~]|\\["\\]|\\u\{[0-9A-Fa-f]{1,6}\})*)"'
_ESCAPED: Final = r'\\(?:(["\\])|u\{([0-9A-Fa-f]+)\})'


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Word:
    """A word of the text of a policy, and its offset."""

    text: str
    offset: int


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Clause:
    """One clause: ``subject[@components][[names]]=value``."""

    subject: Word
    components: tuple[Word, ...]
    names: tuple[str, ...]
    value: Word


@final
class PolicyText:
    """A parser for the text of a policy."""

    __slots__ = ("_position", "text")

    def __init__(self, text: object) -> None:
        """Start parsing at the first character. Raises PolicyError unless ``text`` is a str."""
        if not isinstance(text, str):
            raise PolicyError(f"{text!r} is not text; write a policy such as 'standard nul=reject'")
        self.text = text
        self._position = 0

    def fault(self, offset: int, message: str) -> PolicyError:
        """Return an error that shows the line with a caret under ``offset``.

        If the text has several lines, the error begins with the number of the line.
        """
        start = self.text.rfind("\n", 0, offset) + 1
        end = self.text.find("\n", offset)
        shown = self.text[start : end if end >= 0 else None].rstrip("\r")
        at = offset - start
        begin = max(0, at - 60)
        cut = "..." if begin else ""
        line = cut + _printable(shown[begin : at + 60])
        place = f"line {self.text.count(chr(10), 0, start) + 1}: " if "\n" in self.text else ""
        return PolicyError(f"{place}{_printable(message)}\n  {line}\n  {' ' * (at - begin + len(cut))}^")

    def component(self, word: Word) -> Component:
        """Return the component that a word names. Raises PolicyError if there is none."""
        try:
            return Component(word.text.lower())
        except ValueError:
            components = ", ".join(each.value for each in COMPONENTS)
            raise self.fault(word.offset, f"a component is one of {components}") from None

    def check_kept(self, clause: Clause, base: Named, before: Named, after: Named) -> None:
        """Raise if a clause without names undoes what an earlier clause says about single names.

        ``base`` is what the preset says about names; ``before`` and ``after`` are the rules and ranges before
        and after the clause.
        """
        lost = [each for each in before if each.pattern and each not in after and each not in base]
        if lost and not clause.names:
            named = _named_clause(lost[0])
            message = f"this clause undoes the earlier clause {named}; put this clause before that one"
            raise self.fault(clause.subject.offset, message)

    def read(self) -> tuple[Word, list[Clause]]:
        """Return the name of the preset and the clauses."""
        self._skip()
        preset = self._match(_WORD, _BEGINNING)
        clauses: list[Clause] = []
        while self._position < len(self.text):
            if not self._skip():
                if not clauses and self.text[self._position] in "=@[":  # a clause in place of the preset
                    raise self.fault(preset.offset, _BEGINNING)
                raise self.fault(self._position, "expected a space between clauses")
            if self._position < len(self.text):
                clauses.append(self._clause())
        return preset, clauses

    def _clause(self) -> Clause:
        subject = self._match(_WORD, "a clause begins with a kind, 'accept', 'charset', 'limit.' or 'keep'")
        components = self._list(_COMPONENT, "a component, such as path or query") if self._take("@") else []
        names: list[str] = []
        if self._take("["):
            names.append(self._name())
            while self._take(","):
                names.append(self._name())
            if not self._take("]"):
                raise self.fault(self._position, f"expected ']' after the names; {_QUOTE}")
        if subject.text.lower() == "local":  # a method without a clause of that name
            place = self.text[subject.offset + len(subject.text) : self._position] or "[next]"
            advice = f"write foreign-reference{place}=reject"
            raise self.fault(subject.offset, f"there is no kind 'local'; {advice}")
        if not self._take("="):
            if subject.text.lower() in PRESETS:
                message = f"a policy has one preset, at its beginning; leave out {subject.text!r}"
                raise self.fault(subject.offset, message)
            message = f"expected '=' and a value, without spaces, after {self._before_equals(subject)}"
            raise self.fault(self._position, message)
        value = self._match(_VALUE, "expected a value after '='")
        action, at, component = value.text.partition("@")
        if at:
            place = ",".join([*(each.text for each in components), component])
            listed = f"[{','.join(map(written, names))}]" if names else ""
            clause = f"{subject.text}@{place}{listed}={action}"
            raise self.fault(value.offset + len(action), f"write components before '=', as in {clause}")
        return Clause(subject, tuple(components), tuple(names), value)

    def _before_equals(self, subject: Word) -> str:
        """Return what stands where an equals sign is missing, and what to write there."""
        if self.text.startswith("[", self._position) and self.text[self._position - 1] == "]":
            return f"the names; {_QUOTE}"
        word = re.compile(r"[\w.-]*").match(self.text, subject.offset)
        if word is None or "_" not in word[0]:
            return repr(subject.text)
        return f"{subject.text!r}; write {word[0].replace('_', '-')}"

    def _name(self) -> str:
        quoted = re.compile(_QUOTED).match(self.text, self._position)
        if quoted is not None:
            start, self._position = self._position, quoted.end()
            try:
                return re.sub(_ESCAPED, lambda m: m[1] or chr(int(m[2], 16)), quoted[1])
            except (ValueError, OverflowError):
                raise self.fault(start, "a name holds an escape beyond U+10FFFF") from None
        return self._match(_BARE, "expected a name, in double quotes if it is not a plain word").text

    def _list(self, pattern: str, what: str) -> list[Word]:
        words = [self._match(pattern, f"expected {what}")]
        while self._take(","):
            words.append(self._match(pattern, f"expected {what}"))
        return words

    def _match(self, pattern: str, message: str) -> Word:
        match = re.compile(pattern).match(self.text, self._position)
        if match is None:
            raise self.fault(self._position, message)
        word = Word(match.group(), self._position)
        self._position = match.end()
        return word

    def _take(self, character: str) -> bool:
        taken = self.text.startswith(character, self._position)
        self._position += taken
        return taken

    def _skip(self) -> bool:
        match = re.compile(_SPACE).match(self.text, self._position)
        self._position = match.end() if match else self._position
        return match is not None


def written(name: str) -> str:
    r"""Write a name, in double quotes if it is not a plain word.

    >>> written("utm_*"), written('a "b"')
    ('utm_*', '"a \\"b\\""')
    """
    if re.fullmatch(_BARE, name):
        return name
    return '"' + "".join(_quoted(character) for character in name) + '"'


def clauses_about(kind: Kind, mine: TableAndRules, base: TableAndRules) -> Iterator[str]:
    """Yield the clauses about one kind that turn the actions of another policy into these."""
    alike: dict[tuple[str, ...], list[Component]] = {}
    for component in COMPONENTS:
        if changes := _changes(kind, component, mine, base):
            alike.setdefault(changes, []).append(component)
    for changes, components in alike.items():
        on = "@" + ",".join(each.value for each in components)
        for change in changes:
            names, _, action = change.rpartition("=")
            able = [each for each in COMPONENTS if kind.check.supports(Action(action), each)]
            yield f"{kind.slug}{on if names or components != able else ''}{names}={action}"


def accepting_clause(accepted: Acceptance) -> str:
    """Return the clause for a range of accepted characters."""
    names = "" if accepted.pattern is None else f"[{written(accepted.pattern.text)}]"
    return f"accept@{accepted.component.value}{names}={written_characters(accepted.characters)}"


def _named_clause(each: NameRule | Acceptance) -> str:
    """Return the clause for a rule or a range, a rule without its component."""
    if isinstance(each, Acceptance):
        return accepting_clause(each)
    return f"{each.kind.slug}[{written(each.pattern.text)}]={each.action.value}"


def _changes(kind: Kind, component: Component, mine: TableAndRules, base: TableAndRules) -> tuple[str, ...]:
    """Return the clauses for one kind in one component, without the slug and the component."""
    (table, rules), (other_table, other_rules) = mine, base
    column = COMPONENTS.index(component)
    rules, other_rules = rules_of(rules, kind, component), rules_of(other_rules, kind, component)
    named = tuple(f"[{written(rule.pattern.text)}]={rule.action.value}" for rule in rules)
    action = table[column][kind.index]
    if action is other_table[column][kind.index] and rules[: len(other_rules)] == other_rules:
        return named[len(other_rules) :]
    return (f"={action.value}", *named)


def _quoted(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    return character if " " <= character <= "~" else f"\\u{{{ord(character):X}}}"


def _printable(text: str) -> str:
    """Replace characters that a terminal would not show, such as controls."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
