"""Where hooks may lead: addresses by IANA's registries, URLs by what receivers need.

The registries: iana-ipv4-special-registry and iana-ipv6-special-registry; 6to4 is RFC 3056, NAT64
RFC 6052, Teredo RFC 4380. Each address is inside such a block, at one of its ends if it can be.
"""

from __future__ import annotations

import pytest

from samedeal_server.adapters.webhooks.addresses import is_near, is_public
from samedeal_server.adapters.webhooks.urls import BadUrl, Target, target_of
from support.cases import case

NOT_PUBLIC = """
0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1 127.255.255.255
168.63.129.16 169.254.0.0 169.254.169.254 172.16.0.0 172.31.255.255 192.0.0.8 192.0.0.192 192.0.2.1
192.88.99.1 192.168.0.0 192.168.255.255 198.18.0.0 198.19.255.255 198.51.100.7 203.0.113.255
224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
:: ::1 ::ffff:10.0.0.1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::7f00:1 ::808:808
64:ff9b::7f00:1 64:ff9b::808:808 64:ff9b:1::1 100::1 2001::1 2001:0:5ef5:79fb:: 2001:db8::1
2002:7f00:1:: 2002:808:808::1 3fff::1 4000::1 5f00::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0
fec0::1 ff02::1 ff0e::1
""".split()
NO_ADDRESS = [
    "",
    "localhost",
    "127.1",
    "0x7f.0.0.1",
    "2130706433",
    "017700000001",
    "1.1.1.1 ",
    "[::1]",
]
PUBLIC = """
1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
169.253.255.255 172.15.255.255 172.32.0.0 192.0.1.0 192.167.255.255 192.169.0.0 198.17.255.255
198.20.0.0 223.255.255.255 2606:4700:4700::1111 2a00:1450:4001::1 2001:200::1 2003::1
""".split()


def test_what_is_not_of_the_public_internet_is_not_public() -> None:
    for address in NOT_PUBLIC + NO_ADDRESS:
        with case(address):
            assert not is_public(address)


def test_its_neighbours_are_public() -> None:
    for address in PUBLIC:
        with case(address):
            assert is_public(address)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("127.0.0.1", True),
        ("127.255.0.1", True),
        ("::1", True),
        ("10.0.0.1", True),
        ("172.31.255.255", True),
        ("192.168.1.1", True),
        ("fd12::1", True),
        ("::ffff:127.0.0.1", False),
        ("::ffff:10.0.0.1", False),
        ("::", False),
        ("0.0.0.0", False),
        ("8.8.8.8", False),
        ("100.64.0.1", False),
        ("169.254.169.254", False),
        ("168.63.129.16", False),
        ("fe80::1", False),
        ("fd00:ec2::254", False),
        ("fd20:ce::254", False),
        ("localhost", False),
    ],
)
def test_near_is_this_machine_and_private_networks_in_the_usual_form(
    address: str, expected: bool
) -> None:
    assert is_near(address) is expected


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://example.org", Target("example.org", 443, "/")),
        ("https://Example.ORG/", Target("example.org", 443, "/")),
        ("https://example.org:8443/a/b?c=d&e", Target("example.org", 8443, "/a/b?c=d&e")),
        ("https://example.org?x=1", Target("example.org", 443, "/?x=1")),
        ("https://xn--bcher-kva.example/%C3%A4", Target("xn--bcher-kva.example", 443, "/%C3%A4")),
        ("https://1.1.1.1/x", Target("1.1.1.1", 443, "/x")),
        ("https://[2606:4700::1111]/x", Target("2606:4700::1111", 443, "/x")),
        ("HTTPS://example.org:443/x@y", Target("example.org", 443, "/x@y")),
    ],
)
def test_where_a_url_leads(url: str, target: Target) -> None:
    assert target_of(url) == target


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://example.org/", "begin with https://"),
        ("ftp://example.org/", "begin with https://"),
        ("file:///etc/passwd", "begin with https://"),
        ("example.org/hook", "begin with https://"),
        ("//example.org/hook", "begin with https://"),
        ("", "printable ASCII"),
        ("https://example.org/" + "x" * 481, "up to 500"),
        ("https://example.org/a b", "%20"),
        ("https://example.org/\r\nX: y", "printable ASCII"),
        ("https://exa\tmple.org/", "printable ASCII"),
        ("https://example.org\\@10.0.0.1/", "backslashes"),
        ("https://bücher.example/", "xn--"),
        ("https://user:word@example.org/", "leave user and password out"),
        ("https://example.org@10.0.0.1/", "leave user and password out"),
        ("https://@example.org/", "leave user and password out"),
        ("https://example.org/#top", "leave out the #"),
        ("https://example.org#@10.0.0.1/", "leave out the #"),
        ("https://example.org:80/", "443 or 8443, not 80"),
        ("https://example.org:22/", "443 or 8443, not 22"),
        ("https://example.org:0/", "443 or 8443, not 0"),
        ("https://example.org:99999/", "no URL"),
        ("https://example.org:x/", "no URL"),
        ("https://[::1/", "no URL"),
        ("https:///hook", "no host"),
        ("https://-x.example/", "no host"),
        ("https://a..example/", "no host"),
        ("https://example.org./", "no host"),
        ("https://%6c%6f/", "no host"),
        ("https://intranet/", "intranet.example.org"),
        ("https://2130706433/", "the public internet"),
        ("https://0x7f000001/", "0x7f000001.example.org"),
        ("https://localhost/", "full name"),
        ("https://x.localhost/", "the public internet"),
        ("https://metadata.google.internal/", "the public internet"),
        ("https://printer.local/", "the public internet"),
        ("https://127.0.0.1/", "the public internet"),
        ("https://127.1/", "the public internet"),
        ("https://10.1.2.3/", "the public internet"),
        ("https://169.254.169.254/latest/meta-data/", "the public internet"),
        ("https://[::1]/", "the public internet"),
        ("https://[::ffff:10.0.0.1]/", "the public internet"),
        ("https://[fe80::1%25eth0]/", "leave the zone out"),
    ],
)
def test_a_url_that_cannot_be_is_refused_with_what_to_do(url: str, said: str) -> None:
    with pytest.raises(BadUrl) as refused:
        target_of(url)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("http://127.0.0.1:8000/x", Target("127.0.0.1", 8000, "/x", is_tls=False)),
        ("http://[::1]:8000/x", Target("::1", 8000, "/x", is_tls=False)),
        ("http://localhost/", Target("localhost", 80, "/", is_tls=False)),
        ("https://localhost:9000/", Target("localhost", 9000, "/")),
        ("http://10.0.0.7:8000/", Target("10.0.0.7", 8000, "/", is_tls=False)),
        ("https://[fd12::1]/", Target("fd12::1", 443, "/")),
        ("http://receiver:8000/", Target("receiver", 8000, "/", is_tls=False)),
    ],
)
def test_for_trials_a_url_may_lead_to_this_machine_and_its_networks(
    url: str, target: Target
) -> None:
    assert target_of(url, may_be_near=True) == target


@pytest.mark.parametrize(
    "url", ["http://169.254.169.254/", "https://[fd00:ec2::254]/", "http://0.0.0.0/", "ftp://box/"]
)
def test_even_for_trials_a_url_may_not_lead_to_what_clouds_tell(url: str) -> None:
    with pytest.raises(BadUrl):
        target_of(url, may_be_near=True)


@pytest.mark.parametrize(
    ("url", "authority"),
    [
        ("https://example.org/", "example.org"),
        ("https://example.org:8443/", "example.org:8443"),
        ("https://[2606:4700::1111]:8443/", "[2606:4700::1111]:8443"),
    ],
)
def test_the_host_is_named_with_a_port_that_is_not_the_usual(url: str, authority: str) -> None:
    assert target_of(url).authority == authority


def test_a_target_is_shown_without_its_path() -> None:
    assert "secret" not in repr(target_of("https://example.org/secret?secret"))
