"""Colours for GDL in prefix form: `gdl` blocks of the documentation."""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, Text

from fogspiel.rules.gdl.syntax import CONNECTIVES, KEYWORD_ARITIES

WORD_END = r"(?=[\s()]|$)"


class GdlLexer(RegexLexer):
    """The words of the language, variables, numbers and comments; names stay plain."""

    name = "GDL"
    aliases: ClassVar[list[str]] = ["gdl"]
    tokens: ClassVar[dict[str, list[tuple[object, ...]]]] = {
        "root": [
            (r"\s+", Text),
            (r";.*", Comment),
            (r"[()]", Punctuation),
            (words(tuple(sorted(KEYWORD_ARITIES)), suffix=WORD_END), Keyword),
            (words(tuple(sorted(CONNECTIVES)), suffix=WORD_END), Operator.Word),
            (r"\?[^\s()]+", Name.Variable),
            (rf"\d+{WORD_END}", Number),
            (r"[^\s()]+", Name),
        ]
    }
