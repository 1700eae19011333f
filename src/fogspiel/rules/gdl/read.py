"""Reading of GDL: limits on size, decoding, the notation of a text, and names that differ by case.

Keywords are read in any case and all other names exactly as written. One exception follows what
the public sheets need: a relation that is asked for in one spelling and stated only in another
(`timeOut` and `timeout`) can only have been meant as one, and is read so, with a warning. Three of
about 600 public sheets need this; none uses two spellings for two different relations.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

from fogspiel.core.findings import Finding, LimitError, RulesError, UsageError, errors_in
from fogspiel.core.limits import ReadLimits
from fogspiel.core.source import Source, Span
from fogspiel.rules.gdl.cross_reference import CrossReference
from fogspiel.rules.gdl.infix import read_infix
from fogspiel.rules.gdl.prefix import read_prefix
from fogspiel.rules.gdl.syntax import And, Atom, Description, Formula, Not, Notation, Or

DEFAULT_LIMITS = ReadLimits()

BLANK = re.compile(r"\s+|;[^\n]*|%[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
INFIX_START = re.compile(r"(?:'[^'\n]*'|[^\s()]*?)[ \t]*(?::-|(?<=\S)\(|(?<=\S)\.(?:\s|$))")
COMMENT = re.compile(r";[^\n]*|%[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
WORD = re.compile(r"[^\s()|,.&~]+")
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")


def read_description(
    source: Source, *, limits: ReadLimits = DEFAULT_LIMITS
) -> tuple[Description, list[Finding]]:
    """The rules of a text in either dialect, and what could not be read of it.

    The findings are those of reading alone; `checks.check` judges the rules. Raises `LimitError`
    for a text beyond the limits.
    """
    refuse_bytes(source.name, len(source.text), limits)
    read = read_infix if dialect_of(source.text) is Notation.INFIX else read_prefix
    description, findings = read(source, limits)
    if errors_in(findings):
        description = replace(description, lost=_lost_words(description))
    description, folded = fold_stray_case(description)
    return description, findings + folded


def read_file(path: Path | str, *, limits: ReadLimits = DEFAULT_LIMITS) -> Source:
    """The text of a file. Never reads more than the limit on bytes."""
    path = Path(path)
    try:
        with path.open("rb") as stream:
            data = stream.read(limits.bytes + 1)
    except OSError as error:
        raise UsageError.of(
            "GAM002",
            f"cannot read {path}: {error.strerror or error}",
            fix="give the path of a readable rule file, or the name of a bundled game",
        ) from error
    return source_from_bytes(str(path), data, limits)


def source_from_bytes(name: str, data: bytes, limits: ReadLimits = DEFAULT_LIMITS) -> Source:
    """Decode a rule text: UTF-8, with or without a byte order mark, else Latin-1."""
    refuse_bytes(name, len(data), limits)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        # Old sheets hold accented letters of Latin-1 in comments; every byte means something there.
        text = data.decode("latin-1")
    if control := CONTROL.search(text):
        raise RulesError.of(
            "GDL011",
            f"this is not text: it holds the control character U+{ord(control.group()):04X}",
            fix="give a rule file in UTF-8; compressed files must be unpacked first",
            source=Source(name, text),
            span=Span(*control.span()),
        )
    return Source(name, text)


def refuse_bytes(name: str, size: int, limits: ReadLimits) -> None:
    """Raise `LimitError` for a text that is too long."""
    if size > limits.bytes:
        raise LimitError.of(
            "GDL012",
            f"{name} is longer than {limits.bytes:,} bytes",
            fix="split off what is not rules, or state repeated facts by rules with variables",
        )


def dialect_of(text: str) -> Notation:
    """Prefix texts start with a parenthesis; infix ones with a name and then `(`, `:-` or a dot."""
    at = 0
    has_infix_comment = False
    while blank := BLANK.match(text, at):
        has_infix_comment = has_infix_comment or text[at] in "%/"
        at = blank.end()
    if at == len(text):
        return Notation.INFIX if has_infix_comment else Notation.PREFIX
    if text[at] in "(|":
        return Notation.PREFIX
    return Notation.INFIX if INFIX_START.match(text, at) else Notation.PREFIX


def fold_stray_case(description: Description) -> tuple[Description, list[Finding]]:
    """Read relations that nothing states as the ones that differ from them only by case."""
    sheet = CrossReference(description)
    spellings: dict[tuple[str, int], set[str]] = defaultdict(set)
    for name, arity in sheet.heads:
        spellings[name.lower(), arity].add(name)
    renamed: dict[tuple[str, int], str] = {}
    findings: list[Finding] = []
    for use in sheet.uses:
        name, arity = used = use.atom.signature
        candidates = spellings.get((name.lower(), arity), set())
        if used in sheet.heads or used in renamed or len(candidates) != 1:
            continue
        (renamed[used],) = candidates
        findings.append(
            sheet.warning(
                "GDL054",
                use.atom.span,
                f"`{name}` is stated nowhere, `{renamed[used]}` is: read as the same relation",
                f"write {renamed[used]}",
            )
        )
    if not renamed:
        return description, []
    rules = tuple(
        replace(rule, body=tuple(_renamed(formula, renamed) for formula in rule.body))
        for rule in description.rules
    )
    return replace(description, rules=rules), findings


def _lost_words(description: Description) -> frozenset[str]:
    """The words of a text that stand in none of its rules."""
    text, at = description.source.text, 0
    parts: list[str] = []
    for span in sorted(rule.span for rule in description.rules):
        parts.append(text[at : span.start])
        at = max(at, span.end)
    return frozenset(WORD.findall(COMMENT.sub(" ", "\n".join([*parts, text[at:]]))))


def _renamed(formula: Formula, names: dict[tuple[str, int], str]) -> Formula:
    match formula:
        case Atom(predicate):
            return replace(formula, predicate=names.get(formula.signature, predicate))
        case Not(inner):
            return replace(formula, formula=_renamed(inner, names))
        case And(formulas) | Or(formulas):
            return replace(formula, formulas=tuple(_renamed(part, names) for part in formulas))
        case _:
            return formula
