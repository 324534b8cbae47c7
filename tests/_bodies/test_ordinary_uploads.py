"""Uploads of ordinary clients pass octet for octet, or with the one repair that the documentation names."""

from __future__ import annotations

import hashlib
import random
from typing import Any, Final

import pytest

from _bodies.uploads import UPLOADS, Upload
from adapters import EACH_PROTOCOL, Protocol
from bodies import post
from postel import Forms, Kind, Policy

MB: Final = 10**6
HEAD: Final = b'--long-boundary\r\nContent-Disposition: form-data; name="f"; filename="f.bin"\r\n\r\n'
END: Final = b"\r\n--long-boundary--\r\n"
EACH: Final = pytest.mark.parametrize("upload", UPLOADS, ids=lambda each: each.client)


@EACH_PROTOCOL
@pytest.mark.parametrize("settings", [{}, {"memory": 100}], ids=["in memory", "in a file"])
@EACH
def test_uploads_pass_as_sent(protocol: Protocol, settings: dict[str, Any], upload: Upload) -> None:
    forms = Forms(**settings)
    asked = post(protocol, upload.octets, content_type=upload.content_type, forms=forms, json=True)
    if upload.refused:
        assert (asked.status, asked.kinds[0]) == (Kind.of(upload.refused).check.status, upload.refused)
        return
    assert (asked.status, asked.body) == (200, upload.handed)
    assert asked.header("content-type") == upload.content_type
    findings = asked.told.findings if asked.told else ()  # There is no report of a clean request.
    assert {each.kind.slug for each in findings} == ({"part-spelling"} if upload.written else set())


@EACH_PROTOCOL
@pytest.mark.parametrize("upload", [each for each in UPLOADS if each.parts], ids=lambda each: each.client)
def test_without_enforcement_no_octet_changes(protocol: Protocol, upload: Upload) -> None:
    octets = upload.octets.replace(b"Content-", b"content-")
    asked = post(protocol, octets, Policy.STRICT, content_type=upload.content_type, enforce=False)
    assert (asked.status, asked.body) == (200, octets)
    assert asked.told is not None
    assert asked.told.findings


@EACH_PROTOCOL
def test_fifty_megabytes_pass_octet_for_octet(protocol: Protocol) -> None:
    piece = random.Random(0).randbytes(MB)  # noqa: S311 - no secret
    pieces = [HEAD, *[piece] * 50, END]
    assert b"--long-boundary" not in piece * 2
    asked = post(
        protocol,
        pieces,
        content_type="multipart/form-data; boundary=long-boundary",
        forms=Forms(upload=60 * MB, memory=MB),
    )
    assert asked.status == 200
    assert hashlib.sha256(asked.body).digest() == hashlib.sha256(b"".join(pieces)).digest()
