"""URLs and addresses that a manager takes: a fake network notes whatever would be tried."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fogspiel.core.findings import UsageError
from fogspiel.play.ggp.http.addresses import may_connect, pinned, read_url
from fogspiel.play.ggp.http.client import ExchangeError, Exchanges

TRICKS = """
http://2130706433:9147/
http://017700000001:9147/
http://0x7f000001:9147/
http://0x7f.0x0.0x0.0x1:9147/
http://0x7f.1:9147/
http://127.1:9147/
http://127.0.1:9147/
http://0177.0.0.1:9147/
http://127.0.0.01:9147/
http://127.0.0.1.:9147/
http://127.0.0.1.nip:9147@10.0.0.1/
http://127.0.0.256:9147/
http://127.0.0.1.5:9147/
http://0:9147/
http://0x0:9147/
http://[::ffff:127.0.0.1]:9147/
http://[::ffff:7f00:1]:9147/
http://[::ffff:10.0.0.1]:9147/
http://[0:0:0:0:0:ffff:a9fe:a9fe]:9147/
http://[::127.0.0.1]:9147/
http://[::a00:1]:9147/
http://[::]:9147/
http://[fe80::1%25eth0]:9147/
http://[fe80::1%eth0]:9147/
http://[::1%25lo]:9147/
http://[::1]x:9147/
http://[::1:9147/
http://::1:9147/
http://[127.0.0.1]:9147/
http://[v1.x]:9147/
http://[64:ff9b::7f00:1]:9147/
http://[64:ff9b::169.254.169.254]:9147/
http://[2002:7f00:1::]:9147/
http://[2002:a9fe:a9fe::]:9147/
http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]:9147/
http://[ff02::1]:9147/
http://[fec0::1]:9147/
http://[fd00:ec2::254]:9147/
http://169.254.169.254:80/
http://169.254.0.1:9147/
http://100.100.100.200:80/
http://192.0.0.192:80/
http://168.63.129.16:80/
http://0.0.0.0:9147/
http://0.1.2.3:9147/
http://255.255.255.255:9147/
http://224.0.0.1:9147/
http://239.255.255.250:1900/
http://240.0.0.1:9147/
http://127.0.0.1:0/
http://127.0.0.1:65536/
http://127.0.0.1:99999/
http://127.0.0.1:009147/
http://127.0.0.1:-1/
http://127.0.0.1:+80/
http://127.0.0.1:80:80/
http://127.0.0.1:/
http://127.0.0.1/
http://127.0.0.1:9147?host=10.0.0.1
http://127.0.0.1:9147/?x
http://127.0.0.1:9147/#x
http://127.0.0.1:9147#@10.0.0.1/
http://127.0.0.1:9147\\@10.0.0.1/
http:\\\\127.0.0.1:9147/
http:/127.0.0.1:9147/
http:127.0.0.1:9147/
http:///127.0.0.1:9147/
http://:9147/
http://@127.0.0.1:9147/
http://user@127.0.0.1:9147/
http://user:password@127.0.0.1:9147/
http://10.0.0.1:80@127.0.0.1:9147/
http://127.0.0.1%2f@10.0.0.1:9147/
http://127.0.0.1%00.example:9147/
http://%31%32%37.0.0.1:9147/
http://local%68ost:9147/
http://127.0.0.1:9147/%2e%2e/
http://localhost.:9147/
http://.localhost:9147/
http://local..host:9147/
http://-localhost:9147/
http://localhost-:9147/
http://local_host:9147/
http://local host:9147/
http://localhost :9147/
http://example.0x7f:9147/
http://example.1:9147/
https://127.0.0.1:9147/
HTTP+unix://127.0.0.1:9147/
ftp://127.0.0.1:9147/
file:///etc/passwd
gopher://127.0.0.1:9147/
//127.0.0.1:9147/
127.0.0.1:9147
""".strip().splitlines()
ODD_CHARACTERS = [
    "http://\uff11\uff12\uff17.\uff10.\uff10.\uff11:9147/",
    "http://127\u30020\u30020\u30021:9147/",
    "http://\u2460\u2461\u2466.\u24ea.\u24ea.\u2460:9147/",
    "http://\u24dbocalhost:9147/",
    "http://\u0661\u0662\u0667.0.0.1:9147/",
    "http://127.0.0.1:\uff19\uff11\uff14\uff17/",
    "http://127.0.0.1:9147/\r\nX: y",
    "http://127.0.0.1:9147/\n",
    "\nhttp://127.0.0.1:9147/",
    " http://127.0.0.1:9147/",
    "http://127.0.0.1\t:9147/",
    "http://127.0.0.1\x00:9147/",
    "http://127.0.0.1\u200b:9147/",
    "http://127.0.0.1\u2024.1:9147/",
    "http://127.0.0.1:9147/" + "a" * 1000,
    "http://" + "a" * 64 + ":9147/",
    "http://" + ".".join(["a" * 60] * 5) + ":9147/",
    "",
]
NEVER = ("10.0.0.1", "192.168.0.1", "8.8.8.8", "169.254.169.254", "::ffff:127.0.0.1", "fe80::1%2")


class Network:
    """Takes the place of the system: it answers by a script and notes what was tried."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.asked = 0
        self.connected: list[str] = []

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        self.asked += 1
        return self.answers[min(self.asked, len(self.answers)) - 1]

    async def connect(
        self, address: str, port: int
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        self.connected.append(address)
        raise ConnectionRefusedError


def tried(text: str, network: Network, *, allow_remote: bool = False, times: int = 1) -> list[str]:
    """The connections of a client that is told to talk to a URL, some times."""

    async def talk() -> None:
        for place in await pinned(
            read_url(text), allow_remote=allow_remote, resolve=network.resolve
        ):
            for _ in range(times):
                with pytest.raises(ExchangeError):
                    await Exchanges(connect=network.connect).ask(place, "(INFO)", seconds=1)

    asyncio.run(talk())
    return network.connected


@pytest.mark.parametrize("allow_remote", [False, True])
@pytest.mark.parametrize("url", [*TRICKS, *ODD_CHARACTERS])
def test_no_trick_opens_a_connection(url: str, allow_remote: bool) -> None:
    network = Network(["127.0.0.1"])
    with pytest.raises(UsageError) as raised:
        tried(url, network, allow_remote=allow_remote)
    assert raised.value.findings[0].code in {"NET001", "NET002"}
    assert network.connected == []
    assert network.asked == 0


def test_there_are_enough_tricks() -> None:
    assert len(set(TRICKS + ODD_CHARACTERS)) >= 100


@pytest.mark.parametrize(
    ("url", "addresses"),
    [
        ("http://127.0.0.1:9147", ["127.0.0.1"]),
        ("http://127.9.9.9:1/", ["127.9.9.9"]),
        ("http://[::1]:65535/players/uct", ["::1"]),
        ("http://[0:0:0:0:0:0:0:1]:9147/", ["::1"]),
        ("http://LocalHost:9147/", ["127.0.0.1", "::1"]),
    ],
)
def test_loopback_is_connected_to(url: str, addresses: list[str]) -> None:
    assert tried(url, Network(["::1", "127.0.0.1", "::1"])) == addresses


@pytest.mark.parametrize("address", ["10.0.0.1", "192.168.7.7", "8.8.8.8", "2600::1", "fd12::1"])
def test_other_machines_are_reached_only_if_they_are_allowed(address: str) -> None:
    shown = f"[{address}]" if ":" in address else address
    with pytest.raises(UsageError, match="NET002") as raised:
        tried(f"http://{shown}:9147/", network := Network(["127.0.0.1"]))
    assert network.connected == []
    assert "--allow-remote" in raised.value.findings[0].fix
    assert tried(f"http://{shown}:9147/", network, allow_remote=True) == [address]


@pytest.mark.parametrize("elsewhere", NEVER)
def test_a_name_may_not_mean_loopback_and_something_else(elsewhere: str) -> None:
    network = Network(["127.0.0.1", elsewhere])
    with pytest.raises(UsageError, match="NET002"):
        tried("http://player.example:9147/", network)
    assert network.connected == []


@pytest.mark.parametrize("elsewhere", NEVER)
def test_a_name_that_means_something_else_later_is_not_asked_again(elsewhere: str) -> None:
    network = Network(["127.0.0.1"], [elsewhere])
    assert tried("http://player.example:9147/", network, times=5) == ["127.0.0.1"] * 5
    assert network.asked == 1


def test_a_name_without_an_address_is_told() -> None:
    async def fails(host: str, port: int) -> Sequence[str]:
        raise OSError("no such name")

    async def hangs(host: str, port: int) -> Sequence[str]:
        await asyncio.sleep(60)
        return []

    async def none(host: str, port: int) -> Sequence[str]:
        return []

    async def nonsense(host: str, port: int) -> Sequence[str]:
        return ["127.1"]

    url = read_url("http://player.example:9147")
    for resolve in (fails, hangs, none, nonsense):
        with pytest.raises(UsageError, match="NET003"):
            asyncio.run(pinned(url, allow_remote=True, resolve=resolve, seconds=0.02))


def test_the_system_knows_localhost() -> None:
    places = asyncio.run(pinned(read_url("http://localhost:9147"), allow_remote=False))
    assert {place.address for place in places} <= {"127.0.0.1", "::1"}
    assert places


@given(st.integers(0, 2**32 - 1))
def test_an_address_of_ipv4_inside_one_of_ipv6_is_refused(number: int) -> None:
    address = ipaddress.IPv4Address(number)
    for prefix in ("::", "::ffff:", "::ffff:0:", "64:ff9b::"):
        inside = ipaddress.IPv6Address(f"{prefix}{address}")
        if int(inside) != 1:
            assert not may_connect(inside, allow_remote=True)


@given(st.text(max_size=40) | st.from_regex(r"http://[0-9a-fx.:\[\]%@]{1,30}:\d{1,6}/?"))
def test_what_is_read_is_written_the_same_way(text: str) -> None:
    try:
        url = read_url(text)
    except UsageError:
        return
    assert read_url(str(url)) == read_url(str(read_url(str(url))))
    assert 0 < url.port < 65536
    assert text.isascii()
