"""The catalogue of kinds: one enum member for each kind of fault.

The order of the members is their precedence: a faulty octet belongs to the first kind that matches it. Kinds
of the writing family are judged separately, because they are about how an octet is *written*, not about what
it *is*.

To add a check, add one member. Detection, proofs, presets, policies, commands, documentation, table tests and
the lists of what each server hides are derived from it. An incomplete member fails at import, and the message
says what is missing.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final, Never, cast, final

from postel._alphabet.authority import SITE
from postel._alphabet.percent import MISSPELLED
from postel._alphabet.spellings import ILL_FORMED_PATTERN
from postel._alphabet.text import ILL_FORMED
from postel._catalogue import repairs
from postel._catalogue.cells import actions, characters, components, octets, presets
from postel._catalogue.check import Check, Family, Repair
from postel._catalogue.completeness import require_complete
from postel._catalogue.patterns import (
    ASCII_NOT_SPACE,
    C0,
    C1,
    COMPOSING,
    DEVICE,
    DEVICE_TEXT,
    DIRECTIONS,
    DOT,
    DOUBLED,
    DRIVE,
    END,
    HEX,
    HEX_DIGIT,
    ILL_FORMED_RUNS,
    ILLEGAL,
    INVISIBLE,
    LAYOUT,
    LONE_NEWLINE,
    LOOKALIKES,
    MALFORMED_RUN,
    NON_ASCII,
    NONCHARACTERS,
    NOT_PLAINLY_LOCAL,
    PERCENT,
    PLUS_TOO,
    SECOND_OR_THIRD,
    SPACE_OR_NON_ASCII,
    any_case,
    both,
)
from postel._catalogue.views import View, views
from postel._errors import PolicyError, nearest, nothing_named

_PATH_ACTIONS: Final = "allow report replace drop reject"
"""The actions for a character in a path."""
_PAIR_ACTIONS: Final = _PATH_ACTIONS + " drop-pair"
"""The actions for a character in a query or form."""


@final
@enum.unique
class Kind(enum.Enum):
    """A kind of fault or ambiguity in a request; each value is a :class:`Check`.

    >>> Kind.ENCODED_SLASH.slug, Kind.of("encoded-slash") is Kind.ENCODED_SLASH
    ('encoded-slash', True)
    """

    # -- the form of the target: RFC 9112, section 3.2 -------------------------------------------------------

    ABSOLUTE_FORM = Check(
        slug="absolute-form",
        summary="a whole URL where a path is expected",
        family=Family.TARGET,
        presets=presets(path="reject repair repair"),
        actions=actions(path="repair reject"),
        patterns=octets(path=rb"\A" + SITE),
        repair=Repair(
            summary="cuts the scheme and authority; refuses an authority that has userinfo or "
            "differs from the Host, and schemes other than HTTP's",
        ),
        hidden_in=views("decoded cleaned unescaped siteless"),
        if_allowed="",
        if_edited="The server routes by the Host header alone; postel changes nothing but its case.",
        reference="RFC 9112, section 3.2.2",
        example=octets(path=b"http://example.com/a"),
        near_miss=octets(path=b"/http://example.com/a"),
    )
    ASTERISK_FORM = Check(
        slug="asterisk-form",
        summary="an asterisk for the whole server, with a method other than OPTIONS",
        family=Family.TARGET,
        presets=presets(path="reject reject reject"),
        actions=actions(path="reject"),
        patterns=octets(path=rb"\A\*\Z"),
        if_allowed="",
        reference="RFC 9112, section 3.2.4",
        example=octets(path=b"*"),
        near_miss=octets(path=b"/*"),
    )
    AUTHORITY_FORM = Check(
        slug="authority-form",
        summary="a host and port instead of a path, as a CONNECT request sends",
        family=Family.TARGET,
        presets=presets(path="reject reject reject"),
        actions=actions(path="reject"),
        patterns=octets(path=rb"\A(?:\[[^\]/?#]*+\]|[^/?#@\\%:\[]++):[0-9]*+\Z"),
        hidden_in=views("decoded"),
        if_allowed="",
        reference="RFC 9112, section 3.2.3",
        example=octets(path=b"example.com:80"),
        near_miss=octets(path=b"/example.com:80"),
    )
    MISSING_SLASH = Check(
        slug="missing-slash",
        summary="a path that does not begin with a slash",
        family=Family.TARGET,
        presets=presets(path="reject reject reject"),
        actions=actions(path="reject"),
        patterns=octets(path=rb"\A(?!/)[^/]?"),
        hidden_in=views("decoded"),
        if_allowed="",
        reference="RFC 9112, section 3.2.1",
        example=octets(path=b"a/b"),
        near_miss=octets(path=b"/a/b"),
    )
    FRAGMENT = Check(
        slug="fragment",
        summary="a fragment, which browsers never send",
        family=Family.CHARACTER,
        presets=presets(path="reject reject repair", query="reject reject repair"),
        actions=actions(path="repair reject", query="repair reject"),
        found_by="_normalizer/path_edits",
        bare=characters(path="#", query="#"),
        repair=Repair(summary="cuts the '#' and everything after it"),
        hidden_in=views("decoded rewritten cleaned unescaped escaped"),
        if_allowed="",
        if_edited="Nothing in front of postel uses the text after '#' to route or guard. Nobody misses it: "
        "a search for C# becomes one for C.",
        reference="RFC 9110, section 7.1; CVE-2021-32779",
        example=octets(path=b"/admin#x", query=b"q=1#x"),
        near_miss=octets(path=b"/admin%23x", query=b"q=1%23x"),
    )

    # -- percent-encoding and UTF-8 --------------------------------------------------------------------------

    UNICODE_ESCAPE = Check(
        slug="unicode-escape",
        summary="an escape of a UTF-16 unit, as written by JavaScript's escape()",
        family=Family.CHARACTER,
        presets=presets(path="reject reject repair", pairs="reject reject repair"),
        actions=actions(path="allow report repair reject", pairs="allow report repair drop-pair reject"),
        found_by="_normalizer/path_edits",
        patterns=octets(path=rb"(?:%[uU][0-9A-Fa-f]{4})++", pairs=rb"(?:%[uU][0-9A-Fa-f]{4})++"),
        text={"%": "(?:%[uU][0-9A-Fa-f]{4})++"},
        in_proof=True,
        repair=Repair(
            summary="written as escaped UTF-8; a lone surrogate is ill-formed",
            before_split=True,
        ),
        hidden_in=views("decoded rewritten cleaned unescaped"),
        if_allowed="The application reads '%u' as two characters and never decodes the escape.",
        if_edited="Nothing in front of postel judges a path or query with '%u', decoded or not.",
        reference="ECMA-262, section B.2.1; CVE-2001-0669",
        example=octets(path=b"/caf%u00e9", pairs=b"q=caf%u00e9"),
        near_miss=octets(path=b"/caf%25u00e9", pairs=b"q=caf%25u00e9"),
    )
    MALFORMED_ESCAPE = Check(
        slug="malformed-escape",
        summary="a percent sign that is not followed by two hex digits",
        family=Family.CHARACTER,
        presets=presets(path="reject reject repair", pairs="reject repair repair"),
        actions=actions(path="allow report repair reject", pairs="allow report repair drop-pair reject"),
        found_by="_normalizer/character_edits",
        patterns=octets(
            path=MALFORMED_RUN,
            pairs=MALFORMED_RUN,
        ),
        text={"%": "(?:%%*(?![uU][0-9A-Fa-f]{4})[0-9A-Za-z]{0,2})++"},
        in_proof=True,
        repair=Repair(summary="written '%25', as a literal percent sign"),
        hidden_in=views("decoded rewritten cleaned unescaped"),
        if_allowed="Every reader of the URL keeps the stray '%' unchanged.",
        if_edited="A stray '%' is meant as a percent sign, as in '50% off'.",
        reference="RFC 3986, section 2.4; URL Standard, percent-decode",
        example=octets(path=b"/50%zz", pairs=b"q=50%+off"),
        near_miss=octets(path=b"/50%25zz", pairs=b"q=50%25+off"),
    )
    ILL_FORMED_UTF8 = Check(
        slug="ill-formed-utf8",
        summary="octets that are not UTF-8: overlong, surrogate, out of range, truncated or stray",
        family=Family.CHARACTER,
        presets=presets(
            path="reject reject reject", pairs="reject reject drop", json="reject reject replace"
        ),
        actions=actions(path="replace drop reject", pairs=_PAIR_ACTIONS, json="replace reject"),
        patterns=octets(path=ILL_FORMED_PATTERN, pairs=ILL_FORMED_PATTERN),
        text={ILL_FORMED: ILL_FORMED_RUNS},
        in_proof=True,
        hidden_in=views("merged"),
        if_allowed="The application reads the parameter as octets, in its own encoding.",
        if_edited="URLs that differ only in the replaced or dropped octets name the same resource.",
        reference="RFC 3629, section 3; Unicode, table 3-7; CVE-2000-0884",
        example=octets(path=b"/%C0%AF", pairs=b"q=%C4rzteblatt", json=b'"\xff"'),
        near_miss=octets(path=b"/%C2%AF", pairs=b"q=%C3%84rzteblatt", json=b'"\xc3\xa9"'),
    )

    # -- characters that carry no text -----------------------------------------------------------------------

    NUL = Check(
        slug="nul",
        summary="a NUL character",
        family=Family.CHARACTER,
        presets=presets(
            path="reject reject reject", pairs="reject reject drop-pair", json="reject reject report"
        ),
        actions=actions(path=_PATH_ACTIONS, pairs=_PAIR_ACTIONS, json="allow report reject"),
        bare=characters(path="\0", pairs="\0"),
        escaped=characters(path="\0", pairs="\0"),
        if_allowed="Values never reach C code, file names or PostgreSQL text.",
        if_edited="Nothing in front of postel judges the value before the edit.",
        never_meant=components("path", "pairs"),
        reference="CWE-158",
        example=octets(path=b"/a%00.txt", pairs=b"q=a%00", json=b'"\\u0000"'),
        near_miss=octets(path=b"/a%2500.txt", pairs=b"q=a%2500", json=b'"\\\\u0000"'),
    )
    CONTROL = Check(
        slug="control",
        summary="an ASCII control character, or a bare TAB, CR or LF",
        family=Family.CHARACTER,
        presets=presets(
            path="reject reject reject", pairs="reject reject drop-pair", json="reject report report"
        ),
        actions=actions(path=_PATH_ACTIONS, pairs=_PAIR_ACTIONS, json="allow report reject"),
        bare=characters(path=C0 | LAYOUT, pairs=C0 | LAYOUT),
        escaped=characters(path=C0, pairs=C0),
        if_allowed="Values are escaped wherever they are shown, logged or passed on.",
        if_edited="Nothing in front of postel judges the value before the edit.",
        never_meant=components("path", "pairs"),
        reference="RFC 3986, section 2.2; RFC 20",
        example=octets(path=b"/a%1B", pairs=b"q=%1b%5B2J", json=b'"\\u001b[2J"'),
        near_miss=octets(path=b"/a%20", pairs=b"q=%5B2J", json=b'"\\n"'),
    )
    NAME_LINE_BREAK = Check(
        slug="name-line-break",
        summary="a line break or TAB in the name of a parameter or member",
        family=Family.CHARACTER,
        presets=presets(pairs="reject reject reject", json="reject reject report"),
        actions=actions(pairs="allow report drop-pair reject", json="allow report reject"),
        escaped=characters(pairs=LAYOUT),
        names_only=True,
        if_allowed="Names are escaped wherever they are logged or passed on.",
        if_edited="The application can do without the parameter.",
        never_meant=components("pairs"),
        reference="CWE-113; CWE-117",
        example=octets(pairs=b"a%0Ab=1", json=b'{"a\\n": 1}'),
        near_miss=octets(pairs=b"a=%0Ab", json=b'{"a": "\\n"}'),
    )
    ENCODED_EQUALS = Check(
        slug="encoded-equals",
        summary="an escaped '=' in the name of a parameter",
        family=Family.CHARACTER,
        presets=presets(pairs="reject report allow"),
        actions=actions(pairs="allow report drop-pair reject"),
        escaped=characters(pairs="="),
        names_only=True,
        if_allowed="Every reader of the URL splits a pair at '=' before it decodes it.",
        if_edited="The application can do without the parameter.",
        reference="URL Standard, urlencoded parsing",
        example=octets(pairs=b"next%3D/a"),
        near_miss=octets(pairs=b"next=/a%3D"),
    )
    LINE_BREAK = Check(
        slug="line-break",
        summary="an escaped CR or LF",
        family=Family.CHARACTER,
        presets=presets(path="reject reject reject", query="reject allow allow", form="allow allow allow"),
        actions=actions(path=_PATH_ACTIONS, pairs=_PAIR_ACTIONS),
        escaped=characters(path="\r\n", pairs="\r\n"),
        if_allowed=(
            "Values never reach a header or a log line unescaped. No guard compares paths: Starlette's "
            "router serves /admin for /admin%0A."
        ),
        if_edited="Nothing in front of postel judges the value before the edit.",
        never_meant=components("path"),
        reference="CWE-113; CWE-117; CVE-2019-9740",
        example=octets(path=b"/q%0a", pairs=b"q=a%0D%0Ab"),
        near_miss=octets(path=b"/q%20", pairs=b"q=a%20%20b"),
    )
    TAB = Check(
        slug="tab",
        summary="an escaped TAB",
        family=Family.CHARACTER,
        presets=presets(path="reject reject reject", query="reject report allow", form="allow allow allow"),
        actions=actions(path=_PATH_ACTIONS, pairs=_PAIR_ACTIONS),
        escaped=characters(path="\t", pairs="\t"),
        if_allowed="Values never reach tab-separated data or a redirect unescaped.",
        if_edited="Nothing in front of postel judges the value before the edit.",
        never_meant=components("path"),
        reference="URL Standard, section 4.4 (parsers remove TAB)",
        example=octets(path=b"/a%09b", pairs=b"q=a%09b"),
        near_miss=octets(path=b"/a%20b", pairs=b"q=a%20b"),
    )
    C1_CONTROL = Check(
        slug="c1-control",
        summary="a control character of the C1 block",
        family=Family.CHARACTER,
        presets=presets(path="reject report report", pairs="reject report report"),
        actions=actions(path=_PATH_ACTIONS, pairs=_PAIR_ACTIONS),
        bare=characters(path=C1, pairs=C1),
        escaped=characters(path=C1, pairs=C1),
        if_allowed="Text is escaped before it reaches a terminal, where these characters are commands.",
        if_edited="Nothing in front of postel judges the text before the edit.",
        reference="ISO/IEC 6429; Unicode, section 23.1",
        example=octets(path=b"/a%C2%85b", pairs=b"q=a%C2%85b"),
        near_miss=octets(path=b"/a%C2%A5b", pairs=b"q=a%C2%A5b"),
    )
    LINE_SEPARATOR = Check(
        slug="line-separator",
        summary="Unicode's line or paragraph separator",
        family=Family.CHARACTER,
        presets=presets(path="reject report report", pairs="reject report report"),
        actions=actions(path=_PATH_ACTIONS, pairs=_PAIR_ACTIONS),
        bare=characters(path="\u2028\u2029", pairs="\u2028\u2029"),
        escaped=characters(path="\u2028\u2029", pairs="\u2028\u2029"),
        if_allowed="Text is escaped in logs and in JavaScript.",
        if_edited="Nothing in front of postel judges the text before the edit.",
        reference="Unicode, section 5.8",
        example=octets(path=b"/a%E2%80%A8b", pairs=b"q=a%E2%80%A9b"),
        near_miss=octets(path=b"/a%E2%80%A7b", pairs=b"q=a%E2%80%A7b"),
    )
    NONCHARACTER = Check(
        slug="noncharacter",
        summary="a code point that will never be a character",
        family=Family.CHARACTER,
        presets=presets(path="reject report report", pairs="reject report report"),
        actions=actions(path=_PATH_ACTIONS, pairs=_PAIR_ACTIONS),
        bare=characters(path=NONCHARACTERS, pairs=NONCHARACTERS),
        escaped=characters(path=NONCHARACTERS, pairs=NONCHARACTERS),
        if_allowed="The application does not use noncharacters as internal markers.",
        if_edited="Nothing in front of postel judges the text before the edit.",
        reference="Unicode, section 23.7",
        example=octets(path=b"/%EF%BF%BE", pairs=b"q=%EF%B7%90"),
        near_miss=octets(path=b"/%EF%BF%BC", pairs=b"q=%EF%B7%B0"),
    )
    BIDI_CONTROL = Check(
        slug="bidi-control",
        summary="a character that reorders the text around it",
        family=Family.CHARACTER,
        presets=presets(path="reject report report", pairs="reject report report"),
        actions=actions(path=_PATH_ACTIONS, pairs=_PAIR_ACTIONS),
        bare=characters(path=DIRECTIONS, pairs=DIRECTIONS),
        escaped=characters(path=DIRECTIONS, pairs=DIRECTIONS),
        if_allowed="Text is isolated from its surroundings wherever it is displayed.",
        if_edited="Nothing in front of postel judges the text before the edit.",
        reference="Unicode, UAX #9 and UTR #36; CVE-2021-42574",
        example=octets(path=b"/%E2%80%AEgpj.exe", pairs=b"q=%E2%80%AE"),
        near_miss=octets(path=b"/%E2%80%AFgpj.exe", pairs=b"q=%E2%80%AF"),
    )
    INVISIBLE = Check(
        slug="invisible",
        summary="an invisible character: zero-width space, word joiner, BOM, soft hyphen",
        family=Family.CHARACTER,
        presets=presets(path="reject report allow", pairs="reject report allow"),
        actions=actions(path=_PATH_ACTIONS, pairs=_PAIR_ACTIONS),
        bare=characters(path=INVISIBLE, pairs=INVISIBLE),
        escaped=characters(path=INVISIBLE, pairs=INVISIBLE),
        if_allowed="The application ignores these characters in names that people compare by eye.",
        if_edited="No two names differ only in these characters.",
        reference="Unicode, UTR #36, section 2.10.3",
        example=octets(path=b"/a%E2%80%8B", pairs=b"q=a%E2%80%8B"),
        near_miss=octets(path=b"/a%E2%80%8C", pairs=b"q=a%E2%80%8D"),
    )
    DELIMITER_LOOKALIKE = Check(
        slug="delimiter-lookalike",
        summary="a character that looks like a slash, a dot or another delimiter, or that NFKC maps to one",
        family=Family.CHARACTER,
        presets=presets(path="reject report allow"),
        actions=actions(path=_PATH_ACTIONS),
        bare=characters(path=LOOKALIKES),
        escaped=characters(path=LOOKALIKES),
        if_allowed="The application does not fold text (NFKC, best fit) and use the result as a path.",
        if_edited="No two paths differ only in these characters.",
        reference="Unicode, UTS #39; CVE-2025-52488",
        example=octets(path=b"/%EF%BC%8E%EF%BC%8E%EF%BC%8Fetc"),
        near_miss=octets(path=b"/%EF%BC%AE%EF%BC%AE%EF%BC%AFetc"),
    )

    # -- characters that a URL cannot hold, or that split it -------------------------------------------------

    ILLEGAL_CHARACTER = Check(
        slug="illegal-character",
        summary="an ASCII character that must be escaped in a URL",
        family=Family.CHARACTER,
        presets=presets(
            path="reject repair repair", query="reject repair repair", form="reject report report"
        ),
        actions=actions(path="allow report repair reject", pairs="allow report repair drop-pair reject"),
        bare=characters(path=ILLEGAL + "[]?", query=ILLEGAL + "\\", form=ILLEGAL + "\\#"),
        repair=Repair(summary="escaped", escapes=True),
        hidden_in=views("decoded rewritten cleaned unescaped escaped"),
        if_allowed="Every reader of the URL treats the character as data.",
        if_edited="Nothing in front of postel ends the URL at the character.",
        reference="RFC 3986, section 2 and appendix A",
        example=octets(path=b"/a{b}", pairs=b"q=a|b"),
        near_miss=octets(path=b"/a%7Bb%7D", pairs=b"q=a%7Cb"),
    )
    RAW_BRACKET = Check(
        slug="raw-bracket",
        summary="a bare square bracket, as browsers and PHP write it",
        family=Family.CHARACTER,
        presets=presets(pairs="reject allow allow"),
        actions=actions(pairs="allow report repair drop-pair reject"),
        bare=characters(pairs="[]"),
        repair=Repair(summary="escaped", escapes=True),
        if_allowed="Every reader of the URL treats brackets in a query as data.",
        if_edited="No signature covers the query as sent.",
        reference="RFC 3986, section 3.2.2; URL Standard, query percent-encode set",
        example=octets(pairs=b"tags[]=1"),
        near_miss=octets(pairs=b"tags%5B%5D=1"),
    )
    ENCODED_SLASH = Check(
        slug="encoded-slash",
        summary="an escaped slash, which most applications read as a real one",
        family=Family.CHARACTER,
        presets=presets(path="reject reject preserve"),
        actions=actions(path="repair preserve reject"),
        escaped=characters(path="/"),
        repair=Repair(
            summary="decoded; the path is then split and judged again",
            replacement=repairs.to_slashes,
            before_split=True,
        ),
        hidden_in=views("decoded rewritten cleaned unescaped"),
        if_allowed="",
        if_edited="Nothing in front of postel judges paths, and no segment holds a slash as data.",
        if_preserved=(
            "The application expects %2F for such a slash in the decoded path, %25 for every percent "
            "sign, and decodes each segment once."
        ),
        reference="RFC 3986, section 2.2; CVE-2025-66490",
        example=octets(path=b"/admin%2Fpanel"),
        near_miss=octets(path=b"/admin%252Fpanel"),
    )
    ENCODED_DELIMITER = Check(
        slug="encoded-delimiter",
        summary="an escaped question mark, number sign or semicolon",
        family=Family.CHARACTER,
        presets=presets(path="reject report report"),
        actions=actions(path="allow report preserve reject"),
        escaped=characters(path="?#;"),
        hidden_in=views("decoded unescaped"),
        if_allowed="The application escapes the decoded path wherever it writes it into a URL.",
        if_preserved=(
            "The application expects %3F, %23 or %3B for such a delimiter in the decoded path, %25 for "
            "every percent sign, and decodes each segment once."
        ),
        reference="RFC 3986, section 2.2",
        example=octets(path=b"/wiki/C%23"),
        near_miss=octets(path=b"/wiki/C%24"),
    )
    BACKSLASH = Check(
        slug="backslash",
        summary="a bare backslash, which browsers and Windows read as a slash",
        family=Family.CHARACTER,
        presets=presets(path="reject reject repair"),
        actions=actions(path="allow report repair reject"),
        bare=characters(path="\\"),
        repair=Repair(summary="replaced with a slash", replacement=repairs.to_slashes, before_split=True),
        hidden_in=views("decoded rewritten cleaned unescaped"),
        if_allowed="The application neither runs on Windows nor writes the path into a Location.",
        if_edited="Nothing in front of postel judges paths.",
        never_meant=components("path"),
        reference="URL Standard, section 4.4 (path state); RFC 3986, appendix A",
        example=octets(path=b"/a\\b"),
        near_miss=octets(path=b"/a/b"),
    )
    ENCODED_BACKSLASH = Check(
        slug="encoded-backslash",
        summary="an escaped backslash",
        family=Family.CHARACTER,
        presets=presets(path="reject reject repair"),
        actions=actions(path="allow report repair preserve reject"),
        escaped=characters(path="\\"),
        repair=Repair(summary="replaced with a slash", replacement=repairs.to_slashes, before_split=True),
        hidden_in=views("unescaped"),
        if_allowed="The application neither runs on Windows nor writes the path into a Location.",
        if_edited="Nothing in front of postel judges paths.",
        if_preserved=(
            "The application expects %5C for such a backslash in the decoded path, %25 for every percent "
            "sign, and decodes each segment once."
        ),
        reference="CVE-2021-29492",
        example=octets(path=b"/a%5cb"),
        near_miss=octets(path=b"/a%5bb"),
    )
    UNSAFE_DOUBLE_ESCAPE = Check(
        slug="unsafe-double-escape",
        summary="a doubly escaped ASCII character other than the space",
        family=Family.CHARACTER,
        presets=presets(path="reject reject report"),
        actions=actions(path="allow report reject"),
        # Werkzeug 2.3 to 3.1 decodes all of these again in request.url, except "/", "?", "#", "%" and
        # controls (measured for each octet). Other readers that decode twice turn those into delimiters.
        patterns=octets(path=b"(?:%25" + ASCII_NOT_SPACE + b")++"),
        text={PERCENT: f"(?:[{PERCENT}](?:[{both('013-7')}][{HEX}]|[{both('2')}][{both('1-9A-Fa-f')}]))++"},
        trigger={b"%": DOUBLED + ASCII_NOT_SPACE},
        hidden_in=views("unescaped"),
        if_allowed=(
            "The application neither decodes the path a second time nor reads Werkzeug's request.url."
        ),
        reference="CWE-174; CVE-2001-0333",
        example=octets(path=b"/%252e%252e/a"),
        near_miss=octets(path=b"/%25ze%25ze/a"),
    )
    DOUBLE_ESCAPE = Check(
        slug="double-escape",
        summary="a doubly escaped space, non-ASCII character or UTF-16 unit",
        family=Family.CHARACTER,
        presets=presets(path="reject report report"),
        actions=actions(path="allow report reject"),
        patterns=octets(
            path=b"(?:%25(?:" + any_case("u") + HEX_DIGIT * 4 + b"|" + SPACE_OR_NON_ASCII + b"))++"
        ),
        text={
            PERCENT: f"(?:[{PERCENT}](?:[{both('Uu')}][{HEX}]{{4}}|[{both('89A-Fa-f')}][{HEX}]"
            f"|[{both('2')}][{both('0')}]))++"
        },
        trigger={b"%": DOUBLED + b"(?:" + any_case("u") + HEX_DIGIT * 4 + b"|" + SPACE_OR_NON_ASCII + b")"},
        hidden_in=views("unescaped"),
        if_allowed="The application does not decode the path a second time.",
        reference="CWE-174; CVE-2001-0333",
        example=octets(path=b"/My%2520File.pdf"),
        near_miss=octets(path=b"/My%25z0File.pdf"),
    )
    SEMICOLON = Check(
        slug="semicolon",
        summary="a bare semicolon, at which some readers begin a new pair",
        family=Family.CHARACTER,
        presets=presets(pairs="repair repair repair"),
        actions=actions(pairs="allow report repair drop-pair reject"),
        bare=characters(pairs=";"),
        repair=Repair(summary="escaped; no reader splits there", escapes=True),
        if_allowed="Every reader of the URL splits pairs only at '&'.",
        if_edited="No client separates pairs with ';'.",
        reference="URL Standard, urlencoded parsing; CVE-2021-23336",
        example=octets(pairs=b"a=1;b=2"),
        near_miss=octets(pairs=b"a=1%3Bb=2"),
    )

    # -- the structure of a path -----------------------------------------------------------------------------

    DOT_SEGMENT = Check(
        slug="dot-segment",
        summary="a segment that is '.' or '..'",
        family=Family.SEGMENT,
        presets=presets(path="reject reject repair"),
        actions=actions(path="allow report repair reject"),
        found_by="_normalizer/path_edits",
        patterns=octets(path=rb"(?<=/)\.{1,2}" + END + rb"(?:/\.{1,2}" + END + rb")*+"),
        text={"/": r"(?<=/)\.{1,2}(?=/|\Z)(?:/\.{1,2}(?=/|\Z))*+"},
        trigger={b"/": rb"\.\.?(?:/|\Z)"},
        repair=Repair(
            summary="resolved; refused if it leads above the root or over an empty segment",
        ),
        hidden_in=views("cleaned unescaped"),
        if_allowed="The application resolves each path before it compares or opens it.",
        if_edited="Whatever judges paths in front of postel resolves them in the same way.",
        never_meant=components("path"),
        reference="RFC 3986, section 5.2.4; CVE-2024-23334",
        example=octets(path=b"/x/../admin"),
        near_miss=octets(path=b"/x/..a/admin"),
    )
    ENCODED_DOT_SEGMENT = Check(
        slug="encoded-dot-segment",
        summary="a dot segment that is escaped or has a parameter",
        family=Family.SEGMENT,
        presets=presets(path="reject reject reject"),
        actions=actions(path="reject"),
        patterns=octets(path=rb"(?<=/)" + DOT + b"{1,2}+" + rb"(?=/|\Z|;|%3[Bb])"),
        text={"/": rf"(?<=/)[{both('.')}]{{1,2}}+(?=[/{both(';')}]|\Z)"},
        trigger={b"/": rb"\.(?:\.|%2[Ee])?(?:/|\Z|;|%3[Bb])|%2[Ee](?:\.|%2[Ee])?(?:/|\Z|;|%3[Bb])"},
        hidden_in=views("decoded rewritten cleaned unescaped"),
        if_allowed="",
        reference="URL Standard, section 4.4; CVE-2021-41773; CVE-2020-5902",
        example=octets(path=b"/x/%2e%2e/admin"),
        near_miss=octets(path=b"/x/%2e%2ea/admin"),
    )
    LEADING_SLASHES = Check(
        slug="leading-slashes",
        summary="more than one leading slash; a redirect to such a path leads to another host",
        family=Family.SEGMENT,
        presets=presets(path="reject reject repair"),
        actions=actions(path="allow report repair reject"),
        patterns=octets(path=rb"\A/(?:/++|(?=\\))"),
        text={"/": r"\A/(?:/++|(?=\\))"},
        trigger={b"/": rb"/|\\"},
        repair=Repair(summary="reduced to one slash", replacement=repairs.to_one_slash),
        hidden_in=views("decoded cleaned unescaped merged"),
        if_allowed="The application does not write the path into a Location, and no guard compares it.",
        if_edited="Nothing in front of postel judges paths.",
        reference="RFC 3986, section 4.2; CVE-2018-14574; CVE-2021-21330",
        example=octets(path=b"//admin"),
        near_miss=octets(path=b"/admin/"),
    )
    EMPTY_SEGMENT = Check(
        slug="empty-segment",
        summary="consecutive slashes inside a path",
        family=Family.SEGMENT,
        presets=presets(path="reject reject repair"),
        actions=actions(path="allow report repair reject"),
        patterns=octets(path=rb"(?<=[^/]/)/++"),
        text={"/": "(?<=[^/]/)/++"},
        trigger={b"/": b"/"},
        repair=Repair(summary="merged", replacement=repairs.remove),
        hidden_in=views("cleaned unescaped"),
        if_allowed="Guards and the router agree on whether '//' equals '/'.",
        if_edited="No path holds a URL ('/proxy/https://...'); nothing in front of postel judges paths.",
        reference="RFC 3986, section 3.3",
        example=octets(path=b"/a//b"),
        near_miss=octets(path=b"/a/b/"),
    )
    PATH_PARAMETER = Check(
        slug="path-parameter",
        summary="a bare semicolon in a path, at which some servers cut the segment",
        family=Family.SEGMENT,
        presets=presets(path="reject allow allow"),
        actions=actions(path="allow report repair reject"),
        patterns=octets(path=rb";"),
        text={";": ";"},
        trigger={b";": b""},
        repair=Repair(summary="cut up to the next slash", replacement=repairs.remove, pattern=rb";[^/]*+"),
        if_allowed="The proxy in front and the application agree on whether to cut segments at ';'.",
        if_edited="No client uses path parameters, and nothing in front of postel judges paths.",
        reference="RFC 3986, section 3.3; CVE-2018-11759",
        example=octets(path=b"/admin;x/panel"),
        near_miss=octets(path=b"/admin,x/panel"),
    )
    DEVICE_NAME = Check(
        slug="device-name",
        summary="a segment that is a device or a drive on Windows, or has a stream '::$'",
        family=Family.SEGMENT,
        presets=presets(path="reject report allow"),
        actions=actions(path="allow report reject"),
        patterns=octets(path=b"(?<=/)(?:" + DEVICE + b"|" + DRIVE + rb")|(?::|%3[Aa]){2}(?:\$|%24)"),
        text={
            "/": rf"(?<=/)(?:(?:{DEVICE_TEXT})(?=[/{both('.: ;')}]|\Z)"
            rf"|[{both('A-Za-z')}][{both(':')}](?=/|\Z))",
            both(":"): rf"[{both(':')}]{{2}}[{both('$')}]",
        },
        trigger={
            # Most segments begin with four letters, and fail before names are compared. CONIN$ and CONOUT$
            # are recognised by their last octets.
            b"/": rb"[AaCcLlNnPp](?![A-Za-z_-]{3})[OoPpRrUu][LlMmNnTtXx]"
            rb"(?<=[Cc][Oo][MmNn]|[Pp][Rr][Nn]|[Aa][Uu][Xx]|[Nn][Uu][Ll]|[Ll][Pp][Tt])",
            b"$": rb"(?<=[NnTtEe4]\$)(?:[/.: ;%]|\Z)",
            b":": rb"/|\Z|(?::|%3[Aa])(?:\$|%24)",
            b"%": rb"[46][13CcEe](?<=/%..)|[57]0(?<=/%..)|[46][C-Fc-f]"
            + SECOND_OR_THIRD
            + rb"|[57][02458]"
            + SECOND_OR_THIRD
            + rb"|24(?<=[NnTtEe4]%24)(?:[/.: ;%]|\Z)"
            rb"|3[Aa](?:/|\Z|(?::|%3[Aa])(?:\$|%24))",
        },
        if_allowed="The application does not open files on Windows by this path.",
        reference="CVE-2025-66221; CWE-67; CWE-69",
        example=octets(path=b"/static/CON.txt"),
        near_miss=octets(path=b"/static/CONE.txt"),
    )
    TRAILING_DOT_OR_SPACE = Check(
        slug="trailing-dot-or-space",
        summary="a segment that ends in a dot or a space, which Windows drops",
        family=Family.SEGMENT,
        presets=presets(path="reject report allow"),
        actions=actions(path="allow report reject"),
        patterns=octets(path=rb"(?<![. ])(?<!%2[Ee])(?<!%20)(?:[. ]|%2[Ee]|%20)++" + END),
        text={both(". "): rf"(?<![{both('. ')}])[{both('. ')}]++(?=/|\Z)"},
        trigger={b".": END, b"%": b"2[0Ee]" + END, b" ": END},
        if_allowed="The application does not open files on Windows by this path.",
        reference="CWE-42; CWE-46",
        example=octets(path=b"/admin."),
        near_miss=octets(path=b"/.admin"),
    )

    # -- pairs -----------------------------------------------------------------------------------------------

    EMPTY_PAIR = Check(
        slug="empty-pair",
        summary="two ampersands in a row, or one at either end",
        family=Family.PAIR,
        presets=presets(pairs="reject allow allow"),
        actions=actions(pairs="allow report repair reject"),
        found_by="_normalizer/pair_matches",
        trigger={b"": b"&", b"&": rb"&|\Z"},
        repair=Repair(summary="removes the ampersand"),
        if_allowed="Every reader of the query skips empty pairs.",
        if_edited="No signature covers the query as sent.",
        reference="URL Standard, urlencoded parsing",
        example=octets(pairs=b"&a=1"),
        near_miss=octets(pairs=b"a=1&b=2"),
    )
    EMPTY_NAME = Check(
        slug="empty-name",
        summary="a value without a name",
        family=Family.PAIR,
        presets=presets(pairs="reject report allow"),
        actions=actions(pairs="allow report drop-pair reject"),
        patterns=octets(pairs=rb"=(?:(?<=&=)|(?<=\A=))"),
        trigger={b"": b"=", b"&": b"="},
        if_allowed="Every reader of the query accepts a parameter with an empty name.",
        if_edited="The application can do without the parameter.",
        reference="URL Standard, urlencoded parsing",
        example=octets(pairs=b"=b"),
        near_miss=octets(pairs=b"b="),
    )
    DUPLICATE_NAME = Check(
        slug="duplicate-name",
        summary="a name that an earlier pair or member already has",
        family=Family.TEXT,
        presets=presets(pairs="allow allow allow", json="reject reject report"),
        actions=actions(pairs="allow report repair reject", json="allow report reject"),
        found_by="_normalizer/pair_grammar",
        trigger={b"&": b""},
        repair=Repair(summary="keeps only the first pair with the name, or only the last: Policy.keeping"),
        if_allowed="Every reader of a repeated parameter or member uses the same one of its values.",
        if_edited="No form or link of yours needs to repeat a name.",
        reference="CWE-235; OWASP WSTG-INPV-04",
        example=octets(pairs=b"a=1&%61=2", json=b'{"a": 1, "\\u0061": 2}'),
        near_miss=octets(pairs=b"a=1&A=2", json=b'{"a": 1, "A": 2}'),
    )
    NOT_NFC = Check(
        slug="not-nfc",
        summary="text that is not in Unicode's normalization form C, in a part without ill-formed UTF-8",
        family=Family.TEXT,
        presets=presets(path="allow allow allow", pairs="allow allow allow"),
        actions=actions(path="allow report repair reject", pairs="allow report repair drop-pair reject"),
        found_by="_normalizer/pair_matches",
        one_of=COMPOSING,
        repair=Repair(summary="composed; never folded (NFKC)"),
        if_allowed="Text from URLs is composed before it is compared with stored text.",
        if_edited="All stored names are in form C.",
        reference="Unicode, UAX #15; RFC 3987, section 5.3.2.2",
        example=octets(path=b"/cafe%CC%81", pairs=b"q=cafe%CC%81"),
        near_miss=octets(path=b"/caf%C3%A9", pairs=b"q=caf%C3%A9"),
    )
    LONE_NEWLINE = Check(
        slug="lone-newline",
        summary="an escaped CR without LF or LF without CR, which browsers never send",
        family=Family.PAIR,
        presets=presets(form="repair allow allow"),
        actions=actions(form="allow report repair reject"),
        found_by="_normalizer/pair_edits",
        patterns=octets(form=LONE_NEWLINE + rb"++"),
        trigger={b"%": rb"0[Dd](?!%0[Aa])|0[Aa](?<!%0[Dd]%..)"},
        repair=Repair(summary="replaced with CR LF, as HTML requires"),
        if_allowed="Code that compares or counts lines recognises CR, LF and CR LF.",
        if_edited="No signature covers the values of the form.",
        reference="HTML, section 4.10.21.4 (constructing the entry list)",
        example=octets(form=b"q=a%0Ab"),
        near_miss=octets(form=b"q=a%0D%0Ab"),
    )
    OUTSIDE_ACCEPTED_RANGE = Check(
        slug="outside-accepted-range",
        summary="a character outside the range set with Policy.accepting",
        family=Family.TEXT,
        presets=presets(path="reject reject reject", pairs="reject reject drop-pair"),
        actions=actions(path="report reject", pairs="report drop-pair reject"),
        found_by="_normalizer/pair_grammar",
        in_proof=True,  # proofs accept only characters of the range
        if_allowed="The application accepts any character; those outside the range are only reported.",
        if_edited="The application can do without the parameter.",
        reference="Policy.accepting",
        example=octets(path=b"/%E8%B5%B7", pairs=b"q=%E8%B5%B7"),
        near_miss=octets(path=b"/%C3%84", pairs=b"q=%C3%84"),
    )

    FOREIGN_REFERENCE = Check(
        slug="foreign-reference",
        summary="a value that leads to another site, in a parameter named in Policy.local",
        family=Family.TEXT,
        presets=presets(pairs="allow allow allow"),
        actions=actions(pairs="allow report drop-pair reject"),
        found_by="_normalizer/pair_matches",
        trigger={b"=": NOT_PLAINLY_LOCAL},
        if_allowed="Nothing redirects or links to the value, or the application checks it itself.",
        if_edited="The application can do without the parameter.",
        reference="CWE-601; RFC 3986, section 4.2; URL Standard, section 4.4",
        example=octets(pairs=b"next=/%09/evil.example"),
        near_miss=octets(pairs=b"next=/cart?x=1%26y=%252F"),
    )

    # -- how octets are written ------------------------------------------------------------------------------

    RAW_NON_ASCII = Check(
        slug="raw-non-ascii",
        summary="well-formed UTF-8 that is not escaped",
        family=Family.WRITING,
        presets=presets(path="reject repair repair", pairs="reject repair repair"),
        actions=actions(path="allow report repair reject", pairs="allow report repair reject"),
        found_by="_normalizer/writing",
        patterns=octets(path=NON_ASCII, pairs=NON_ASCII),
        in_proof=True,
        repair=Repair(summary="escaped"),
        hidden_in=views("decoded rewritten cleaned unescaped escaped merged"),
        if_allowed="Every reader of the URL decodes bare octets as UTF-8.",
        if_edited="Clients that send bare octets send UTF-8.",
        reference="RFC 3986, section 2.5; RFC 3987, section 3.1",
        example=octets(path="/caf\u00e9".encode(), pairs="q=\u00e9".encode()),
        near_miss=octets(path=b"/caf%C3%A9", pairs=b"q=%C3%A9"),
    )
    SPELLING = Check(
        slug="spelling",
        summary="an escape in lower-case hex or of an unreserved character; '+' for a space",
        family=Family.WRITING,
        presets=presets(path="repair repair repair", pairs="repair allow allow"),
        actions=actions(path="allow report repair reject", pairs="allow report repair reject"),
        found_by="_normalizer/writing",
        patterns=octets(
            path=MISSPELLED.pattern + b"(?:" + MISSPELLED.pattern + b")*+",
            pairs=PLUS_TOO + PLUS_TOO + b"*+",
        ),
        in_proof=True,
        repair=Repair(
            summary="spelled canonically: upper-case hex, unreserved characters bare; in a query or form, "
            "a space as '%20'",
        ),
        hidden_in=views("decoded rewritten cleaned unescaped"),
        if_allowed="Nothing compares or signs the URL as text.",
        if_edited="Code that verifies signatures reads the received octets from the report.",
        reference="RFC 3986, sections 6.2.2.1 and 6.2.2.2",
        example=octets(path=b"/%7euser", pairs=b"q=%c3%a4"),
        near_miss=octets(path=b"/~user", pairs=b"q=%C3%A4"),
    )

    # -- views and limits ------------------------------------------------------------------------------------

    VIEWS_DISAGREE = Check(
        slug="views-disagree",
        summary="the server's decoded view differs from what was received",
        family=Family.MESSAGE,
        presets=presets(path="reject report report", query="reject report report"),
        actions=actions(path="report reject", query="report reject"),
        found_by="_middleware/views",
        hidden_in=views("decoded"),
        if_allowed="You trust all code that rewrites URLs between the server and the application.",
        reference="PEP 3333; ASGI, HTTP connection scope",
        example=octets(path=b"/received", query=b"received=1"),
        near_miss=octets(path=b"/", query=b""),
    )
    PREFIX_MISMATCH = Check(
        slug="prefix-mismatch",
        summary="a prefix (SCRIPT_NAME, root_path) that is not a clean path or not the expected one",
        family=Family.MESSAGE,
        presets=presets(path="reject reject reject"),
        actions=actions(path="reject"),
        found_by="_normalizer/normalizer",
        if_allowed="",
        reference="PEP 3333; RFC 3986, section 3.3",
        example=octets(path=b"/"),
        near_miss=octets(path=b"/"),
    )
    ROUTE_MISMATCH = Check(
        slug="route-mismatch",
        summary="a path in another route after its repair, or for readers that merge slashes or resolve dots",
        family=Family.MESSAGE,
        presets=presets(path="reject reject reject"),
        actions=actions(path="reject"),
        found_by="_normalizer/routes",
        if_allowed="",
        reference="RFC 3986, section 6.2.2.3",
        example=octets(path=b"/route/../elsewhere"),
        near_miss=octets(path=b"/route/elsewhere"),
    )
    TOO_LONG = Check(
        slug="too-long",
        status=414,
        summary="more octets in path and query than Limits.octets",
        family=Family.LIMIT,
        presets=presets(path="reject reject reject", query="reject reject reject"),
        actions=actions(path="reject", query="reject"),
        found_by="_normalizer/normalizer",
        limit="octets",
        if_allowed="",
        reference="RFC 9110, section 4.1 (8000 octets at least)",
        example=octets(path=b"/" + b"a" * 8192, query=b"a" * 8192),
        near_miss=octets(path=b"/" + b"a" * 8191, query=b"a" * 8191),
    )
    TOO_MANY_SEGMENTS = Check(
        slug="too-many-segments",
        summary="more segments in the path than Limits.segments",
        family=Family.LIMIT,
        presets=presets(path="reject reject reject"),
        actions=actions(path="reject"),
        found_by="_normalizer/part_limits",
        limit="segments",
        if_allowed="",
        reference="Limits",
        example=octets(path=b"/a" * 257),
        near_miss=octets(path=b"/a" * 256),
    )
    LONG_SEGMENT = Check(
        slug="long-segment",
        status=414,
        summary="a segment of the path with more octets than Limits.segment",
        family=Family.LIMIT,
        presets=presets(path="reject reject reject"),
        actions=actions(path="reject"),
        found_by="_normalizer/part_limits",
        limit="segment",
        if_allowed="",
        reference="Limits; POSIX.1-2017, limits.h (NAME_MAX)",
        example=octets(path=b"/" + b"a" * 256),
        near_miss=octets(path=b"/" + b"a" * 255),
    )
    TOO_MANY_PAIRS = Check(
        slug="too-many-pairs",
        summary="more pairs than Limits.pairs, or more parts than Forms.parts",
        family=Family.LIMIT,
        presets=presets(pairs="reject reject reject"),
        actions=actions(pairs="reject"),
        found_by="_normalizer/part_limits",
        limit="pairs",
        if_allowed="",
        reference="Limits; CVE-2011-4461",
        example=octets(pairs=b"&".join([b"a"] * 1001)),
        near_miss=octets(pairs=b"&".join([b"a"] * 1000)),
    )
    LONG_NAME = Check(
        slug="long-name",
        summary="a name of more octets than Limits.name, or Json.name in JSON",
        family=Family.LIMIT,
        presets=presets(pairs="reject reject reject", json="reject reject reject"),
        actions=actions(pairs="reject", json="reject"),
        found_by="_normalizer/part_limits",
        limit="name",
        if_allowed="",
        reference="Limits",
        example=octets(pairs=b"a" * 2049 + b"=1", json=b'{"' + b"a" * 2049 + b'": 1}'),
        near_miss=octets(pairs=b"a" * 2048 + b"=1", json=b'{"' + b"a" * 2048 + b'": 1}'),
    )
    LONG_VALUE = Check(
        slug="long-value",
        summary="a value of more octets than Limits.value, Limits.form_value or Json.string",
        family=Family.LIMIT,
        presets=presets(pairs="reject reject reject", json="reject reject reject"),
        actions=actions(pairs="reject", json="reject"),
        found_by="_normalizer/part_limits",
        limit="value",
        if_allowed="",
        reference="Limits",
        example=octets(query=b"a=" + b"b" * 8193, form=b"a=" + b"b" * 65_537, json=b'"' + b"a" * 1025 + b'"'),
        near_miss=octets(pairs=b"a=b", json=b'"' + b"a" * 1024 + b'"'),
    )

    TOO_DEEP = Check(
        slug="too-deep",
        summary="a name with more opening brackets than Limits.depth",
        family=Family.LIMIT,
        presets=presets(pairs="reject reject reject"),
        actions=actions(pairs="reject"),
        found_by="_normalizer/part_limits",
        limit="depth",
        if_allowed="",
        reference="Limits; CVE-2022-24999",
        example=octets(pairs=b"a" + b"%5Bb%5D" * 33 + b"=1"),
        near_miss=octets(pairs=b"a" + b"%5Bb%5D" * 32 + b"=1"),
    )

    # -- Host ------------------------------------------------------------------------------------------------

    MALFORMED_HOST = Check(
        slug="malformed-host",
        summary="a Host that is malformed, repeated or missing",
        family=Family.FIELD,
        presets=presets(host="reject reject reject"),
        actions=actions(host="allow report reject"),
        found_by="_middleware/header_findings",
        if_allowed="Nothing builds a URL from the Host; a '/' in it would begin the path.",
        reference="RFC 9112, section 3.2; RFC 3986, section 3.2.2; RFC 1035, section 2.3.4; CVE-2026-48710",
        example=octets(host=b"example.com/docs?"),
        near_miss=octets(host=b"example.com:443"),
    )
    MISSING_HOST = Check(
        slug="missing-host",
        summary="no Host in HTTP/1.0 or older, as in health checks of load balancers",
        family=Family.FIELD,
        presets=presets(host="report report report"),
        actions=actions(host="allow report reject"),
        found_by="_middleware/header_findings",
        if_allowed="Nothing chooses a site by the Host, and the server's own substitute is acceptable.",
        reference="RFC 9112, section 3.2",
        example=octets(host=b""),
        near_miss=octets(host=b"example.com"),
    )
    UNKNOWN_HOST = Check(
        slug="unknown-host",
        status=421,
        summary="a Host that is not listed in hosts=",
        family=Family.FIELD,
        presets=presets(host="reject reject reject"),
        actions=actions(host="report reject"),
        found_by="_middleware/header_findings",
        if_allowed="No link, redirect or cache key is built from the Host; unknown hosts are only reported.",
        reference="RFC 9110, section 15.5.20; CWE-644",
        example=octets(host=b"evil.example"),
        near_miss=octets(host=b"www.example.com"),
    )
    UPPERCASE_HOST = Check(
        slug="uppercase-host",
        summary="an upper-case letter in a Host, which routers and guards may compare with its case",
        family=Family.FIELD,
        presets=presets(host="repair repair repair"),
        actions=actions(host="allow report repair reject"),
        found_by="_middleware/header_findings",
        repair=Repair(summary="written in lower case, as browsers send it"),
        if_allowed="Every router and guard compares the Host without case.",
        if_edited="Nothing in front of postel tells hosts apart by their case.",
        reference="RFC 9110, section 4.2.3; RFC 3986, section 6.2.2.1; URL Standard, host parsing",
        example=octets(host=b"ADMIN.example.com"),
        near_miss=octets(host=b"admin.example.com"),
    )

    # -- Content-Type ----------------------------------------------------------------------------------------

    MALFORMED_CONTENT_TYPE = Check(
        slug="malformed-content-type",
        status=415,
        summary="a Content-Type that is not a plain media type, lacks a boundary or is repeated",
        family=Family.FIELD,
        presets=presets(
            content_type="reject report report", form="reject reject reject", json="reject reject reject"
        ),
        actions=actions(content_type="allow report reject", form="reject", json="reject"),
        found_by="_middleware/header_findings",
        if_allowed="The application does not use the Content-Type to decide how to read a body.",
        reference="RFC 9110, section 8.3.1; RFC 2046, section 5.1.1",
        example=octets(content_type=b"application / json", form=b"q=1", json=b"1"),
        near_miss=octets(content_type=b"application/json; charset=utf-8", form=b"q=1", json=b"1"),
    )
    STEERING_CHARSET = Check(
        slug="steering-charset",
        status=415,
        summary="a charset in Content-Type that changes how the query is read, or makes reading fail",
        family=Family.FIELD,
        presets=presets(content_type="reject reject reject"),
        actions=actions(content_type="report reject"),
        found_by="_bodies/charset_steering",
        if_allowed="The application is not Django, which decodes the query in this charset.",
        reference="RFC 7578, section 5.1.2; Django, HttpRequest.encoding",
        example=octets(content_type=b"text/plain; charset=x; charset*=utf-7''y"),
        near_miss=octets(content_type=b"text/plain; charset=x; name*=utf-8''y"),
    )
    FOREIGN_CHARSET = Check(
        slug="foreign-charset",
        status=415,
        summary="a charset other than UTF-8 in Content-Type that does not change how the query is read",
        family=Family.FIELD,
        presets=presets(content_type="report report report"),
        actions=actions(content_type="allow report reject"),
        found_by="_bodies/charset_steering",
        if_allowed="The application reads such bodies in their stated charset, or not at all.",
        reference="RFC 9110, section 8.3.2",
        example=octets(content_type=b"text/plain; charset=iso-8859-1"),
        near_miss=octets(content_type=b"text/plain; charset=utf-8"),
    )

    # -- the names of header fields --------------------------------------------------------------------------

    MERGED_HEADER_NAMES = Check(
        slug="merged-header-names",
        summary="two header names that become one if '_' is read as '-'",
        family=Family.FIELD,
        presets=presets(headers="reject reject reject"),
        actions=actions(headers="report reject"),
        found_by="_http/header_names",
        if_allowed="No reader of headers reads '_' as '-' (WSGI does), or no proxy sets either header.",
        reference="RFC 3875, section 4.1.18; CVE-2026-3902",
        example=octets(headers=b"x-forwarded-for, x_forwarded_for"),
        near_miss=octets(headers=b"x-forwarded-for, x-forwarded_host"),
    )
    UNDERSCORE_HEADER = Check(
        slug="underscore-header",
        summary="a header name with '_', which WSGI and similar interfaces read as '-'",
        family=Family.FIELD,
        presets=presets(headers="report report report"),
        actions=actions(headers="allow report reject"),
        found_by="_http/header_names",
        if_allowed="A proxy that sets or removes a header does so for both spellings of its name.",
        reference="RFC 3875, section 4.1.18; CVE-2026-3902",
        example=octets(headers=b"x_real_ip"),
        near_miss=octets(headers=b"x-real-ip"),
    )

    REROUTING_HEADER = Check(
        slug="rerouting-header",
        summary="X-Vhm-Root, which Pyramid puts in front of the path that it routes by",
        family=Family.FIELD,
        presets=presets(headers="reject reject reject"),
        actions=actions(headers="allow report reject"),
        names=frozenset({b"x-vhm-root"}),
        if_allowed="A proxy in front sets or removes the field in every request.",
        reference="Pyramid, virtual root support",
        example=octets(headers=b"host, x-vhm-root"),
        near_miss=octets(headers=b"host, x-vhm-host"),
    )
    TOO_MANY_FIELDS = Check(
        slug="too-many-fields",
        status=431,
        summary="more header fields than Limits.fields",
        family=Family.LIMIT,
        presets=presets(headers="reject reject reject"),
        actions=actions(headers="reject"),
        found_by="_middleware/header_findings",
        limit="fields",
        if_allowed="",
        reference="RFC 6585, section 5",
        example=octets(headers=b", ".join([b"a"] * 1001)),
        near_miss=octets(headers=b", ".join([b"a"] * 1000)),
    )
    SPLIT_COOKIE = Check(
        slug="split-cookie",
        summary="more than one Cookie field, as HTTP/2 allows; readers join them in different ways",
        family=Family.FIELD,
        presets=presets(headers="repair repair repair"),
        actions=actions(headers="allow report repair reject"),
        found_by="_http/header_names",
        repair=Repair(summary="joined into one field with '; '"),
        if_allowed="Every reader of cookies joins the fields with '; ', as HTTP/2 requires.",
        if_edited="The application does not count the fields.",
        reference="RFC 9113, section 8.2.3; RFC 6265, section 5.4",
        example=octets(headers=b"cookie, cookie"),
        near_miss=octets(headers=b"cookie, cookie2"),
    )

    # -- Cookie: the setting headers= chooses the action, not a policy ---------------------------------------

    PADDED_COOKIE_NAME = Check(
        slug="padded-cookie-name",
        summary="a cookie name with Unicode white space around it, which frameworks strip",
        family=Family.FIELD,
        presets=presets(cookie="allow allow allow"),
        actions=actions(cookie="allow report drop-pair reject"),
        found_by="_http/fields",
        if_allowed="No reader of cookies strips more than spaces and tabs, or no cookie affects security.",
        if_edited="The application can do without the cookie.",
        reference="RFC 6265, section 4.1.1; RFC 9110, section 5.6.2",
        example=octets(cookie="\u2003__Host-session=1".encode()),
        near_miss=octets(cookie=b"__Host-session=1"),
    )
    REPEATED_COOKIE = Check(
        slug="repeated-cookie",
        summary="a cookie with a prefix that browsers guard, such as __Host-, repeated or in another cookie",
        family=Family.FIELD,
        presets=presets(cookie="allow allow allow"),
        actions=actions(cookie="allow report drop-pair reject"),
        found_by="_http/fields",
        if_allowed="It does not matter which copy the application reads, or who set it.",
        if_edited="The application can do without the cookie; all copies are dropped.",
        reference="RFC 6265bis, section 4.1.3; CVE-2020-8184",
        example=octets(cookie=b"__Host-session=1; __host-session=2"),
        near_miss=octets(cookie=b"__Host-session=1; __Host-token=2"),
    )
    LONG_FIELD = Check(
        slug="long-field",
        status=431,
        summary="more octets of Cookie or Referer than Limits.field",
        family=Family.LIMIT,
        presets=presets(cookie="allow allow allow"),
        actions=actions(cookie="allow report reject"),
        found_by="_http/fields",
        limit="field",
        if_allowed="The application reads the field safely, whatever it holds; a long field is not judged.",
        reference="RFC 6585, section 5",
        example=octets(cookie=b"a" * 32769),
        near_miss=octets(cookie=b"a" * 32768),
    )

    # -- the body of a form ----------------------------------------------------------------------------------

    FORM_CODING = Check(
        slug="form-coding",
        status=415,
        summary="a form that is compressed or in a charset other than UTF-8",
        family=Family.MESSAGE,
        presets=presets(form="reject reject reject"),
        actions=actions(form="reject"),
        found_by="_bodies/body",
        if_allowed="",
        reference="URL Standard, section 5; HTML, section 4.10.21.5; RFC 9110, section 15.5.16",
        example=octets(form=b"_charset_=utf-16"),
        near_miss=octets(form=b"_charset_=utf-8"),
    )
    WRONG_LENGTH = Check(
        slug="wrong-length",
        summary="a body that is shorter or longer than its Content-Length, or breaks off",
        family=Family.MESSAGE,
        presets=presets(form="reject reject reject", json="reject reject reject"),
        actions=actions(form="reject", json="reject"),
        found_by="_bodies/body",
        if_allowed="",
        reference="RFC 9112, section 8",
        example=octets(form=b"q=1", json=b"1"),
        near_miss=octets(form=b"q=1", json=b"1"),
    )
    LONG_FORM = Check(
        slug="long-form",
        status=413,
        summary="a form of more octets than Forms.limit or Forms.upload",
        family=Family.MESSAGE,
        presets=presets(form="reject reject reject"),
        actions=actions(form="reject"),
        found_by="_bodies/body",
        if_allowed="",
        reference="RFC 9110, section 15.5.14; Forms.limit",
        example=octets(form=b"q=1"),
        near_miss=octets(form=b"q=1"),
    )

    SPOOL_FULL = Check(
        slug="spool-full",
        status=503,
        summary="an upload for which the server has no room in memory or on disk",
        family=Family.MESSAGE,
        presets=presets(form="reject reject reject"),
        actions=actions(form="reject"),
        found_by="_bodies/body",
        if_allowed="",
        reference="RFC 9110, section 15.6.4; Forms.spool_limit; Forms.spool_dir",
        example=octets(form=b"--x--"),
        near_miss=octets(form=b"--x--"),
    )

    UNJUDGED_BODY = Check(
        slug="unjudged-body",
        status=415,
        summary="a body of a refused type, or a form that would need a repair but is signed or holds JSON",
        family=Family.MESSAGE,
        presets=presets(form="reject reject reject", json="reject reject reject"),
        actions=actions(form="reject", json="reject"),
        found_by="_bodies/body",
        if_allowed="",
        reference="RFC 9110, section 15.5.16; Forms.multipart; Forms.others; Json.others",
        example=octets(form=b"--x--", json=b"--x--"),
        near_miss=octets(form=b"q=1", json=b"1"),
    )
    UNTYPED_FORM = Check(
        slug="untyped-form",
        status=415,
        summary="a POST with a body and no Content-Type, which WebOb reads as a form",
        family=Family.MESSAGE,
        presets=presets(form="report report report"),
        actions=actions(form="allow report reject"),
        found_by="_bodies/body",
        if_allowed="No view reads the form of a request that has no Content-Type.",
        reference="RFC 9110, section 8.3; WebOb, BaseRequest.POST",
        example=octets(form=b"q=1"),
        near_miss=octets(form=b"q=1"),
    )

    # -- multipart forms -------------------------------------------------------------------------------------

    MULTIPART_SYNTAX = Check(
        slug="multipart-syntax",
        summary="parts that parsers delimit in different ways: padding, bare line feeds, text around them",
        family=Family.MESSAGE,
        presets=presets(form="reject reject reject"),
        actions=actions(form="reject"),
        found_by="_bodies/parts",
        if_allowed="",
        reference="RFC 2046, section 5.1.1; RFC 7578, section 4.1",
        example=octets(form=b"--x\n"),
        near_miss=octets(form=b"--x--\r\n"),
    )
    PART_HEADER = Check(
        slug="part-header",
        summary="a part without a name, or with header fields that parsers read in different ways",
        family=Family.MESSAGE,
        presets=presets(form="reject reject reject"),
        actions=actions(form="reject"),
        found_by="_bodies/parts",
        if_allowed="",
        reference="RFC 7578, section 4.2; RFC 2183",
        example=octets(
            form=b'--x\r\nContent-Disposition: form-data; name="a"; name="b"\r\n\r\n\r\n--x--\r\n'
        ),
        near_miss=octets(form=b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n--x--\r\n'),
    )
    PART_CODING = Check(
        slug="part-coding",
        status=415,
        summary="a part that is encoded, or in a charset other than UTF-8",
        family=Family.MESSAGE,
        presets=presets(form="reject reject reject"),
        actions=actions(form="reject"),
        found_by="_bodies/part_head",
        if_allowed="",
        reference="RFC 7578, sections 4.7 and 5.1.2",
        example=octets(
            form=b'--x\r\nContent-Disposition: form-data; name="a"\r\n'
            b"Content-Transfer-Encoding: base64\r\n\r\n\r\n--x--\r\n"
        ),
        near_miss=octets(form=b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n--x--\r\n'),
    )
    PART_SPELLING = Check(
        slug="part-spelling",
        summary="header fields of a part that are not spelled as browsers spell them",
        family=Family.MESSAGE,
        presets=presets(form="reject repair repair"),
        actions=actions(form="repair reject"),
        found_by="_bodies/multipart",
        repair=Repair(summary="spelled as browsers spell them; the content stays the same"),
        if_allowed="",
        if_edited="No signature is made over the body as sent.",
        reference="RFC 7578, section 4.2; HTML, section 4.10.21.8",
        example=octets(form=b"--x\r\ncontent-disposition: form-data; name=a\r\n\r\n\r\n--x--\r\n"),
        near_miss=octets(form=b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n--x--\r\n'),
    )
    FILENAME_PATH = Check(
        slug="filename-path",
        summary="a file name with a slash or backslash, a drive, or the name of a directory",
        family=Family.MESSAGE,
        presets=presets(form="reject reject reject"),
        actions=actions(form="report reject"),
        found_by="_bodies/part_names",
        if_allowed="Nothing stores a file under the name in the form; only Django cuts directories off it.",
        reference="RFC 7578, section 4.2; CWE-22; CVE-2021-28658",
        example=octets(
            form=b'--x\r\nContent-Disposition: form-data; name="a"; filename="../b"\r\n\r\n\r\n--x--\r\n'
        ),
        near_miss=octets(
            form=b'--x\r\nContent-Disposition: form-data; name="a"; filename="..b"\r\n\r\n\r\n--x--\r\n'
        ),
    )
    FILENAME_DEVICE = Check(
        slug="filename-device",
        summary="a file name that is a device on Windows, such as NUL.txt, or has a stream '::$'",
        family=Family.MESSAGE,
        presets=presets(form="reject report allow"),
        actions=actions(form="allow report reject"),
        found_by="_bodies/part_names",
        if_allowed="Nothing on Windows stores a file under a name that a client chose.",
        reference="CWE-67; CWE-69; CVE-2025-66221",
        example=octets(
            form=b'--x\r\nContent-Disposition: form-data; name="a"; filename="NUL"\r\n\r\n\r\n--x--\r\n'
        ),
        near_miss=octets(
            form=b'--x\r\nContent-Disposition: form-data; name="a"; filename="NULL"\r\n\r\n\r\n--x--\r\n'
        ),
    )

    # -- JSON ------------------------------------------------------------------------------------------------

    JSON_CODING = Check(
        slug="json-coding",
        status=415,
        summary="JSON that is compressed or in an encoding other than UTF-8",
        family=Family.MESSAGE,
        presets=presets(json="reject reject reject"),
        actions=actions(json="reject"),
        found_by="_bodies/body",
        if_allowed="",
        reference="RFC 8259, section 8.1; RFC 9110, section 15.5.16",
        example=octets(json=b"\xff\xfe1\0"),
        near_miss=octets(json=b"1"),
    )
    BYTE_ORDER_MARK = Check(
        slug="byte-order-mark",
        summary="U+FEFF in front of JSON, which some parsers skip and others refuse",
        family=Family.MESSAGE,
        presets=presets(json="reject repair repair"),
        actions=actions(json="repair reject"),
        found_by="_bodies/json",
        repair=Repair(summary="cut"),
        if_allowed="",
        if_edited="No signature is made over the body as sent, or Json.signed names its header.",
        reference="RFC 8259, section 8.1",
        example=octets(json=b"\xef\xbb\xbf1"),
        near_miss=octets(json=b'"\xef\xbb\xbf"'),
    )
    JSON_SYNTAX = Check(
        slug="json-syntax",
        summary="text that is not JSON: comments, NaN, 01, raw controls, an extra comma, or an empty body",
        family=Family.MESSAGE,
        presets=presets(json="reject reject reject"),
        actions=actions(json="reject"),
        found_by="_bodies/json_tokens",
        if_allowed="",
        reference="RFC 8259, section 2",
        example=octets(json=b"[1,]"),
        near_miss=octets(json=b"[1]"),
    )
    DEEP_JSON = Check(
        slug="deep-json",
        summary="more levels of arrays and objects than Json.depth",
        family=Family.MESSAGE,
        presets=presets(json="reject reject reject"),
        actions=actions(json="reject"),
        found_by="_bodies/json",
        if_allowed="",
        reference="RFC 8259, section 9; CWE-674; CVE-2024-27454",
        example=octets(json=b"[" * 101 + b"]" * 101),
        near_miss=octets(json=b"[" * 100 + b"]" * 100),
    )
    TOO_MANY_MEMBERS = Check(
        slug="too-many-members",
        summary="an object of more members than Json.members",
        family=Family.MESSAGE,
        presets=presets(json="reject reject reject"),
        actions=actions(json="reject"),
        found_by="_bodies/json_tokens",
        if_allowed="",
        reference="RFC 8259, section 9; Json.members",
        example=octets(json=b"{" + b",".join(map(b'"%d":0'.__mod__, range(10_001))) + b"}"),
        near_miss=octets(json=b"{" + b",".join(map(b'"%d":0'.__mod__, range(10_000))) + b"}"),
    )
    LONE_SURROGATE = Check(
        slug="lone-surrogate",
        summary="an escape of half a surrogate pair, which UTF-8 cannot represent",
        family=Family.MESSAGE,
        presets=presets(json="reject reject replace"),
        actions=actions(json="replace reject"),
        found_by="_bodies/json_escapes",
        if_allowed="",
        if_edited="Texts that differ only in the replaced characters never name different things.",
        reference="RFC 8259, section 8.2; RFC 7493, section 2.1",
        example=octets(json=b'"\\ud83d"'),
        near_miss=octets(json=b'"\\ud83d\\ude00"'),
    )
    LONG_NUMBER = Check(
        slug="long-number",
        summary="a number of more octets than Json.number",
        family=Family.MESSAGE,
        presets=presets(json="reject reject reject"),
        actions=actions(json="reject"),
        found_by="_bodies/json_scan",
        if_allowed="",
        reference="RFC 8259, section 9; CVE-2020-10735",
        example=octets(json=b"1" * 1001),
        near_miss=octets(json=b"1" * 1000),
    )
    INFINITE_NUMBER = Check(
        slug="infinite-number",
        summary="a number that is too large for a double: most parsers read infinity",
        family=Family.MESSAGE,
        presets=presets(json="reject reject reject"),
        actions=actions(json="report reject"),
        found_by="_bodies/json_scan",
        if_allowed="The application neither calculates with numbers from JSON nor writes them as JSON.",
        reference="RFC 8259, section 6; RFC 7493, section 2.2",
        example=octets(json=b"1e999"),
        near_miss=octets(json=b"1e-999"),
    )
    BIG_INTEGER = Check(
        slug="big-integer",
        summary="an integer beyond 64 bits, which some parsers round to a double",
        family=Family.MESSAGE,
        presets=presets(json="reject report report"),
        actions=actions(json="allow report reject"),
        found_by="_bodies/json_scan",
        if_allowed="Every reader of the number keeps all its digits; JavaScript and orjson do not.",
        reference="RFC 8259, section 6; RFC 7493, section 2.2",
        example=octets(json=b"18446744073709551616"),
        near_miss=octets(json=b"18446744073709551615"),
    )
    LONG_JSON = Check(
        slug="long-json",
        status=413,
        summary="a JSON body of more octets than Json.limit",
        family=Family.MESSAGE,
        presets=presets(json="reject reject reject"),
        actions=actions(json="reject"),
        found_by="_bodies/body",
        if_allowed="",
        reference="RFC 9110, section 15.5.14; Json.limit",
        example=octets(json=b"1"),
        near_miss=octets(json=b"1"),
    )

    # -- Location in a response: its action comes from the setting locations=, not from a policy -------------

    MALFORMED_LOCATION = Check(
        slug="malformed-location",
        status=403,
        summary="a Location that readers split differently, or that has a character not legal in a URL",
        family=Family.FIELD,
        presets=presets(location="allow allow allow"),
        actions=actions(location="allow report reject"),
        found_by="_http/locations",
        if_allowed="The application writes no value from a request into a Location without escaping it.",
        reference="RFC 9110, section 10.2.2; RFC 3986, section 4.1; CWE-113",
        example=octets(location=b"/\t/evil.example"),
        near_miss=octets(location=b"/%09/evil.example"),
    )
    FOREIGN_LOCATION = Check(
        slug="foreign-location",
        status=403,
        summary="a redirect to a host that is neither in hosts= nor an exception in Locations",
        family=Family.FIELD,
        presets=presets(location="allow allow allow"),
        actions=actions(location="allow report reject"),
        found_by="_http/locations",
        if_allowed="The application alone chooses the hosts to which it redirects.",
        reference="RFC 9110, section 15.4; CWE-601",
        example=octets(location=b"//evil.example"),
        near_miss=octets(location=b"/evil.example"),
    )

    check: Check
    """The row of the catalogue."""
    slug: str
    """The name of the kind in text."""
    index: int
    """The position in the order of precedence, from 0."""

    def __init__(self, check: Check) -> None:
        """Raise ValueError if the row is incomplete; set plain attributes, which are fast to read."""
        require_complete(check, self._name_)
        self.check = check
        self.slug = check.slug
        self.index = len(type(self).__members__)

    if TYPE_CHECKING:

        def __hash__(self) -> int: ...

    else:
        __hash__ = object.__hash__  # members are singletons, and the hash of Enum costs a Python call

    def __repr__(self) -> str:
        """The member as it is written: ``Kind.NUL``."""
        return f"Kind.{self.name}"

    def __reduce_ex__(self, protocol: object) -> tuple[object, ...]:
        """Pickle the slug, not the row."""
        return Kind.of, (self.slug,)

    @classmethod
    def _missing_(cls, value: object) -> Never:
        """Raise PolicyError, because ``Kind.of`` finds a kind by its slug."""
        raise PolicyError(f"Kind({value!r}): write Kind.of('nul') for the kind of a slug")

    @classmethod
    def of(cls, slug: str) -> Kind:
        """Return the kind with this slug. Raises :class:`PolicyError` if there is none."""
        given = cast("object", slug)
        if not isinstance(given, str):
            raise PolicyError(f"Kind.of({given!r}): write the slug of a kind, such as Kind.of('nul')")
        kind = cls.__members__.get(slug.replace("-", "_").upper())
        if kind is None or kind.slug != slug:
            raise PolicyError(nothing_named("kind", slug, _slugs(), "'postel kinds' lists them"))
        return kind


def hidden_in(view: View) -> frozenset[Kind]:
    """Return the kinds that a view hides.

    >>> Kind.ENCODED_SLASH in hidden_in(View.DECODED)
    True
    """
    return frozenset(kind for kind in Kind if view in kind.check.hidden_in)


def not_a_kind(given: object) -> str:
    """The message for a value in place of a kind.

    >>> not_a_kind("nul")
    "'nul' is not a Kind; write Kind.NUL"
    """
    near = nearest(str(given), _slugs())
    if near is None:
        return f"{given!r} is not a Kind; name kinds one by one, such as Kind.NUL, Kind.TAB"
    return f"{given!r} is not a Kind; write {Kind.of(near)!r}"


def _slugs() -> list[str]:
    return [kind.slug for kind in Kind]
