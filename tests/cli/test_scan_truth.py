"""``postel scan`` claims only what it knows: misleading logs, unreadable logs, and samples."""

from __future__ import annotations

import gzip
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from postel.scan._parts import counted_parts
from scan.lines import BROWSER, IIS_HEAD, SITE, caddy, combined, haproxy, iis
from terminal import Ended, run

PROGRAM = b"WarehouseApp/3.2"


def scanned(*lines: bytes, argv: tuple[str, ...] = (), code: int = 0) -> str:
    """Return the report, with its lines joined by single spaces."""
    ended = run("scan", *argv, given=b"\n".join(lines))
    assert (ended.code, ended.err if code == 0 else "") == (code, "")
    return " ".join(ended.out.split())


def as_json(*lines: bytes, argv: tuple[str, ...] = ()) -> dict[str, object]:
    ended = run("scan", "--json", *argv, given=b"\n".join(lines))
    assert (ended.code, ended.err) == (0, "")
    told: dict[str, object] = json.loads(ended.out)
    return told


def joined(ended: Ended) -> str:
    return " ".join(ended.out.split())


# ---- 1: unknown figures are counted, and prevent a suggestion ----


def units(agent: bytes | None, status: int = 200) -> list[bytes]:
    """Write requests of forty clients for a path that is always refused."""
    lines = [
        combined(b"/units/kg%2Fs", client=b"192.0.2.%d" % number, agent=agent or b"-", status=status)
        for number in range(40)
    ]
    return lines if agent is not None else [line.rpartition(b' "')[0].rpartition(b' "')[0] for line in lines]


@pytest.mark.parametrize("agent", [None, b"-", PROGRAM, b"python-requests/2.32.3"], ids=repr)
def test_a_log_that_does_not_show_whose_requests_are_refused(agent: bytes | None) -> None:
    text = scanned(*units(agent))
    assert "40 requests would be refused: 0 probably from people, 0 from scanners" in text
    assert text.endswith(
        "Do not enforce yet: 40 refused requests (100 %) may come from anybody. Run the middleware with "
        "enforce=False and find out who sends them: its observer receives a report of each."
    )
    assert "None of them seems to come from people" not in text
    assert (
        "only if you know that the unclear requests are legitimate encoded-slash=preserve below /units"
        in text
    )


def test_requests_that_already_fail_are_counted_with_those_of_scanners() -> None:
    text = scanned(*units(b"-", status=404))
    assert "40 from scanners or already failing today, and 0 unclear" in text
    assert text.endswith(
        "None of them seems to come from people. This is a guess from agents, referers and answers."
    )


def test_people_and_unclear_requests_are_counted_separately() -> None:
    told = as_json(
        *units(PROGRAM), *[combined(b"/a/x%2Fb", referer=SITE)] * 3, combined(b"/a%00", status=404)
    )
    assert told["refused_senders"] == {"people": 3, "unclear": 40, "scanners": 1}
    suggestion = told["suggestion"]
    assert isinstance(suggestion, dict)
    assert (suggestion["people"], suggestion["estimate"], suggestion["unclear"]) == (3, 3, 40)
    assert list(suggestion["routes"]) == ["/a"]
    assert [each["route"] for each in suggestion["if_yours"]] == ["/units"]


def test_a_log_without_refused_requests() -> None:
    assert scanned(combined(b"/")).endswith("The policy would refuse none of 1 request.")


# ---- 2: a sample is not a total ----

MANY = [
    combined(b"/units/kg%%2F%d" % number, client=b"10.0.%d.%d" % divmod(number, 250), referer=SITE)
    for number in range(1500)
] + [
    combined(b"/%%C4/%d" % number, client=b"10.1.%d.%d" % divmod(number, 250), referer=SITE)
    for number in range(1500)
]


def test_a_sample_is_marked_with_its_size() -> None:
    told = as_json(*MANY)
    suggestion = told["suggestion"]
    assert isinstance(suggestion, dict)
    assert suggestion["people"] == 3000
    assert suggestion["tried"] == 2 * 512
    assert suggestion["passing"] == 512  # No policy accepts an ill-formed path unchanged.
    assert suggestion["estimate"] == 1500
    text = scanned(*MANY)
    sentence = (
        "Of the refused requests that are probably from people (3,000), the suggestion accepts about 1,500. "
        "This is an estimate: it was tried on 1,024 of them and accepts 512 of those."
    )
    assert sentence in text


def test_the_page_has_the_same_figures(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    run("scan", "--html", str(page), given=b"\n".join(MANY))
    written = page.read_text("utf-8")
    assert "the suggestion accepts about 1,500. This is an estimate: it was tried on 1,024" in written
    told = as_json(*MANY)
    conclusion = told["conclusion"]
    assert isinstance(conclusion, list)
    assert all(f"<li>{sentence}</li>" in written for sentence in conclusion)


def test_small_numbers_are_exact() -> None:
    text = scanned(*MANY[:500])
    assert "probably from people (500), the suggestion accepts 500." in text
    assert "~" not in text


# ---- 3: Debian's Apache ----


def test_vhost_combined_is_read_by_client() -> None:
    lines = [
        b"example.com:443 " + combined(b"/units/kg%2Fs", client=b"192.0.2.%d" % number, referer=SITE)
        for number in range(40)
    ]
    told = as_json(*lines)
    assert (told["clients"], told["formats"]) == (40, {"vhost_combined": 40})


def test_a_log_with_a_single_client_gets_a_remark() -> None:
    """This happens if a log names its virtual host first: ``example.com - 192.0.2.1 [...] ...``."""
    lines = [combined(b"/", client=b"example.com")] * 100
    assert "All 100 requests come from one client. It may be a proxy, or the client field may" in scanned(
        *lines
    )
    assert "from one client" not in scanned(*lines[:99])


# ---- 4: unreadable logs ----

UNREADABLE = {
    "noise": os.urandom(4096).replace(b"\x1f\x8b", b""),
    "JSON without a target": b'{"msg": "listening", "port": 80}\n' * 20,
    "text": b"once upon a time\n" * 20,
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_files_that_are_not_logs_give_an_error_and_no_policy(tmp_path: Path, name: str) -> None:
    log = tmp_path / "access.log"
    log.write_bytes(UNREADABLE[name])
    for ended, place in (
        (run("scan", str(log)), repr(str(log))),
        (run("scan", given=UNREADABLE[name]), "standard input"),
    ):
        assert ended.code == 1
        assert ended.err.startswith(f"error: {place}: the format is not recognised: name it with --format, ")
        assert ended.out == ""
        assert "Policy" not in ended.out


def test_a_log_that_vanishes_during_the_scan_does_not_lose_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, gone = tmp_path / "kept.log", tmp_path / "gone.log"
    for log in (kept, gone):
        log.write_bytes(combined(b"/a%00"))

    def counted(*given: Any, **options: Any) -> Any:
        gone.unlink()
        return counted_parts(*given, **options)

    monkeypatch.setattr("postel.cli._scan.counted_parts", counted)
    ended = run("scan", str(gone), str(kept))
    assert (ended.code, ended.err) == (1, f"error: {str(gone)!r}: No such file or directory\n")
    assert ended.out.startswith("1 request from 1 client")


def test_the_scan_of_an_empty_log_has_a_report(tmp_path: Path) -> None:
    log = tmp_path / "empty.log"
    log.touch()
    ended = run("scan", str(log))
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("0 requests from 0 clients")


def test_a_scan_without_a_file_name_says_so() -> None:
    assert run("scan", "").err == "error: '': the name of the file is empty\n"


def test_a_file_without_an_end_that_is_not_a_log_gives_an_error() -> None:
    ended = run("scan", "/dev/urandom")
    assert (ended.code, "Policy" in ended.out) == (1, False)
    assert ended.err.startswith("error: '/dev/urandom': the format is not recognised")


@pytest.mark.parametrize(
    ("log", "name"),
    [
        (IIS_HEAD + iis(b"/a", b"q=%C4"), "iis"),
        (haproxy(b"/a%2Fb") + b"\n" + haproxy(b"/"), "haproxy"),
        (b'{"request_uri": "/a%2Fb", "status": 200}\n' * 3, "json"),
        (caddy("/a%2Fb"), "caddy"),
    ],
    ids=["IIS", "HAProxy", "JSON", "Caddy"],
)
def test_logs_of_other_servers_are_recognised(log: bytes, name: str) -> None:
    told = as_json(log)
    assert list(told["formats"]) == [name]
    assert told["unreadable"] == {}
    assert told["refused"]["policy"] > 0


@pytest.mark.parametrize(
    ("argv", "log"),
    [
        (("--field", "target=url"), combined(b"/a")),
        (("--field", "target=url"), b'{"uri": "/a"}'),
        (("--format", "iis"), combined(b"/a")),
        (("--log-format", '"$request"'), combined(b"/a")),
        ((), b"\n".join([combined(b"/a")] * 5 + [b"nonsense"])),
    ],
)
def test_a_wrong_format_gives_an_error_and_no_policy(argv: tuple[str, ...], log: bytes) -> None:
    ended = run("scan", *argv, given=log)
    assert ended.code == 1
    assert re.fullmatch(
        r"error: [156] of [156] lines could not be read as [a-z]+, so no policy is suggested\n", ended.err
    )
    assert "Policy" not in ended.out
    assert "could not be read, so nothing is known about them." in joined(ended)


def test_one_unreadable_line_of_twenty_is_reported_without_an_error() -> None:
    text = scanned(*[combined(b"/a")] * 19, b"nonsense")
    assert "1 of 20 lines (5 %) could not be read, so nothing is known about them." in text
    assert "policy = Policy.parse('standard')" in text


def test_lines_without_a_request_are_not_unreadable() -> None:
    assert "nothing is known" not in scanned(combined(b"/a").replace(b"GET /a HTTP/1.1", rb"\x16\x03"))


@pytest.mark.parametrize("cut", [400, -1])
def test_a_truncated_log_gives_no_policy(tmp_path: Path, cut: int) -> None:
    log = tmp_path / "access.log.gz"
    log.write_bytes(gzip.compress(os.urandom(900).hex().encode() + b"\n" + combined(b"/a%2Fb"))[:cut])
    ended = run("scan", str(log), "--format", "combined")
    assert ended.code == 1
    words = "the compressed log is cut off or damaged, so no policy is suggested"
    assert ended.err.splitlines()[0] == f"error: {str(log)!r}: {words}"
    assert "the rest of it is unknown." in joined(ended)
    assert "Policy" not in ended.out
    whole, other = tmp_path / "whole.log", tmp_path / "other.gz"
    whole.write_bytes(combined(b"/a"))
    other.write_bytes(log.read_bytes())
    for workers in ("1", "2"):
        argv = (str(log), str(whole), str(other), "--format", "combined", "--workers", workers)
        assert sorted(run("scan", *argv).err.splitlines()[:2]) == [
            f"error: {str(each)!r}: {words}" for each in sorted([log, other])
        ]
    ended = run("scan", "--format", "combined", given=log.read_bytes())
    assert ended.err.splitlines()[0] == f"error: standard input: {words}"


def test_a_pipe_is_read(tmp_path: Path) -> None:
    """As in ``postel scan <(zcat access.log.gz)``: its size is 0, and it can be read only once."""
    reading, writing = os.pipe()
    os.write(writing, combined(b"/a%2Fb"))
    os.close(writing)
    told = json.loads(run("scan", "--json", f"/dev/fd/{reading}").out)
    os.close(reading)
    assert told["requests"] == told["refused"]["policy"] == 1


# ---- 5: the page ----

LAST_WEEK = "<!doctype HTML><title>postel scan</title>the report of last week"


@pytest.mark.parametrize("name", ["missing/report.html", "."])
def test_a_page_that_cannot_be_written_is_detected_first(tmp_path: Path, name: str) -> None:
    there = str(tmp_path / name)
    reading, writing = os.pipe()  # If scan read from the pipe, the test would wait forever.
    ended = run("scan", f"/dev/fd/{reading}", "--html", there)
    os.close(reading), os.close(writing)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"postel scan: error: argument --html: {there!r}: ")


def test_a_page_is_written_completely_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "report.html"
    page.write_text(LAST_WEEK)
    monkeypatch.setattr(
        "postel.cli._scan.page_of", lambda _, against: "\ud800"
    )  # A lone surrogate cannot be written.
    with pytest.raises(UnicodeEncodeError):
        run("scan", "--html", str(page), given=combined(b"/"))
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("report.html", LAST_WEEK)]


def test_a_page_replaces_the_last_one(tmp_path: Path) -> None:
    page, link = tmp_path / "report.html", tmp_path / "link.html"
    page.write_text(LAST_WEEK)
    link.symlink_to(page)
    run("scan", "--html", str(link), given=combined(b"/"))
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert link.is_symlink()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link.html", "report.html"]


def test_a_scan_that_reads_nothing_leaves_the_last_page(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_text(LAST_WEEK)
    ended = run("scan", str(tmp_path / "missing.log"), "--html", str(page))
    assert (ended.code, ended.out) == (1, "")
    assert "No such file or directory" in ended.err
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("report.html", LAST_WEEK)]


def test_a_log_that_is_damaged_from_its_first_line_leaves_the_last_page(tmp_path: Path) -> None:
    page, log = tmp_path / "report.html", tmp_path / "access.log.gz"
    page.write_text(LAST_WEEK)
    log.write_bytes(b"\x1f\x8bxx")
    for argv in ([str(log)], ["--json", str(tmp_path / "missing.log")]):
        assert run("scan", *argv, "--html", str(page)).code == 1
        assert page.read_text() == LAST_WEEK


def test_a_log_that_is_named_twice_is_counted_once(tmp_path: Path) -> None:
    log, link = tmp_path / "access.log", tmp_path / "link.log"
    log.write_bytes(combined(b"/a"))
    link.symlink_to(log)
    ended = run("scan", str(log), str(link))
    assert ended.code == 0
    assert ended.out.startswith("1 request from 1 client")
    assert ended.err == f"note: {str(link)!r} is named twice, and read once\n"


def test_a_page_of_someone_else_is_not_replaced(tmp_path: Path) -> None:
    page = tmp_path / "index.html"
    page.write_text("<!DOCTYPE html><title>Home</title>")
    ended = run("scan", "--html", str(page), given=combined(b"/"))
    assert ended.code == 2
    assert "exists and is not a page of postel" in ended.err
    assert page.read_text() == "<!DOCTYPE html><title>Home</title>"


@pytest.mark.parametrize("command", ["scan", "doctor"])
def test_each_page_can_be_replaced(command: str, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    argv = (
        ["scan"]
        if command == "scan"
        else ["doctor", "examples.flask_app:bare", "--yes", "--server", "in-process"]
    )
    for _ in range(2):
        run(*argv, "--html", str(page), given=combined(b"/"))
        assert page.read_text().startswith("<!DOCTYPE html>")


def test_a_page_is_written_to_a_pipe() -> None:
    reading, writing = os.pipe()
    run("scan", "--html", f"/dev/fd/{writing}", given=combined(b"/"))
    os.close(writing)
    with open(reading, encoding="utf-8") as page:
        assert page.read(15) == "<!DOCTYPE html>"


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (
            ["--html", "access.log"],
            "'access.log' exists and is not a page of postel; name a new file, such as "
            "--html report.html access.log",
        ),
        (["access.log", "--html", "access.log"], "'access.log' exists and is not a page of postel"),
        (["--html", "link.log"], "'link.log' exists and is not a page of postel"),
        (["access.log", "empty.log", "--html", "./empty.log"], "'empty.log' is one of the logs"),
        (["\0", "nowhere.log", "empty.log", "--html", "empty.log"], "'empty.log' is one of the logs"),
        (["--html", "-"], "'-': write the name of a file, such as report.html"),
        (["--html", "a" * 5000], f"'{'a' * 200}': File name too long"),
    ],
)
def test_a_page_never_replaces_a_log(
    argv: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    log, empty, link = Path("access.log"), Path("empty.log"), Path("link.log")
    log.write_bytes(combined(b"/"))
    empty.touch()
    link.symlink_to(log)
    ended = run("scan", *argv)
    assert (ended.code, ended.out) == (2, "")
    assert f"postel scan: error: argument --html: {words}" in ended.err
    assert log.read_bytes() == combined(b"/")
    assert empty.read_bytes() == b""
    assert len([*tmp_path.iterdir()]) == 3


def test_a_page_replaces_an_empty_file(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.touch()
    assert run("scan", "--html", str(page), given=combined(b"/")).code == 0
    assert page.read_text().startswith("<!DOCTYPE html>")


def test_a_page_can_be_written_to_a_device() -> None:
    assert run("scan", "--html", os.devnull, given=combined(b"/")).code == 0
    assert not Path(os.devnull).is_file()


# ---- 6: no harmful advice ----


def test_a_search_in_another_encoding_keeps_its_characters() -> None:
    told = as_json(*[combined(b"/search?q=%C4rzteblatt", referer=SITE)] * 9)
    suggestion = told["suggestion"]
    assert isinstance(suggestion, dict)
    assert suggestion["policy"] == "standard charset[q]=windows-1252"
    assert suggestion["clauses"][0]["guarantee"]
    assert suggestion["estimate"] == 9


# ---- 7: the most frequent findings ----

FIRST = [
    *[combined(b"/articles//7", referer=SITE)] * 3,
    combined(b"/articles//7", method=b"POST", referer=SITE),
    combined(b"/proxy/https://example.org/x", referer=SITE),
    combined(b"//index.html", referer=SITE),
    combined(b"/wiki/Who%3F", referer=SITE),
    combined(b"/files/My%2520File.pdf", referer=SITE),
    combined(b"/files/100%2525.pdf", referer=SITE),
]


def test_slashes_that_are_redirected_are_not_refused() -> None:
    told = as_json(*FIRST)
    assert told["redirected"] == {"policy": 4, "strict": 4, "standard": 4, "lenient": 0}
    assert told["refused"] == {"policy": 3, "strict": 5, "standard": 3, "lenient": 0}
    text = scanned(*FIRST)
    assert "redirected 4 44.444 %" in text
    assert "standard, and 4 redirected" in text
    assert "4 requests would be redirected (308) to the same path with its slashes merged" in text


@pytest.mark.parametrize(
    ("kind", "sender", "clause"),
    [
        ("empty-segment", "a base URL with a slash at its end", "empty-segment=allow below /articles"),
        ("leading-slashes", "a base URL with a slash at its end", "leading-slashes=allow"),
        ("encoded-delimiter", "titles and names with '?'", ""),
        ("double-escape", "a file name or title that was escaped twice", ""),
        (
            "unsafe-double-escape",
            "links in which a delimiter was escaped twice",
            "unsafe-double-escape=allow below /files",
        ),
    ],
)
def test_each_kind_shows_who_sends_it_and_which_clause_keeps_it(kind: str, sender: str, clause: str) -> None:
    [details] = re.findall(rf" {kind} in path: (.*?) such as", scanned(*FIRST))
    assert sender in details
    assert (f"clauses {clause}:" in details) if clause else ("clauses" not in details)


def test_accepted_kinds_show_the_setting_for_an_old_framework() -> None:
    text = scanned(*FIRST)
    assert "rebuilt_urls={'/wiki': 'safe'} then accepts them on a route" in text
    assert "(My%2520File.pdf). The default policy passes it and reports it." in text


# ---- formats, spans of time, waiting ----


def test_a_log_is_read_by_a_format_in_the_notation_of_nginx() -> None:
    line = b"example.com 192.0.2.1 GET /a%2Fb 200"
    argv = ("--log-format", "$host $remote_addr $request_method $request_uri $status")
    told = as_json(line, argv=argv)
    assert (told["formats"], told["clients"]) == ({"described": 1}, 1)
    assert "The format described does not show: agents; referers." in scanned(line, argv=argv)


def test_since_and_until_select_lines_by_time(tmp_path: Path) -> None:
    lines = [combined(b"/a").replace(b"10/Oct", b"%02d/Oct" % day) for day in range(1, 31)]
    argv = ("--since", "2026-10-10", "--until", "2026-10-20")
    assert as_json(*lines, argv=argv)["requests"] == 10
    log = tmp_path / "access.log"
    log.write_bytes(b"\n".join(lines))
    ended = run("scan", *argv, str(log))
    assert ended.out.startswith("10 requests")
    selected = "lines outside the selected time (since 2026-10-10 00:00:00, until 2026-10-20 00:00:00)."
    assert selected in joined(ended)


def test_a_log_without_times_is_unreadable_with_since() -> None:
    ended = run("scan", "--since", "2026-10-10", given=b'INFO:     127.0.0.1:4711 - "GET / HTTP/1.1" 200 OK')
    assert ended.code == 1
    assert "1 of 1 lines could not be read as uvicorn" in ended.err


def test_a_message_on_a_terminal_says_that_input_is_expected() -> None:
    ended = run("scan", given=combined(b"/"), typed=True)
    assert ended.err == "postel scan: reading a log from the terminal; Ctrl-D ends it\n"
    assert ended.out.startswith("1 request from")
    assert run("scan", given=combined(b"/")).err == ""


# ---- hostile logs ----


def test_a_line_of_two_megabytes_is_shown_in_part() -> None:
    text = scanned(combined(b"/" + b"a" * 2_000_000), *[combined(b"/a", agent=BROWSER)] * 30)
    assert "1 too-long" in text
    assert len(text) < 10_000


def test_undecodable_octets_and_markup_are_escaped(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    evil = b"<script>alert(1)</script>\xff\xc3\x28\x1b]0;x\x07"
    lines = [combined(b"/" + evil + b"%00", client=evil[:20], referer=evil, agent=evil), evil, evil + b"x"]
    ended = run(
        "scan", "--html", str(page), "--format", "combined", given=b"\n".join(lines * 9), terminal=True
    )
    shown = re.sub(r"\x1b\[\d*m", "", ended.out)
    assert shown.replace("\n", "").isascii()
    assert shown.replace("\n", "").isprintable()
    written = page.read_text("ascii")
    assert "<script" not in written
    assert "&lt;script&gt;" in written


def test_a_clause_for_a_hostile_name_is_escaped(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    target = b"/x?%3Cscript%3Ealert(1)%3C/script%3E=%C4"
    ended = run("scan", "--html", str(page), given=combined(target, referer=SITE))
    assert """Policy.parse('standard ill-formed-utf8@query["<script>alert(1)</script>"]=allow""" in ended.out
    assert ended.out.isascii()
    assert ended.out.replace("\n", "").isprintable()
    assert "<script" not in page.read_text("ascii")


def test_a_decompression_bomb_needs_little_memory() -> None:
    import tracemalloc  # noqa: PLC0415 - used only here

    bomb = gzip.compress(b"\0" * 50_000_000)
    tracemalloc.start()
    ended = run("scan", "--format", "combined", given=bomb)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert ended.code == 1
    assert "too-long" in ended.out
    assert peak < 10_000_000
