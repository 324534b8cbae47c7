"""Hypothesis strategies: policies with any rules, and hostile targets."""

from __future__ import annotations

from hypothesis import strategies as st

from postel import ASCII, LATIN, Action, Characters, Component, Kind, Limits, Policy, Target

PRESETS = {"strict": Policy.STRICT, "standard": Policy.STANDARD, "lenient": Policy.LENIENT}

NAMES = ["q", "a*", "*", "utm_*", "tags[]", "é", "next"]

PATH_PIECES = [
    b"/", b"//", b".", b"..", b"/..", b"/./", b"a", b"b", b";", b";x=1", b"..;", b"\\", b"%5C", b"%5c",
    b"%2F", b"%2f", b"%2e", b"%2E", b"%25", b"%252e", b"%", b"%4", b"%zz", b"%u002e", b"%u002F", b"%ud83d",
    b"%ude00", b"%00", b"\0", b"%0a", b"%09", b"\t", b"%1B", b"%7F", b"%20", b" ", b"%C3", b"%84",
    b"%c3%a4", "ä".encode(), b"\xc3", b"\x84", b"\xff", b"%E2%80%AE", b"%E2%82", b"%AC", b"%ED%A0%80",
    b"%F4%90%80%80", b"%EF%BF%BE", b"%EF%BC%8F", b"%CD%BE", b"%E2%80%8B", b"%C2%85", b"%41", b"%7e", b"~",
    b"+", b"=", b"&", b"?", b"#", b"%23", b"%3F", b"%3B", b"{", b"|", b"[", b"]", b"con", b"CON.",
    b"%43on", b"http://h", b"*", b":80", b"%E8%B5%B7", b"e", b"%65", b"%CC%81", b"%CC%A7", b"%CC%B8",
    b"\xcc\x81", b"%3D", b"%2C", b"%34", b"%u", b"%u0034", b"%u0030", b"%u12", b"%uAB", b"%43", b"%2D",
    b"1", b"u", b"%75",
]  # fmt: skip
QUERY_PIECES = [
    *PATH_PIECES,
    b"q",
    b"q=",
    b"q=1",
    b"&",
    b"&&",
    b"=",
    b"a1=",
    b"utm_x=",
    b"tags[]=",
    b"%C3%A9=",
    "é=".encode(),
    b"e%CC%81=",
    b"%71=",
    b"q%E2%80%8B=",
    b"next=",
    b"next=//h",
    b"ne%78t=",
    b"https:",
    b"[[",
    b"%5B",
    b"%26",
    b"%3D",
    b"+",
]

octets = st.binary(max_size=12)


def _joined(pieces: list[bytes], most: int = 9) -> st.SearchStrategy[bytes]:
    return st.lists(st.one_of(st.sampled_from(pieces), octets), max_size=most).map(b"".join)


paths = st.one_of(_joined(PATH_PIECES).map(lambda path: b"/" + path), _joined(PATH_PIECES))
queries = _joined(QUERY_PIECES)
prefixes = st.sampled_from([b"", b"", b"", b"/sub", b"/a/b", b"/..", b"//x", b"/\xc3\xa4", b"/\xff", b"x"])
hosts = st.sampled_from([None, None, b"h", b"h:80", b"other"])
preserved = st.sampled_from([b"", b"", b"%/", b"%"])
targets = st.builds(Target, paths, queries, prefixes, hosts, preserved)

FORM_PIECES = [
    *QUERY_PIECES, b"a=%00", b"a=1", b"b", b"a=%C4", b"utm_x=%FF", b"%00", b"%0A", b"%0D%0A", b"%0D", b"&a&",
    b"&&&", b"_charset_=utf-8", b"_charset_=latin1", b"_charset_=",
]  # fmt: skip
PAIRED = [b"&", b"&", b"&", b"a=%00", b"a=%C4", b"b", b"a", b"%u0041", b"%zz", b"%00", b"=", b"%0A", b"%41"]
"""Pieces that edits remove or write between ampersands."""
forms = st.one_of(_joined(FORM_PIECES, 12), st.lists(st.sampled_from(PAIRED), max_size=9).map(b"".join))

characters = st.sampled_from(
    [ASCII, LATIN, Characters.of("ab"), LATIN - Characters.of("%+ "), Characters.of((0x80, 0x10FFFF))]
)


Rule = tuple[Kind, Component, Action]


def rules_of(*components: Component) -> list[Rule]:
    """Return every rule for some components."""
    return [
        (kind, component, action)
        for kind in Kind
        for component in components
        if component in kind.check.presets
        for action in sorted(kind.check.actions[component], key=lambda each: each.value)
    ]


RULES = rules_of(Component.PATH, Component.QUERY)
FORM_RULES = rules_of(Component.FORM)
ENTANGLED = [
    (kind, component, action)
    for kind, component, action in FORM_RULES
    if action in {Action.DROP, Action.DROP_PAIR}
    or kind in {Kind.EMPTY_PAIR, Kind.DUPLICATE_NAME, Kind.LONE_NEWLINE, Kind.SPELLING}
]
"""Rules for forms whose edits could overlap: those that drop, and those about pairs."""


@st.composite
def policies(draw: st.DrawFn, rules: list[Rule] = RULES) -> Policy:
    """Generate any preset with any number of rules of any kind."""
    policy = draw(st.sampled_from(list(PRESETS.values())))
    for _ in range(draw(st.integers(0, 6))):
        policy = draw(changed(policy, rules))
    return policy


form_policies = policies(FORM_RULES + 3 * ENTANGLED)


LEGACY = [
    b"q=",
    b"a1=",
    b"%71=",
    b"&",
    b"%C4",
    b"\xe4",
    b"%81",
    b"%8D",
    b"%83%5C",
    b"\x83A",
    b"a",
    b"%C3%84",
    b"%00",
    b"%22",
]
"""Pieces of text in older encodings, and pieces that edits remove from it."""
CHARSETS = st.sampled_from(
    ["windows-1252", "windows-1252", "koi8-r", "shift_jis", "gb18030", "iso-8859-2", "utf-8"]
)


@st.composite
def charset_policies(draw: st.DrawFn) -> Policy:
    """Generate any policy with charsets for some names."""
    policy = draw(policies())
    for _ in range(draw(st.integers(1, 3))):
        names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=2))
        policy = policy.charset(draw(CHARSETS), names=names)
    return policy


legacy_queries = st.one_of(
    queries,
    _joined([*LEGACY, *LEGACY, *QUERY_PIECES], 12),
    st.lists(st.sampled_from(LEGACY), max_size=12).map(b"".join),
)
legacy_targets = st.builds(Target, st.just(b"/"), legacy_queries)


@st.composite
def changed(draw: st.DrawFn, policy: Policy, rules: list[Rule] = RULES) -> Policy:
    """Generate a policy with one more rule."""
    kind, component, action = draw(st.sampled_from(rules))
    if draw(st.integers(0, 9)) == 0:
        names = None if component is Component.PATH else draw(st.one_of(st.none(), st.just(["q"])))
        return policy.accepting(draw(characters), on=component, names=names)
    if draw(st.integers(0, 9)) == 0:
        limits = draw(
            st.builds(
                Limits,
                segments=st.integers(1, 6),
                segment=st.one_of(st.none(), st.integers(1, 9)),
                pairs=st.integers(1, 4),
                name=st.integers(1, 9),
            )
        )
        return policy.limiting(
            segments=limits.segments, segment=limits.segment, pairs=limits.pairs, name=limits.name
        )
    names = draw(st.one_of(st.none(), st.lists(st.sampled_from(NAMES), min_size=1, max_size=2)))
    return with_rule(policy, kind, component, action, None if component is Component.PATH else names)


def with_rule(
    policy: Policy, kind: Kind, component: Component, action: Action, names: list[str] | None
) -> Policy:
    """Return the policy after a call of the method that sets the action."""
    method = {
        Action.ALLOW: policy.allowing,
        Action.REPORT: policy.reporting,
        Action.REPAIR: policy.repairing,
        Action.REPLACE: policy.replacing,
        Action.DROP: policy.dropping,
        Action.DROP_PAIR: policy.dropping_pairs,
        Action.REJECT: policy.rejecting,
    }
    if action is Action.PRESERVE:
        return policy.preserving(kind, on=component)
    return method[action](kind, on=component, names=names)
