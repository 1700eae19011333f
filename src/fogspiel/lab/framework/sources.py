"""The theses that several studies answer, as their pages name them."""

from __future__ import annotations

SHAFIEI = (
    "M. Shafiei Khadem, Simultaneous move games in general game playing (MSc thesis, University of "
    "Alberta 2010)"
)
RICHARDS = (
    "M. Richards, Reasoning and decisions in partially observable games (PhD thesis, University of "
    "Illinois 2012)"
)
CERNY = (
    "J. Cerny, Playing general imperfect-information games using game-theoretic algorithms "
    "(BSc thesis, Czech Technical University in Prague 2014)"
)
