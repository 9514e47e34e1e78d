"""The tokens of TEI texts that mark each word: ``<w lemma="be" pos="VERB">is</w>`` and ``<pc>.</pc>``.

Corpora have one element per word, so what is done for each word is done in as few steps as Python has.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from termburst.reading.formats.safe_xml import etree, local_name
from termburst.reading.layers import word_layers

_LEMMA = ("lemma", "hw")  # TEI; the British National Corpus
_TAG = ("pos", "ana", "type", "c5", "function")
_UPOS = re.compile(r"\bUPosTag=(\w+)")  # ParlaMint and other corpora made from Universal Dependencies
_SPACE = b" \t\r\n"

Tally = Counter[tuple[str, str]]  # what was repaired, guessed or left out, and how often


def words_of(bodies: list[Any], layer: str, tally: Tally) -> list[str] | None:
    """All tokens of a text in one layer; None where its words are not marked. The words are removed from the tree.

    A word that holds words (the contraction *du* that stands for *de le*) is one token of the layer "form", and its
    parts are the tokens of the other layers. A word without a lemma is taken by its form, one without a tag as "X", and
    that is said.

    Examples
    --------
    >>> from termburst.reading.formats.safe_xml import parse
    >>> text = b"<body><w lemma='be' pos='VERB'>is</w> <w lemma='it'>it</w><pc>?</pc></body>"
    >>> words_of([parse(text, print)], "form", Counter()), words_of([parse(text, print)], "lemma_upos", Counter())
    (['is', 'it', '?'], ['be_VERB', 'it_X', '?_X'])
    """
    nodes = [node for body in bodies for node in body.iter(*_names(body))]
    if not any(local_name(node) == "w" for node in nodes):
        return None
    holding = [node for node in nodes if len(node)] if any(map(len, nodes)) else []
    compound = {node for node in holding if any(local_name(child) == "w" for child in node)}
    if ">" in layer:
        tokens = _both(nodes, compound, layer, tally)
    elif layer == "form":
        nodes = [node for node in nodes if node.getparent() not in compound] if compound else nodes
        tokens = _forms(nodes)
    else:
        nodes = [node for node in nodes if node not in compound] if compound else nodes
        tokens = _annotation(nodes, layer, tally)
    del nodes, holding, compound  # an element that Python still holds takes longer to remove
    _say_what_is_outside(bodies, tally)
    return tokens if all(tokens) else list(filter(None, tokens))


def _both(nodes: list[Any], compound: set[Any], layer: str, tally: Tally) -> list[str]:
    """Two layers side by side: one token per word of the text, with the annotation of its parts."""
    outer = [node for node in nodes if node.getparent() not in compound] if compound else nodes
    words = [node for node in nodes if node not in compound] if compound else nodes
    lemmas = _annotation(words, "lemma", tally) if "lemma" in layer else [""] * len(words)
    tags = _tags(words, tally) if "upos" in layer else [""] * len(words)
    held: dict[Any, list[tuple[str, str]]] = {}
    for node, *word in zip(words, lemmas, tags, strict=True):
        owner = node.getparent() if node.getparent() in compound else node
        held.setdefault(owner, []).append((word[0], word[1]))
    pairs = zip(outer, _forms(outer), strict=True)
    return [word_layers(layer, form, held.get(node, [])) if form else "" for node, form in pairs]


def _annotation(nodes: list[Any], layer: str, tally: Tally) -> list[str]:
    """The lemmas, the tags, or both; "" for a word that has neither a lemma nor a form."""
    if layer == "upos":
        return _tags(nodes, tally)
    lemmas = _values(nodes, _LEMMA)
    if missing := lemmas.count(""):
        tally["annotation missing", "words without lemma: the form is taken"] += missing
        without = [k for k, lemma in enumerate(lemmas) if not lemma]
        for k, form in zip(without, _forms([nodes[k] for k in without]), strict=True):
            lemmas[k] = form
    if layer == "lemma":
        return lemmas
    return [f"{lemma}_{tag}" if lemma else "" for lemma, tag in zip(lemmas, _tags(nodes, tally), strict=True)]


def _names(body: Any) -> tuple[str, ...]:
    """What tokens are called: in the British National Corpus punctuation is ``<c>``."""
    space = str(body.tag).rpartition("}")[0]
    names = ("w", "pc", "c") if local_name(body) in ("wtext", "stext") else ("w", "pc")
    return tuple(f"{space}}}{name}" if space else name for name in names)


def _forms(nodes: list[Any]) -> list[str]:
    if any(map(len, nodes)):
        return _trimmed(["".join(node.itertext()) if len(node) else node.text for node in nodes])
    return _trimmed([node.text for node in nodes])


def _trimmed(values: list[Any]) -> list[str]:
    """The same values without white space at their ends, one space for more within, "" for none at all."""
    given = values if all(values) else [value or "" for value in values]
    joined = "".join(given)
    if not any(space in joined for space in " \t\r\n"):
        return given
    return [" ".join(value.split()) for value in given]


def _values(nodes: list[Any], names: tuple[str, ...]) -> list[str]:
    name = next((name for name in names if any(node.get(name) for node in nodes[:1000])), names[0])
    return _trimmed([node.get(name) for node in nodes])


def _tags(nodes: list[Any], tally: Tally) -> list[str]:
    if any("UPosTag=" in (node.get("msd") or "") for node in nodes[:1000]):
        found = (_UPOS.search(node.get("msd") or "") for node in nodes)
        tags = [match[1] if match else "" for match in found]
    else:
        tags = _values(nodes, _TAG)
        if any(tag.startswith("#") for tag in tags[:1000]):  # a reference to the list of tags
            tags = [tag.removeprefix("#") for tag in tags]
    if missing := tags.count(""):
        tally["annotation missing", "words without part of speech: X is taken"] += missing
        tags = [tag or "X" for tag in tags]
    return tags


def _say_what_is_outside(bodies: list[Any], tally: Tally) -> None:
    """Say whether there is text that is in no word; the words are removed from the tree."""
    for body in bodies:
        etree().strip_elements(body, *_names(body), with_tail=False)
        text = etree().tostring(body, method="text", encoding="utf-8", with_tail=False).translate(None, _SPACE)
        if text:
            tally["left out", "text that is in no <w>: {} bytes"] += len(text)
