"""What matches are called to players: words that protocols and files can hold.

A name is a digest of what tells a match from all others, seeds among it: a player that could find
the seed of its match by trying could compute what chance will do.
"""

from __future__ import annotations

import hashlib
import re

DIGEST_CHARACTERS = 12


def match_name(game: str, *key: object) -> str:
    """key: what no other match shares."""
    plain = re.sub(r"[^A-Za-z0-9_]+", "_", game).strip("_") or "game"
    return f"{plain}.{digest_of('name', *key)[:DIGEST_CHARACTERS]}"


def digest_of(*key: object) -> str:
    """Something that players may see, in hexadecimal: it does not lead back to the key."""
    text = "\n".join(map(str, key))
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
