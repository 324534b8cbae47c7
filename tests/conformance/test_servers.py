"""How servers normalise a path: HAProxy, nghttp2, caddy, h2o, traefik, Rack, rack-protection, actix.

Each is compared with LENIENT, but the policy leaves what that server leaves unchanged. If a server works on a
decoded path, or also decodes slashes, postel decodes escaped slashes. If it decodes only unreserved
characters, raw paths are compared.
"""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import unquote

import pytest

from conformance.comparison import Answer, Question, unlike
from conformance.corpora import Case, text
from conformance.reading import (
    merged,
    pairs,
    path_text,
    raw_path,
    raw_target,
    received,
    rooted,
    spelled,
    undecoded,
    verdict,
    was_refused,
)
from postel import Kind, Policy, Target

SLASHES = (Kind.EMPTY_SEGMENT, Kind.LEADING_SLASHES)
MERGING = Policy.LENIENT
UNMERGED = Policy.LENIENT.allowing(*SLASHES)
DECODING = Policy.LENIENT.repairing(Kind.ENCODED_SLASH)
DECODING_UNMERGED = DECODING.allowing(*SLASHES)

HAPROXY = {
    "path-merge-slashes": MERGING,
    "path-strip-dotdot": UNMERGED,
    "path-strip-dotdot full": UNMERGED,
    "path-strip-dot": UNMERGED,
    "percent-to-uppercase": UNMERGED.repairing(Kind.SPELLING).allowing(Kind.MALFORMED_ESCAPE),
    "percent-to-uppercase strict": UNMERGED.repairing(Kind.SPELLING).rejecting(Kind.MALFORMED_ESCAPE),
    "percent-decode-unreserved": UNMERGED.repairing(Kind.SPELLING),
    "percent-decode-unreserved strict": UNMERGED.repairing(Kind.SPELLING).rejecting(Kind.MALFORMED_ESCAPE),
    "fragment-strip": UNMERGED,
    "fragment-strip (fragments not accepted)": Policy.STANDARD,
}
TRAEFIK_OPTIONS = {
    "EncodedSlash": Kind.ENCODED_SLASH,
    "EncodedBackSlash": Kind.ENCODED_BACKSLASH,
    "EncodedNullCharacter": Kind.NUL,
    "EncodedSemicolon": Kind.ENCODED_DELIMITER,
    "EncodedQuestionMark": Kind.ENCODED_DELIMITER,
    "EncodedHash": Kind.ENCODED_DELIMITER,
    "EncodedPercent": Kind.DOUBLE_ESCAPE,
}


def haproxy(case: Case) -> str:
    found = raw_target(HAPROXY[case["op"]], received(case.octets))
    if case.get("verdict") == "reject":
        return "" if was_refused(found) else f"expected a refusal, read {found!r}"
    return unlike(case["out"].removesuffix("?"), found)


def haproxy_decoded(case: Case) -> str:
    """Compare a decoded path, and a decoded query of one name without a value."""
    path, _, query = case["in"].partition("?")
    found = pairs(MERGING, query.encode())
    name = found if isinstance(found, str) else found[0][0]
    return unlike(case["out"], f"{path_text(DECODING, Target(path=path.encode()))}?{name}")


def nghttp2_path(case: Case) -> str:
    return unlike(case["out"], raw_target(MERGING, received(rooted(case["in"]).encode())))


def nghttp2_joined(case: Case) -> str:
    """Compare a reference: this module merges it with its base, and postel resolves dots and slashes.

    The last rows are those of RFC 3986, section 5.4, against the base of row 35, which the borrowed file
    omits in these rows.
    """
    base, reference = rooted(case["base"]), case["in"]
    if case.index > 35:
        base = "/b/c/d;p?q"
    # urllib would read "//alpha" as a host.
    path = reference if reference.startswith("//") else merged(base, reference)
    expected = case["out"].partition("?")[0]
    return unlike(expected, raw_path(MERGING, received(path.encode())))


def nghttp2_decoded(case: Case) -> str:
    return unlike("/" + case["out"], path_text(DECODING, Target(path=b"/" + case.octets)))


def caddy_joined(case: Case) -> str:
    """Compare the path of a file below a root, without the root."""
    found = path_text(DECODING_UNMERGED, Target(path=rooted(case["in"]).encode()))
    return unlike(rooted(case["out"].removeprefix(case["root"]).removeprefix(".")), found)


def caddy_clean(case: Case) -> str:
    policy = MERGING if case["merge_slashes"] else UNMERGED
    return unlike(case["out"], raw_path(policy, received(case.octets)))


def h2o(case: Case) -> str:
    path = case.octets if case["in"].startswith("/") else b"/" + case.octets
    return unlike(case["out"], path_text(DECODING_UNMERGED, received(path)))


def traefik(case: Case) -> str:
    """Compare the path that is passed on, and its decoded form."""
    found = raw_path(MERGING.rejecting(Kind.MALFORMED_ESCAPE), received(case.octets))
    if case.get("verdict") == "reject":
        return "" if was_refused(found) else f"expected a refusal, read {found!r}"
    return unlike((spelled(case["out"]), case.get("decoded", unquote(case["out"]))), (found, unquote(found)))


def traefik_policy(case: Case) -> str:
    """Compare the verdict: each option of Traefik allows one escape, for which postel has a kind."""
    policy = Policy.STRICT
    for option in case["allow"]:
        kind = TRAEFIK_OPTIONS[option]
        allow = policy.preserving if kind is Kind.ENCODED_SLASH else policy.allowing
        policy = allow(kind)
    return unlike(case["verdict"], verdict(policy, received(case.octets)))


def rack(case: Case) -> str:
    """Compare a clean path. Rack receives it decoded, so it is escaped for the comparison."""
    path = undecoded(rooted(case["in"]))
    return unlike(rooted(case["out"]), path_text(DECODING, Target(path=path)))


def rack_protection(case: Case) -> str:
    return unlike(case["out"], path_text(DECODING, received(case.octets)))


def actix(case: Case) -> str:
    """Compare a path that is decoded except for protected octets; postel can preserve only the slash."""
    policy = Policy.LENIENT if "/" in case["protected"] else DECODING
    found = path_text(policy.allowing(Kind.LINE_BREAK), Target(path=case.octets))
    return unlike(text(case["out"]).replace("%2f", "%2F"), found)


def of(source: str, *operations: str) -> Callable[[Case], bool]:
    return lambda case: case["src"] == source and case["op"] in operations


FILE = "server_path_normalizers"

QUESTIONS = [
    Question("haproxy_normalize_uri", "a target", haproxy, lambda case: case["op"] in HAPROXY),
    Question("haproxy_normalize_uri", "decoded", haproxy_decoded, lambda case: case["op"] == "url_dec"),
    Question(
        FILE,
        "nghttp2's path",
        nghttp2_path,
        of("nghttp2", "normalize_path", "clean_path_for_matching"),
    ),
    Question(FILE, "nghttp2's reference", nghttp2_joined, of("nghttp2", "path_join")),
    Question(FILE, "nghttp2's decoding", nghttp2_decoded, of("nghttp2", "percent_decode_lenient")),
    Question(FILE, "caddy's file", caddy_joined, of("caddy", "sanitized_path_join")),
    Question(FILE, "caddy's path", caddy_clean, of("caddy", "clean_path")),
    Question(FILE, "h2o's path", h2o, of("h2o", "decode_and_normalize_path")),
    Question(
        FILE,
        "traefik's path",
        traefik,
        of("traefik", "sanitize_path", "normalize_then_sanitize", "normalize_path"),
    ),
    Question(FILE, "traefik's options", traefik_policy, of("traefik", "encoded_character_policy")),
    Question(FILE, "Rack's path", rack, of("rack", "clean_path_info_decoded")),
    Question(FILE, "rack-protection's path", rack_protection, of("rack-protection", "path_traversal")),
    Question(FILE, "actix's path", actix, of("actix", "decode_except_protected")),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_rows_of_servers_agree_except_listed_ones(question: Question, answers: list[Answer]) -> None:
    answer = question.put()
    answers.append(answer)
    answer.check()
