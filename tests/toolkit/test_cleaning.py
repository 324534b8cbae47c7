from __future__ import annotations

import pytest

from postel import uri
from toolkit.grammar import is_valid


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        pytest.param(
            "http://[2001:db8::7348]/admin/login?name=Helen Ødegård&gender=f",
            "http://[2001:db8::7348]/admin/login?name=Helen%20%C3%98deg%C3%A5rd&gender=f",
            id="an IPv6 host keeps its brackets",
        ),
        pytest.param(
            "/%23/%zz/100%",
            "/%23/%25zz/100%25",
            id="valid escapes are not escaped twice, stray percent signs are",
        ),
        pytest.param("/%%2541/%4", "/%25%2541/%254", id="a stray percent sign creates no escape"),
        pytest.param("%e4%F6/%2f/%7e", "%e4%F6/%2f/%7e", id="valid escapes stay as written"),
        pytest.param("/a[1]?b[]=c#[d]", "/a%5B1%5D?b%5B%5D=c#%5Bd%5D", id="brackets elsewhere"),
        pytest.param('/"<>\\^`{|} é', "/%22%3C%3E%5C%5E%60%7B%7C%7D%20%C3%A9", id="illegal ASCII"),
        pytest.param("/\0\t\r\n\x7f\x85", "/%00%09%0D%0A%7F%C2%85", id="controls"),
        pytest.param("a?b?c#d#e?f", "a?b?c#d%23e?f", id="only the first delimiters delimit"),
        pytest.param("?a#", "?a#", id="empty fragment stays"),
        pytest.param("http://a?#", "http://a?#", id="empty query stays"),
        pytest.param("", "", id="nothing"),
        pytest.param("HTTP://ÄB.example/", "HTTP://%C3%84B.example/", id="case and name"),
        pytest.param("http://ü:pä@h/", "http://%C3%BC:p%C3%A4@h/", id="userinfo"),
        pytest.param("http://a@b:c@d/", "http://a%40b:c@d/", id="the last at sign counts"),
        pytest.param("http://h:80/", "http://h:80/", id="port"),
        pytest.param("http://h:/", "http://h:/", id="empty port"),
        pytest.param("http://h:8o/", "http://h%3A8o/", id="an invalid port"),
        pytest.param("http://h:٣/", "http://h%3A%D9%A3/", id="a port with digits outside ASCII"),
        pytest.param("http://a:b:80/", "http://a%3Ab:80/", id="an extra colon"),
        pytest.param("http://[::1/", "http://%5B%3A:1/", id="half a bracket"),
        pytest.param("http://[::1]x/", "http://%5B%3A%3A1%5Dx/", id="text after brackets"),
        pytest.param("http://[::1]:80/", "http://[::1]:80/", id="IPv6 and port"),
        pytest.param("http://u@[::1]:/", "http://u@[::1]:/", id="userinfo, IPv6 and empty port"),
        pytest.param("http://[1::2::3]/", "http://%5B1%3A%3A2%3A%3A3%5D/", id="an invalid IPv6 address"),
        pytest.param("http://[1.2.3.4]/", "http://%5B1.2.3.4%5D/", id="IPv4 in brackets"),
        pytest.param("http://[v1.x:y]/", "http://[v1.x:y]/", id="an IPvFuture literal"),
        pytest.param("http://[v1.é]/", "http://%5Bv1.%C3%A9%5D/", id="an invalid IPvFuture literal"),
        pytest.param("http://[fe80::1%eth0]/", "http://[fe80::1%25eth0]/", id="a bare zone"),
        pytest.param("http://[fe80::1%25é]/", "http://[fe80::1%25%C3%A9]/", id="an escaped zone"),
        pytest.param("http://[fe80::1%25]/", "http://%5Bfe80%3A%3A1%25%5D/", id="an empty zone"),
        pytest.param("http://h\\@e/", "http://h%5C@e/", id="a backslash is not a slash"),
        pytest.param("//h:1/a:b", "//h:1/a:b", id="network-path reference"),
        pytest.param("///a//b", "///a//b", id="empty authority and segments"),
        pytest.param("a:b:c", "a:b:c", id="a scheme"),
        pytest.param("1a:b:c/d:e", "1a%3Ab%3Ac/d:e", id="colons that would make a scheme"),
        pytest.param(" http://h/", "%20http%3A//h/", id="a space in front"),
        pytest.param("é:/x", "%C3%A9%3A/x", id="a scheme outside ASCII"),
        pytest.param("./a:b", "./a:b", id="a colon in a later segment"),
        pytest.param("mailto:a@b?subject=c d", "mailto:a@b?subject=c%20d", id="no authority"),
        pytest.param("data:,[é]", "data:,%5B%C3%A9%5D", id="a scheme without slashes"),
        pytest.param("/a/../b/./c", "/a/../b/./c", id="dot segments stay"),
    ],
)
def test_a_text_is_cleaned_to_a_valid_uri(text: str, cleaned: str) -> None:
    assert uri.clean(text) == cleaned
    assert uri.clean(cleaned) == cleaned
    assert is_valid(cleaned)


@pytest.mark.parametrize("text", ["http://[::1]", "http://[1:2:3:4:5:6:7::]", "http://[::1.2.3.4]"])
def test_valid_uris_are_unchanged(text: str) -> None:
    assert uri.clean(text) is not None
    assert uri.clean(text) == text


@pytest.mark.parametrize(("text", "offset"), [("\ud800", 0), ("http://h/é\udfff", 10)])
def test_a_lone_surrogate_is_refused(text: str, offset: int) -> None:
    for function in (uri.clean, uri.respell):
        with pytest.raises(uri.DecodeError) as caught:
            function(text)
        assert (caught.value.what, caught.value.offset) == ("lone-surrogate", offset)


@pytest.mark.parametrize(
    ("text", "respelled"),
    [
        pytest.param("/%c3%a9%2f", "/%C3%A9%2F", id="upper-case hex"),
        pytest.param("/%7e%41%2d", "/~A-", id="unreserved characters"),
        pytest.param("/%%34%31", "/%2541", id="a stray percent sign creates no escape"),
        pytest.param("/é %zz", "/%C3%A9%20%25zz", id="the text is cleaned, too"),
        pytest.param("/%2e%2E/", "/../", id="decoding reveals dot segments"),
        pytest.param("http://%C3%A9%41/", "http://%C3%A9A/", id="the host is respelled, too"),
    ],
)
def test_a_uri_is_respelled(text: str, respelled: str) -> None:
    assert uri.respell(text) == respelled
    assert uri.respell(respelled) == respelled == uri.clean(respelled)
