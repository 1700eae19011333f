"""The knowledge base of declarer play, read once from its file of methods."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from fogspiel.cases.bridge.tignum.position import DEFENCE
from fogspiel.cases.bridge.tignum.relations import KNOWN
from fogspiel.core.source import Source
from fogspiel.plan.language.reading import sound_network
from fogspiel.plan.language.vocabulary import ANY, GameVocabulary
from fogspiel.plan.task_network import TaskNetwork

FILE = Path(__file__).with_name("bridge.methods")

VOCABULARY = GameVocabulary(
    {(name, arity): (ANY,) * arity for name, (arity, _) in KNOWN.items()}
    | {(name, 2): (ANY, ANY) for name in DEFENCE}
)


@cache
def knowledge_base() -> TaskNetwork:
    """All schemes, and what defenders do against them."""
    return sound_network(Source(FILE.name, FILE.read_text("utf-8")), vocabulary=VOCABULARY)
