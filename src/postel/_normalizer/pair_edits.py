"""Edit pairs in bulk, with one method for each stage."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import compress, count, repeat
from operator import contains
from typing import Final, final

from postel._alphabet.percent import has_strays
from postel._alphabet.regex import compiled
from postel._alphabet.text import NO_TEXT, text_of
from postel._catalogue.check import Action, Component
from postel._catalogue.kinds import Kind
from postel._catalogue.patterns import LONE_NEWLINE
from postel._catalogue.repairs import in_nfc, to_crlf
from postel._normalizer.character_edits import Repairs, written_for
from postel._normalizer.column import Column
from postel._normalizer.detected import Detected
from postel._normalizer.edits import MARK, Text
from postel._normalizer.findings import MOST, JudgedMatch, changes_octets, edits_part
from postel._normalizer.kept_pairs import detected_in, kept_pairs, only
from postel._normalizer.pair_actions import PairActions, in_octets
from postel._normalizer.pair_matches import places_to_compose
from postel._normalizer.pairs import Pairs, decoded_names, decoded_text, written_names
from postel._normalizer.raw_text import is_ill_formed
from postel._normalizer.source_map import Edit, Mapped, substitutions

_LONE_NEWLINE: Final = compiled(LONE_NEWLINE)
_CR_LF: Final = re.compile(rb"%0[Dd]%0[Aa]")
_PIECE: Final = 2**14
"""How many octets are searched for newlines together."""
_NEWLINE: Final = to_crlf(b"%0A")
_JOINED: Final = compiled(
    f"(?:(?:{MARK}*+[^=&{MARK}]++{MARK}*+)?+(?:={MARK}*+[^&{MARK}]*+{MARK}*+)?+|([^&]++))(?:&|\\Z)"
)
"""Matches a pair; its group matches if the pair must be dropped as a whole.

Without the marked octets, the octets on both sides of them would be adjacent, or the name would be empty.
"""
_FRAGMENT: Final = re.compile("#[^&]*")
_LINE_END: Final = re.compile("\r\n?|\n")


@final
class PairEdits:
    """The stages of editing pairs; a stage with nothing to edit returns its first argument."""

    __slots__ = ("_column", "_decodes", "_dropped", "_repairs")

    def __init__(self, column: Column) -> None:
        """Compile the edits that a policy makes in pairs."""
        self._column = column
        self._repairs = Repairs(column)
        self._dropped = frozenset(kind for kind in column.characters if Action.DROP in column.acts(kind))
        self._decodes = column.actions[Kind.UNICODE_ESCAPE.index] is Action.REPAIR

    def dropped_pairs(self, detected: Detected) -> set[int]:
        """Return the pairs that are dropped because of their characters.

        A pair is dropped if a fault in it has the action DROP_PAIR. It is also dropped if without its dropped
        octets, the octets on both sides of them would be adjacent, or the name would be empty.
        """
        dropped: set[int] = set()
        pair_actions, pairs, seen = detected.pair_actions, detected.pairs, detected.seen
        found, census = detected.found("characters"), self._column.scanner.census
        members = {kind: each for kind in seen if (each := pair_actions.having(kind, Action.DROP_PAIR))}
        if members and found is not None and found.few:
            dropped.update(
                pairs.at(start) for action, _, start, _ in found.first(MOST) if action is Action.DROP_PAIR
            )
        elif members:
            codes = pairs.codes(census)
            if alike := [kind for kind, every in members.items() if isinstance(every, range)]:
                dropped.update(compress(count(), census.parts(pairs.text, alike, codes)))
            for kind, present in census.by_kind(pairs.text, members.keys() - alike, codes):
                dropped.update(compress(count(), pair_actions.having_both(kind, Action.DROP_PAIR, present)))
        if Action.DROP not in pair_actions.acts(seen):
            return dropped
        texts: Sequence[str] = pairs.texts
        if found is not None and found.few:
            first = [start for action, _, start, _ in found.first(MOST) if action is Action.DROP]
            held = sorted({*map(pairs.at, first)})  # each pair once, because it may be long
            marked = self._repairs.marked(
                "&".join(map(texts.__getitem__, held)), pair_actions.among(held or [0]), seen
            )
        else:
            texts = self._repairs.marked(pairs.text, pair_actions, seen).split("&")
            held = list(compress(count(), map(contains, texts, repeat(MARK))))
            marked = "&".join(map(texts.__getitem__, held))
        dropped.update(compress(held, _JOINED.findall(marked)))
        return dropped

    def edits_kept_pair(self, detected: Detected) -> bool:
        """Whether very many characters need an edit, and one of them is in a pair that is not dropped."""
        pair_actions, pairs, census = detected.pair_actions, detected.pairs, self._column.scanner.census
        kinds = [kind for kind in detected.seen if any(map(edits_part, pair_actions.acts([kind])))]
        if not kinds:
            return False
        dropped = detected.dropped
        return any(
            not dropped.issuperset(compress(count(), pair_actions.having_both(kind, action, present)))
            for kind, present in census.by_kind(pairs.text, kinds, pairs.codes(census))
            for action in filter(edits_part, pair_actions.acts([kind]))
        )

    def unescape(self, mapped: Mapped, detected: Detected) -> Mapped:
        """Decode ``%uXXXX``, the escapes of UTF-16 units."""
        kind = Kind.UNICODE_ESCAPE
        repaired = detected.pair_actions.having(kind, Action.REPAIR)
        if kind not in detected.seen or not repaired:
            return mapped
        octets, edits = detected.pairs.unescaping()
        if isinstance(repaired, range):
            return mapped.rewritten(octets, edits)
        pieces, others = list(detected.pairs.pieces), octets.split(b"&")
        for pair in repaired:
            pieces[pair] = others[pair]
        return mapped.rewritten(b"&".join(pieces), lambda: _repairs_of(kind, edits(), detected))

    def remove(self, mapped: Mapped, detected: Detected) -> tuple[Mapped, Text]:
        """Replace and drop characters; also return a function that returns the text of the result."""
        seen, pair_actions = detected.seen, detected.pair_actions
        octets, text = mapped.octets, detected.reading.text
        if not detected.edits_characters:
            return mapped, lambda: text
        drops = Action.DROP in pair_actions.acts(seen)
        # No octet is dropped from these pairs, because that could join octets.
        dropped = detected.faulty if drops else ()
        octets, text_after = self._repairs.removed(octets, lambda: text, pair_actions, seen, dropped)
        return mapped.rewritten(octets, lambda: self._runs(detected)), text_after

    def write(self, mapped: Mapped, text: Text, detected: Detected) -> Mapped:
        """Repair the characters that were detected, and write octets canonically.

        ``text`` returns the text of the component.
        """
        octets = self._repairs.written(mapped.octets, text, detected.pair_actions, detected.seen)
        # Beside a stray percent sign, some escapes may have to stay as they are.
        respells = detected.pair_actions.alike(Kind.SPELLING) is Action.REPAIR
        detected.is_respelled = respells and not has_strays(octets)
        return mapped.respelled(octets)

    def compose(self, mapped: Mapped, detected: Detected) -> Mapped:
        """Put text into NFC."""
        if "uncomposed" not in detected.pending and not detected.of("uncomposed").have(changes_octets):
            return mapped
        repaired = detected.pair_actions.having(Kind.NOT_NFC, Action.REPAIR)
        if not repaired:
            return mapped
        if not isinstance(repaired, range):
            return detected.composition.written_in(mapped, places_to_compose(detected))
        return detected.composition.written(mapped, detected.reading.plain)

    def cut(self, mapped: Mapped, detected: Detected) -> Mapped:
        """Cut a fragment and everything after it."""
        if Kind.FRAGMENT not in detected.seen:
            return mapped
        start = mapped.octets.index(b"#")
        return mapped.splice([(start, len(mapped.octets), b"")])

    def drop(self, mapped: Mapped, detected: Detected) -> Mapped:
        """End lines, and remove pairs, each with one ampersand, and empty pairs in the same step.

        Removing only the pairs could leave new empty pairs. No other edit adds or removes a CR or LF in the
        pairs that are left, so their lines can be ended first.
        """
        mapped = self.end_lines(mapped, detected)
        pairs, kept = detected.pairs, kept_pairs(detected)
        if len(kept) == len(pairs.pieces):
            return mapped
        members = kept or [0]  # an empty component is one empty pair
        detected.pair_actions_left = detected.pair_actions.among(members)
        return only(kept, pairs if mapped.octets == pairs.octets else Pairs(mapped.octets), mapped)

    def keep(self, mapped: Mapped, detected: Detected) -> tuple[Mapped, Detected, list[int]]:
        """Remove pairs; also return what was detected in the others, and the numbers of the removed ones."""
        kept, number = kept_pairs(detected), len(detected.pairs.pieces)
        if len(kept) == number:
            return mapped, detected, []
        return *self.only(kept, mapped, detected), sorted({*range(number)}.difference(kept))

    @staticmethod
    def only(kept: Sequence[int], mapped: Mapped, detected: Detected) -> tuple[Mapped, Detected]:
        """Remove all pairs except ``kept``; also return what was detected in these."""
        mapped = only(kept, detected.pairs, mapped)
        return mapped, detected_in(kept, detected, mapped.octets)

    def end_lines(self, mapped: Mapped, detected: Detected) -> Mapped:
        """Write each lone CR or LF as CR LF."""
        octets, kind = mapped.octets, Kind.LONE_NEWLINE
        repaired = detected.pair_actions.having(kind, Action.REPAIR)
        return mapped.rewritten(
            in_octets(octets, repaired, _with_newlines),
            lambda: _repairs_of(kind, substitutions(_LONE_NEWLINE, _NEWLINE, octets), detected),
        )

    def repaired_names(self, pairs: Pairs, texts: Iterable[str]) -> list[str]:
        """Return the decoded name that each different name gets if no rule matches it.

        ``texts`` are the texts of the different names.
        """
        column, actions, text = self._column, self._column.actions, "&".join(texts)
        if self._decodes:
            octets, _ = pairs.unescaping()
            if octets != pairs.octets:
                different = dict(zip(pairs.written_names, written_names(octets), strict=True))
                text = column.name_characters.marked_names(text_of(b"&".join(different.values())))
        if column.component is Component.QUERY and "#" in text:
            text = _FRAGMENT.sub("", text)
        pair_actions = PairActions(actions, text.count("&") + 1)
        left = self._repairs.marked(text, pair_actions, column.characters).replace(MARK, "")
        after = decoded_text(self._repairs.replaced(left, actions).replace("&", NO_TEXT))
        if actions[Kind.LONE_NEWLINE.index] is Action.REPAIR:
            after = _LINE_END.sub("\r\n", after)
        names = after.split(NO_TEXT)
        return self._composed(names) if column.composes else names

    def names_after(self, detected: Detected) -> list[str] | None:
        """Return the decoded name of each pair without the characters that a repair drops, and in NFC.

        Returns ``None`` if no name changes.
        """
        pair_actions, names = detected.pair_actions, detected.pairs.names
        if pair_actions.foreseen and not self._rules_change_names(detected):
            return None if names == pair_actions.foreseen else list(pair_actions.foreseen)
        text = "&".join(detected.pairs.name_texts)
        marked = self._repairs.marked(text, detected.pair_actions, detected.seen)
        after = names if marked == text else decoded_names(marked.replace(MARK, "").split("&"))
        after = self._composed(after) if self._column.composes else after
        return None if after == names else after

    def _rules_change_names(self, detected: Detected) -> bool:
        """Whether a rule may give a pair another name than is foreseen."""
        kinds, pair_actions = self._dropped & detected.seen, detected.pair_actions
        if not self._decodes or Kind.UNICODE_ESCAPE in detected.seen:
            kinds |= {Kind.UNICODE_ESCAPE}
        return any(pair_actions.alike(kind) is not self._column.actions[kind.index] for kind in kinds)

    def _composed(self, names: list[str]) -> list[str]:
        """Return names in NFC, except those with ill-formed UTF-8, which is not composed."""
        composed = in_nfc(names, NO_TEXT)
        if not is_ill_formed(NO_TEXT.join(names)):
            return composed
        return [name if is_ill_formed(name) else other for name, other in zip(names, composed, strict=True)]

    def _runs(self, detected: Detected) -> Iterator[Edit]:
        """Yield the edits of characters one by one, to trace where octets came from."""
        octets, pairs, dropped = detected.pairs.octets, detected.pairs, detected.faulty
        written_once = cache(written_for)
        for action, kind, start, end in self._located(detected):
            written = written_once(kind, action, octets[start:end])
            if written is None or (action is Action.DROP and pairs.at(start) in dropped):
                yield start, start, b""  # it costs as much to find as an edit, so it counts, too
            else:
                yield start, end, written

    def _located(self, detected: Detected) -> Iterator[JudgedMatch]:
        """Yield the matches of characters, with their places in the octets."""
        found = detected.found("characters")
        if found is not None and found.few:
            yield from found.first(MOST)
            return
        action_at, span = _actions_at(detected), detected.reading.span
        for kind, first, last in self._column.scanner.walk(detected.reading.text):
            start, end = span(first, last)
            yield action_at(kind, start), kind, start, end


def _repairs_of(kind: Kind, edits: Iterable[Edit], detected: Detected) -> Iterator[Edit]:
    """Yield those of some edits that are in pairs in which a kind is repaired."""
    action_at = _actions_at(detected)
    return (each for each in edits if action_at(kind, each[0]) is Action.REPAIR)


def _actions_at(detected: Detected) -> Callable[[Kind, int], Action]:
    """Return a function that returns the action for a kind at an offset."""
    pair_actions, pairs = detected.pair_actions, detected.pairs
    return lambda kind, start: pair_actions.alike(kind) or pair_actions.at(kind, pairs.at(start))


def _with_newlines(octets: bytes) -> bytes:
    """Write CR LF for each lone CR or LF, piece by piece: ``re.sub`` takes 100 octets for each of them."""
    pieces: list[bytes] = []
    start = 0
    while (end := octets.find(b"%", start + _PIECE)) >= 0:
        # Both halves of CR LF stay in one piece.
        end -= 3 * (_CR_LF.match(octets, end - 3) is not None)
        pieces.append(_LONE_NEWLINE.sub(_NEWLINE, octets[start:end]))
        start = end
    return b"".join([*pieces, _LONE_NEWLINE.sub(_NEWLINE, octets[start:])])
