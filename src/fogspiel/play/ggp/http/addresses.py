"""URLs of players: which are understood, and which addresses may be connected to.

A manager connects wherever it is told to, from inside the network that it stands in. So addresses
are loopback unless remote ones were allowed, and some are refused even then: those of the link
itself (where clouds keep the credentials of a machine), of groups, of nobody, and the forms of
IPv6 that hide an address of IPv4. A name is resolved once: what it is said to mean later does not
matter.

There is one spelling of an address, the plain one. Programs disagree on what all others mean
(WHATWG URL, section 3.5, reads `0x7f.1` as 127.0.0.1; RFC 3986, section 3.2.2, calls it a name).
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from typing import TypeAlias

from fogspiel.core.findings import UsageError

RESOLVE_SECONDS = 5.0
MOST_ADDRESSES = 16  #: Addresses of one name that are tried
MOST_CHARACTERS = 500
USUAL_PORT = 9147

URL = re.compile(
    r"http://(?P<host>\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9.-]{1,253})"
    r":(?P<port>[1-9][0-9]{0,4})(?P<path>/[A-Za-z0-9._~/-]*)?",
    re.ASCII,
)
LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?", re.ASCII)
LIKE_A_NUMBER = re.compile(r"[0-9]+|0[xX][0-9A-Fa-f]*", re.ASCII)

Address: TypeAlias = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]  #: The addresses of a name, for a port

NEVER = tuple(
    map(
        ipaddress.ip_network,
        (
            "0.0.0.0/8",  # this network; 0.0.0.0 reaches the machine itself
            "169.254.0.0/16",  # the link, and the metadata of clouds
            "192.0.0.0/24",  # protocol assignments, and metadata of a cloud
            "100.100.100.200/32",  # metadata of a cloud
            "168.63.129.16/32",  # services of a cloud for its guests
            "224.0.0.0/4",  # groups
            "240.0.0.0/4",  # reserved, and the broadcast address
            "::/96",  # the unspecified address and IPv4 inside; ::1 is looked at before
            "::ffff:0:0/96",  # IPv4 inside
            "::ffff:0:0:0/96",  # IPv4 translated
            "64:ff9b::/96",  # IPv4 behind a translator
            "64:ff9b:1::/48",  # the same, local
            "100::/64",  # discarded
            "2001::/23",  # Teredo and other assignments that lead elsewhere
            "2002::/16",  # 6to4: IPv4 inside
            "fd00:ec2::/32",  # metadata of a cloud
            "fe80::/10",  # the link
            "fec0::/10",  # sites, which are no more
            "ff00::/8",  # groups
        ),
    )
)


@dataclass(frozen=True, slots=True)
class PlayerUrl:
    """A URL whose every part was looked at."""

    host: str  #: A name, or an address without brackets
    port: int
    path: str

    def __str__(self) -> str:
        """The URL by which a player is named."""
        return f"http://{self.authority}{self.path.rstrip('/')}"

    @property
    def authority(self) -> str:
        """Host and port, as the header `Host` has them."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class PinnedAddress:
    """The address of a player for as long as it plays: nothing is resolved any more."""

    url: PlayerUrl
    address: str


def read_url(text: str) -> PlayerUrl:
    """The player's URL. Raises `UsageError` NET001 for one that is not plain."""
    match = URL.fullmatch(text) if len(text) <= MOST_CHARACTERS else None
    if match is None:
        raise _not_plain(text)
    port, host = int(match["port"]), match["host"]
    if port >= 1 << 16 or (host := _plain_host(host)) == "":
        raise _not_plain(text)
    return PlayerUrl(host, port, match["path"] or "/")


def _plain_host(host: str) -> str:
    """An address in its plain spelling, or a name in small letters; empty for all else."""
    try:
        if host.startswith("["):
            return str(IPv6Address(host[1:-1]))
        if LIKE_A_NUMBER.fullmatch(host.rpartition(".")[2]):
            return str(IPv4Address(host))
    except ValueError:
        return ""
    return host.lower() if all(map(LABEL.fullmatch, host.split("."))) else ""


async def pinned(
    url: PlayerUrl,
    *,
    allow_remote: bool,
    resolve: Resolve | None = None,
    seconds: float = RESOLVE_SECONDS,
) -> list[PinnedAddress]:
    """The addresses of a player, to be tried in this order; one of them should be kept.

    Raises `UsageError` NET002 if any of them may not be connected to, NET003 if there is none.
    """
    try:
        texts: Sequence[str] = [str(ipaddress.ip_address(url.host))]
    except ValueError:
        texts = await _resolved(url, resolve or resolve_by_system, seconds)
    addresses = list(dict.fromkeys(_address_of(url, text) for text in texts[:MOST_ADDRESSES]))
    for address in addresses:
        if not may_connect(address, allow_remote=allow_remote):
            raise _refused(url, address, allow_remote)
    # Players that listen at one of both listen at IPv4.
    addresses.sort(key=lambda address: address.version)
    return [PinnedAddress(url, str(address)) for address in addresses]


def may_connect(address: Address, *, allow_remote: bool) -> bool:
    """Whether an address may be connected to."""
    if _is_loopback(address):
        return True
    own = (network for network in NEVER if network.version == address.version)
    return allow_remote and not any(address in network for network in own)


def _is_loopback(address: Address) -> bool:
    # `is_loopback` of later Pythons looks through addresses of IPv6 with one of IPv4 inside.
    if isinstance(address, IPv6Address):
        return int(address) == 1 and address.scope_id is None
    return address.is_loopback


async def _resolved(url: PlayerUrl, resolve: Resolve, seconds: float) -> Sequence[str]:
    try:
        async with asyncio.timeout(seconds):
            found = await resolve(url.host, url.port)
    except (OSError, UnicodeError, TimeoutError) as error:
        why = f"it took longer than {seconds:g} s" if isinstance(error, TimeoutError) else error
        raise _unknown(url, str(why)) from None
    if not found:
        raise _unknown(url, "no address")
    return found


async def resolve_by_system(host: str, port: int) -> Sequence[str]:
    """What the system says: its file of hosts and its name servers, in a thread."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


def _address_of(url: PlayerUrl, text: str) -> Address:
    """An address that a resolver gave; it may carry a zone, which `may_connect` then refuses."""
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        raise _unknown(url, f"{text!r} is no address") from None


def _not_plain(text: str) -> UsageError:
    shown = ascii(text if len(text) <= 100 else text[:99] + "…")
    return UsageError.of(
        "NET001",
        f"{shown} is not the plain URL of a player",
        fix=f"write http://HOST:PORT, such as http://127.0.0.1:{USUAL_PORT}: http alone, a name "
        "or a plain address, and the port; no user, no query, no escapes",
    )


def _refused(url: PlayerUrl, address: Address, allow_remote: bool) -> UsageError:
    at = "" if url.host == str(address) else f" is at {address}, which"
    if not allow_remote and may_connect(address, allow_remote=True):
        fix = "give --allow-remote if the manager shall connect to other machines"
    else:
        fix = "let the player listen at an ordinary address of its machine"
    return UsageError.of("NET002", f"{url}{at} is an address that may not be connected to", fix=fix)


def _unknown(url: PlayerUrl, why: str) -> UsageError:
    return UsageError.of(
        "NET003",
        f"the address of {url} cannot be found: {why[:200]}",
        fix="check the name, or write the address itself",
    )
