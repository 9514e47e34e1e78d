"""The tokens of TEI texts that mark each word: ``<w lemma="be" pos="VERB">is</w>`` and ``<pc>.</pc>``."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from termburst.reading.formats.safe_xml import local_name

_LEMMA = ("lemma", "hw")  # TEI; the British National Corpus
_TAG = ("pos", "ana", "type", "c5", "function")
_UPOS = re.compile(r"\bUPosTag=(\w+)")  # ParlaMint and other corpora made from Universal Dependencies


def words_of(bodies: list[Any], layer: str, tally: Counter[tuple[str, str]]) -> list[str] | None:
    """All tokens of a text in one layer; None where its words are not marked.

    A word that holds words (the contraction *du* that stands for *de le*) is one token of the layer "form", and its
    parts are the tokens of the other layers. A word without a lemma or a tag is taken by its form or as "X", and said.

    Examples
    --------
    >>> from termburst.reading.formats.safe_xml import parse
    >>> body = parse(b"<body><w lemma='be' pos='VERB'>is</w> <w lemma='it'>it</w><pc>?</pc></body>", print)
    >>> words_of([body], "form", Counter()), words_of([body], "lemma_upos", Counter())
    (['is', 'it', '?'], ['be_VERB', 'it_X', '?_X'])
    """
    nodes = [node for body in bodies for node in body.iter(*_tags(body))]
    if not any(local_name(node) == "w" for node in nodes[:100]) and not any(local_name(node) == "w" for node in nodes):
        return None
    forms = _forms(_outermost(nodes))
    _say_what_is_outside(bodies, forms, tally)
    if layer == "form":
        return [form for form in forms if form]
    parts = _parts(nodes)
    forms, nodes = forms if parts is nodes else _forms(parts), parts
    lemmas = _values(nodes, _LEMMA) if "lemma" in layer else []
    tags = _tags_of(nodes) if "upos" in layer else []
    if lemmas:
        _say_missing(lemmas, forms, "lemma", "the form is taken", tally)
        lemmas = [lemma or form for lemma, form in zip(lemmas, forms, strict=True)]
    if tags:
        _say_missing(tags, forms, "part of speech", "X is taken", tally)
        tags = [tag or "X" for tag in tags]
    if layer == "lemma":
        return [lemma for lemma in lemmas if lemma]
    if layer == "upos":
        return tags
    return [f"{lemma}_{tag}" for lemma, tag in zip(lemmas, tags, strict=True) if lemma]


def _tags(body: Any) -> tuple[str, ...]:
    space = str(body.tag).rpartition("}")[0]
    names = ("w", "pc", "c") if local_name(body) in ("wtext", "stext") else ("w", "pc")
    return tuple(f"{space}}}{name}" if space else name for name in names)


def _holding(nodes: list[Any]) -> set[Any]:
    """The words that hold words."""
    return {node for node in nodes if len(node) and any(local_name(child) == "w" for child in node)}


def _outermost(nodes: list[Any]) -> list[Any]:
    holding = _holding(nodes)
    return [node for node in nodes if node.getparent() not in holding] if holding else nodes


def _parts(nodes: list[Any]) -> list[Any]:
    holding = _holding(nodes)
    return [node for node in nodes if node not in holding] if holding else nodes


def _forms(nodes: list[Any]) -> list[str]:
    forms = (node.text if not len(node) and node.text else "".join(node.itertext()) for node in nodes)
    return [form if form.isalnum() else " ".join(form.split()) for form in forms]


def _values(nodes: list[Any], names: tuple[str, ...]) -> list[str]:
    name = next((name for name in names if any(node.get(name) for node in nodes[:1000])), names[0])
    return [" ".join((node.get(name) or "").split()) for node in nodes]


def _tags_of(nodes: list[Any]) -> list[str]:
    if any("UPosTag=" in (node.get("msd") or "") for node in nodes[:1000]):
        found = (_UPOS.search(node.get("msd") or "") for node in nodes)
        return [match[1] if match else "" for match in found]
    return [tag.removeprefix("#") for tag in _values(nodes, _TAG)]


def _say_missing(values: list[str], forms: list[str], what: str, instead: str, tally: Counter[tuple[str, str]]) -> None:
    missing = sum(not value and bool(form) for value, form in zip(values, forms, strict=True))
    if missing:
        tally["annotation missing", f"words without {what}: {instead}"] += missing


def _say_what_is_outside(bodies: list[Any], forms: list[str], tally: Counter[tuple[str, str]]) -> None:
    """Count the letters of the text that are in no word."""
    everything = sum(sum(map(len, "".join(body.itertext()).split())) for body in bodies)
    outside = everything - sum(map(len, " ".join(forms).split()))
    if outside > 0:
        tally["left out", "characters of text that are in no <w>"] += outside
