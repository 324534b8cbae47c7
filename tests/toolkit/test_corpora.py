"""Cases of other projects, compared with the corresponding function of the toolkit.

Each disagreement is listed in ``disagreements.toml`` with its reason. An unlisted one fails, and so does a
listed one that agrees.
"""

from __future__ import annotations

import pytest

from postel import form, javascript, uri
from toolkit.corpora import Comparison, Row, rows_of, text, value
from toolkit.grammar import is_valid


@pytest.fixture
def config(request: pytest.FixtureRequest) -> pytest.Config:
    return request.config


def test_wpt_urlencoded_parser_exactly(config: pytest.Config) -> None:
    comparison = Comparison("wpt_urlencoded_parser")
    for row in rows_of("wpt_urlencoded_parser"):
        pairs = [tuple(pair) for pair in row["pairs"]]
        comparison.hold(row, lambda row=row: form.parse(text(row["in"])), pairs)
        comparison.hold(row, lambda row=row: form.parse(text(row["in"]).encode()), pairs)
        if row["malformed_percent"] or row["ill_formed_utf8"]:
            with pytest.raises(uri.DecodeError):
                uri.parse_query(text(row["in"]))
        else:
            comparison.hold(row, lambda row=row: uri.parse_query(text(row["in"])), pairs)
    comparison.conclude(config)


def test_node_querystring_exactly(config: pytest.Config) -> None:
    comparison = Comparison("node_querystring")

    def grouped(row: Row) -> list[list[object]]:
        groups: dict[str, list[str]] = {}
        for name, found in form.parse(text(row["in"])):
            groups.setdefault(name, []).append(found)
        return [[name, values] for name, values in groups.items()]

    def reencoded(row: Row) -> str:
        return "&".join(
            f"{javascript.encodeURIComponent(name)}={javascript.encodeURIComponent(found)}"
            for name, found in form.parse(text(row["in"]))
        )

    for row in rows_of("node_querystring"):
        comparison.hold(row, lambda row=row: grouped(row), row["grouped"])
        if "reencoded" in row:
            comparison.hold(row, lambda row=row: reencoded(row), row["reencoded"])
    comparison.conclude(config)


def test_wpt_percent_encoding_exactly(config: pytest.Config) -> None:
    comparison = Comparison("wpt_percent_encoding")
    for row in rows_of("wpt_percent_encoding"):
        comparison.hold(
            row,
            lambda row=row: uri.percent_encode(text(row["in"]), escaping=uri.SPECIAL_QUERY_SET),
            row["out"],
        )
    comparison.conclude(config)


def test_uri_cleaning_agrees_except_for_listed_rows(config: pytest.Config) -> None:
    comparison = Comparison("uri_cleaning")

    def answer(row: Row) -> str:
        given = text(row["in"])
        match row["op"]:
            case "clean" if row["src"] == "requests":
                return uri.clean(given)
            case "clean" if not row["out"].isascii():
                return uri.pretty(uri.respell(given))
            case "clean" | "clean_path" | "unquote_unreserved":
                return uri.respell(given)
            case "clean_query":
                return uri.respell("?" + given)[1:]
            case "clean_fragment":
                return uri.respell("#" + given)[1:]
            case _:
                return uri.pretty(given)

    for row in rows_of("uri_cleaning"):
        if row["op"] in {"parse", "host", "remove_dot_segments"}:
            comparison.skip(row)
        else:
            comparison.hold(row, lambda row=row: answer(row), value(row["out"]))
    comparison.conclude(config)


def test_hyperlink_url_agrees_except_for_listed_rows(config: pytest.Config) -> None:
    comparison = Comparison("hyperlink_url")
    ours = {
        "roundtrip": uri.clean,
        "normalize": uri.respell,
        "to_iri": uri.pretty,
        "to_uri": uri.clean,
    }
    for row in rows_of("hyperlink_url"):
        if row["op"] in ours:
            comparison.hold(row, lambda row=row: ours[row["op"]](text(row["in"])), row["out"])
        else:
            comparison.skip(row)
    comparison.conclude(config)


def test_werkzeug_urls_agrees_except_for_listed_rows(config: pytest.Config) -> None:
    comparison = Comparison("werkzeug_urls")
    ours = {"iri_to_uri": uri.clean, "uri_to_iri": uri.pretty}
    for row in rows_of("werkzeug_urls"):
        if row["op"] in ours:
            comparison.hold(row, lambda row=row: ours[row["op"]](text(row["in"])), row["out"])
        else:
            comparison.skip(row)
    comparison.conclude(config)


def test_rfc3986_lib_agrees_except_for_listed_rows(config: pytest.Config) -> None:
    comparison = Comparison("rfc3986_lib")
    ours = {
        "iri_to_uri": uri.clean,
        "encode_component_if_not_already": uri.clean,
        "uppercase_escapes": uri.respell,
    }
    for row in rows_of("rfc3986_lib"):
        if row["op"] in ours:
            comparison.hold(row, lambda row=row: ours[row["op"]](text(row["in"])), row["out"])
        else:
            comparison.skip(row)
    comparison.conclude(config)


def test_yarl_quoting_agrees_except_for_listed_rows(config: pytest.Config) -> None:
    comparison = Comparison("yarl_quoting")

    def answer(row: Row) -> str:
        given, options = text(row["in"]), row["opts"]
        if row["op"] == "unquote":
            plus = bool(options.get("qs") or options.get("plus"))
            return uri.decode_component(given, plus=plus)
        if options.get("requote") is False:
            return uri.encode_component(given)
        return uri.respell(given)

    for row in rows_of("yarl_quoting"):
        if row["op"] == "remove_dot_segments":
            comparison.skip(row)
        else:
            comparison.hold(row, lambda row=row: answer(row), text(row["out"]))
    comparison.conclude(config)


def test_cpython_urllib_agrees_except_for_listed_rows(config: pytest.Config) -> None:
    comparison = Comparison("cpython_urllib")

    def quoted(row: Row) -> str:
        given = value(row["in"])
        if isinstance(given, bytes):
            return uri.encode_component(given.decode("latin-1"), charset="latin-1")
        if row["op"] == "quote_plus":
            return uri.encode_component(given or "", place=uri.Place.QUERY_VALUE, plus=True)
        return uri.encode_component(given or "")

    def unquoted(row: Row) -> str:
        errors = row.get("policy", "strict")
        return uri.decode_component(text(row["in"]), plus=row["op"] == "unquote_plus", errors=errors)

    def octets(row: Row) -> bytes:
        given = value(row["in"])
        spelled = given.decode("latin-1") if isinstance(given, bytes) else given or ""
        charset = "latin-1" if isinstance(given, bytes) or spelled.isascii() else "utf-8"
        return uri.decode_component(spelled, charset=charset).encode(charset)

    def pairs(row: Row) -> list[tuple[str, str]]:
        given = value(row["in"])
        assert given is not None
        return form.parse(given)

    for row in rows_of("cpython_urllib"):
        match row["op"]:
            case "parse_query" | "parse_query_bytes" if row.get("keep_blank"):
                theirs = [tuple(map(_as_text, pair)) for pair in row["pairs"]]
                comparison.hold(row, lambda row=row: pairs(row), theirs)
            case "quote" | "quote_plus":
                comparison.hold(row, lambda row=row: quoted(row), row["out"])
            case "unquote" | "unquote_plus":
                comparison.hold(row, lambda row=row: unquoted(row), value(row["out"]))
            case "unquote_to_bytes":
                comparison.hold(row, lambda row=row: octets(row), value(row["out"]))
            case _:
                comparison.skip(row)
    comparison.conclude(config)


def _fault(escaped: str) -> uri.DecodeError | None:
    """Return the fault of escaped octets, after checking that the error points to them."""
    try:
        uri.decode_component(escaped)
    except uri.DecodeError as error:
        return error if escaped.startswith(error.excerpt, error.offset) else None
    return None


def _as_text(spelled: str | dict[str, str]) -> str | bytes:
    """Return octets as text if they are UTF-8."""
    found = value(spelled)
    assert found is not None
    if isinstance(found, str):
        return found
    try:
        return found.decode()
    except UnicodeDecodeError:
        return found


@pytest.mark.parametrize(
    "corpus",
    ["utf8_kuhn", "utf8_cpython", "utf8_go", "utf8_simdutf", "jetty_utf8", "wpt_utf8_decode"],
)
def test_utf8_verdicts_and_remaining_text(corpus: str, config: pytest.Config) -> None:
    comparison = Comparison(corpus)
    for row in rows_of(corpus):
        octets = value(row["in"])
        if not isinstance(octets, bytes) or "valid" not in row:
            comparison.skip(row)
            continue
        named = {**row, "op": "utf8"}
        escaped = "".join(f"%{octet:02x}" for octet in octets)
        fault = _fault(escaped)
        error_at = row.get("error_at", fault and fault.offset // 3)
        comparison.hold(
            named,
            lambda fault=fault: (fault is None, fault and fault.offset // 3),
            (row["valid"], error_at),
        )
        for errors, field in (("replace", "replaced"), ("drop", "dropped")):
            if row.get(field) is not None and "bom_stripped" not in row:
                comparison.hold(
                    named,
                    lambda escaped=escaped, errors=errors: uri.decode_component(escaped, errors=errors),
                    text(row[field]),
                )
    comparison.conclude(config)


def test_every_text_in_every_corpus_is_cleaned_to_a_valid_uri() -> None:
    """Most texts have no expected output. Each result must be valid, and stay unchanged if cleaned again."""
    for corpus in ("uri_cleaning", "hyperlink_url", "werkzeug_urls", "cpython_urllib", "yarl_url"):
        for row in rows_of(corpus):
            given = value(row["in"] if "in" in row else row["ref"])
            if isinstance(given, str) and not any("\ud800" <= c <= "\udfff" for c in given):
                cleaned = uri.clean(given)
                assert is_valid(cleaned), (given, cleaned)
                assert uri.clean(cleaned) == cleaned
                assert uri.clean(uri.pretty(cleaned)) == cleaned
