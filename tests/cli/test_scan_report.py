"""The report of ``postel scan``: refused requests one by one, and the changes since an earlier report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scan.lines import PROGRAM, SITE, combined
from terminal import run

PEOPLE = [combined(b"/units/kg%%2F%d" % number, referer=SITE, agent=b"OurApp/7") for number in range(20)]
LEGACY = [combined(b"/search?q=%C4rzteblatt", method=b"POST", referer=SITE)]
UNCLEAR = [combined(b"/x/%C4", agent=b"OurApp/7")]
LONG = [combined(b"/%00/" + b"a" * 500, referer=SITE)]
SCANNER = [combined(b"/%00.php", status=404, agent=PROGRAM)] * 9


def refusals(*lines: bytes) -> list[dict[str, object]]:
    told = json.loads(run("scan", "--json", given=b"\n".join(lines)).out)
    listed: list[dict[str, object]] = told["refusals"]
    return listed


def report(*lines: bytes, argv: tuple[str, ...] = ()) -> str:
    ended = run("scan", *argv, given=b"\n".join(lines))
    assert (ended.code, ended.err) == (0, "")
    return " ".join(ended.out.split())


# ---- one by one ----


def test_ten_different_refused_requests_are_shown_and_people_come_first() -> None:
    listed = refusals(*PEOPLE, *LEGACY, *UNCLEAR, *SCANNER)
    assert [each["sender"] for each in listed] == ["people"] * 10
    assert {str(each["target"]).partition("%")[0] for each in listed[:2]} == {"/units/kg", "/search?q="}


def test_unclear_requests_follow_and_scanners_are_never_shown() -> None:
    assert [each["sender"] for each in refusals(*LEGACY, *UNCLEAR, *SCANNER)] == ["people", "unclear"]
    assert refusals(*SCANNER) == []
    assert "some of the refused requests" not in report(*SCANNER)


def test_a_repeated_request_is_shown_once() -> None:
    repeated = [combined(b"/x/%C4", agent=b"OurApp/7", client=b"c%d" % number) for number in range(5)]
    other = combined(b"/x/%C4", agent=b"OurApp/7", method=b"POST")
    assert [(each["method"], each["target"]) for each in refusals(*repeated, other)] == [
        ("GET", "/x/%C4"),
        ("POST", "/x/%C4"),
    ]


def test_a_refused_request_in_full() -> None:
    text = report(*LEGACY, *UNCLEAR)
    assert (
        "POST /search?q=%C4rzteblatt people, answered with 200 agent Mozilla/5.0 (X11; Linux x86_64; "
        "rv:142.0) Gecko/20100101 Firefox/142.0 referer https://example.com/ "
        'ill-formed-utf8 in query, "%C4": octets that are not UTF-8'
    ) in text
    assert "truncated or stray clause: charset[q]=windows-1252 GET /x/%C4" in text
    explained = (
        "charset[q]=windows-1252: read in windows-1252 where it is not UTF-8, and handed on in UTF-8. You "
        "guarantee: Clients that do not send UTF-8 in this parameter send windows-1252."
    )
    assert text.count(explained) == 2  # once with the kind, and once with the suggestion
    assert 'GET /x/%C4 unclear, answered with 200 agent OurApp/7 ill-formed-utf8 in path, "%C4"' in text
    assert "no clause is suggested that leaves it unchanged; correct the link if it is yours" in text


def test_clipped_text_is_marked() -> None:
    [told] = refusals(*LONG)
    assert (told["whole"], told["reasons"], len(str(told["target"]))) == (False, [], 400)
    assert "/%00/" + "a" * 395 + "... people" in report(*LONG)


def test_the_page_shows_the_requests(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    lines = [*LEGACY, *UNCLEAR, *LONG, combined(b"/<script>%00", referer=b"<script>", agent=b"<script>")]
    run("scan", "--html", str(page), given=b"\n".join(lines))
    written = page.read_text("utf-8")
    assert "<code>/search?q=%C4rzteblatt</code> people, answered with 200" in written
    assert "no clause is suggested that leaves it unchanged" in written
    assert "<script" not in written


def test_a_log_with_few_fields() -> None:
    text = report(b'INFO:     127.0.0.1:4711 - "GET /x%00 HTTP/1.1" 200 OK')
    assert 'GET /x%00 unclear, answered with 200 nul in path, "%00"' in text
    text = report(b'{"request_uri": "/x%00"}')
    assert 'unclear nul in path, "%00"' in text


# ---- by route ----


def test_what_would_change_by_route(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    lines = [*PEOPLE, combined(b"/a//b"), combined(b"/search?q=50%+off"), combined(b"/")]
    text = report(*lines, argv=("--html", str(page)))
    table = "what would change, by route refused redirected edited /units/* 20 0 0 /a//b 0 1 0 /search 0 0 1"
    assert table in text
    assert '<data value="20" data-figure="routes.0.refused">20</data>' in page.read_text("utf-8")


def test_more_routes_than_are_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "report.html"
    lines = [combined(b"/r%d/%%00" % number) for number in range(30)]
    assert "and 20 more routes" in report(*lines, argv=("--html", str(page)))
    assert "And 20 more routes." in page.read_text("utf-8")
    monkeypatch.setattr("postel.scan._tally.CHANGES", 20)
    assert "and more than 20 routes; others are not counted, even if they are frequent" in report(*lines)


# ---- against an earlier report ----


@pytest.fixture
def last(tmp_path: Path) -> str:
    file = tmp_path / "last-week.json"
    file.write_text(run("scan", "--json", given=b"\n".join([*PEOPLE, *LEGACY, *SCANNER])).out)
    return str(file)


def test_the_changes(last: str, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    lines = [*PEOPLE[:10], combined(b"/a//b"), *UNCLEAR, *SCANNER, *[combined(b"/")] * 29]
    text = report(*lines, argv=("--against", last, "--html", str(page)))
    assert "since the last scan requests: 30 (100 %) -> 50 (100 %) refused: 30 (100 %) -> 20 (40 %)" in text
    assert "redirected: 0 (0 %) -> 1 (2 %)" in text
    assert "refused, probably from people: 21 (70 %) -> 10 (20 %)" in text
    assert "refused for encoded-slash in path: 20 (66.7 %) -> 10 (20 %)" in text
    assert "refused for ill-formed-utf8 in path: 0 (0 %) -> 1 (2 %) (new)" in text
    assert "refused for ill-formed-utf8 in query: 1 (3.3 %) -> 0 (0 %) (gone)" in text
    assert "refused for nul" not in text  # Unchanged.
    assert "<li>refused: 30 (100 %) -&gt; 20 (40 %)</li>" in page.read_text("utf-8")
    told = json.loads(run("scan", "--json", "--against", last, given=b"\n".join(lines)).out)
    assert "refused: 30 (100 %) -> 20 (40 %)" in told["against"]


def test_another_policy_is_named(last: str) -> None:
    text = report(*PEOPLE, argv=("--against", last, "--policy", "lenient"))
    assert "The earlier scan used another policy: standard" in text


def test_keys_of_later_versions_are_ignored(last: str) -> None:
    told = json.loads(Path(last).read_text())
    told["kinds"].append({**told["kinds"][0], "kind": "\x1b[2J<script>"})
    Path(last).write_text(json.dumps(told))
    assert "script" not in report(*PEOPLE, argv=("--against", last))


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "{}", "nonsense", "[" * 200_000, '{"requests": NaN}', "\udcff"),
        '{"policy": "standard", "requests": -1, "refused_senders": {}, "kinds": []}',
        '{"policy": "nonsense", "requests": 1, "refused_senders": {}, "kinds": []}',
        '{"policy": "standard", "requests": 1, "refused_senders": [], "kinds": []}',
        '{"policy": "standard", "requests": 1, "refused_senders": {}, "kinds": 7}',
    ],
    ids=range(11),
)
def test_files_that_are_not_reports(tmp_path: Path, text: str) -> None:
    file = tmp_path / "last.json"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    ended = run("scan", "--against", str(file))
    assert (ended.code, ended.out) == (2, "")
    assert "not a report of this version; write one with 'postel scan --json'" in ended.err


@pytest.mark.parametrize("name", ["missing.json", "."])
def test_an_earlier_report_that_is_missing_gives_exit_code_2(tmp_path: Path, name: str) -> None:
    ended = run("scan", "--against", str(tmp_path / name))
    assert (ended.code, ended.out) == (2, "")
    assert "error:" in ended.err
