"""The tokens of TEI texts that mark each word: ``<w lemma="be" pos="VERB">is</w>`` and ``<pc>.</pc>``.

Corpora have one element per word, so what is done for each word is done in as few steps as Python has.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from termburst.reading.formats.found import Note
from termburst.reading.formats.safe_xml import etree, local_name
from termburst.reading.layers import Annotation

_LEMMA = ("lemma", "hw")  # TEI; the British National Corpus
_TAG = ("pos", "ana", "type", "c5", "function")
_UPOS = re.compile(r"\bUPosTag=(\w+)")  # ParlaMint and other corpora made from Universal Dependencies
_SPACE = b" \t\r\n"


def words_of(bodies: list[Any], annotation: Annotation, note: Note) -> list[str] | None:
    """All tokens of a text in one layer; None where its words are not marked. The words are removed from the tree.

    A word that holds words (the contraction *du* that stands for *de le*) is one token of the layer "form", and its
    parts are the tokens of the other layers.

    Examples
    --------
    >>> from termburst.reading.formats.safe_xml import parse
    >>> text = b"<body><w lemma='be' pos='VERB'>is</w> <w lemma='it'>it</w><pc>?</pc></body>"
    >>> [words_of([parse(text, print)], Annotation(layer), print) for layer in ("form", "lemma_upos")]
    [['is', 'it', '?'], ['be_VERB', 'it_X', '?_X']]
    """
    nodes = [node for body in bodies for node in body.iter(*_names(body))]
    if not any(local_name(node) == "w" for node in nodes):
        return None
    holding = [node for node in nodes if len(node)] if any(map(len, nodes)) else []
    compound = {node for node in holding if any(local_name(child) == "w" for child in node)}
    tokens = _tokens(nodes, compound, annotation)
    del nodes, holding, compound  # an element that Python still holds takes longer to remove
    _say_what_is_outside(bodies, note)
    return tokens if all(tokens) else list(filter(None, tokens))


def _tokens(nodes: list[Any], compound: set[Any], annotation: Annotation) -> list[str]:
    layer, outer = annotation.layer, None
    words = [node for node in nodes if node not in compound] if compound else nodes
    if ">" in layer or (compound and layer == "form"):
        whole = [node for node in nodes if node.getparent() not in compound] if compound else nodes
        parts = Counter(node.getparent() for node in words) if compound else Counter()
        counts = [parts[node] if node in compound else 1 for node in whole]
        outer = list(zip(_forms(whole), counts, strict=True))
    tags = _tags(words) if "upos" in layer else []
    lemmas = _values(words, _LEMMA) if "lemma" in layer else []
    forms = _forms(words) if "form" in layer or "" in lemmas else []
    tokens = annotation.tokens(forms, lemmas, tags, outer)
    if outer is not None:
        there = [form for form, _ in outer]
    elif "" in forms and lemmas:
        there = [lemma or form for lemma, form in zip(lemmas, forms, strict=True)]
    else:
        return tokens
    return tokens if all(there) else [token for token, shown in zip(tokens, there, strict=True) if shown]


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


def _tags(nodes: list[Any]) -> list[str]:
    if any("UPosTag=" in (node.get("msd") or "") for node in nodes[:1000]):
        found = (_UPOS.search(node.get("msd") or "") for node in nodes)
        tags = [match[1] if match else "" for match in found]
    else:
        tags = _values(nodes, _TAG)
        if any(tag.startswith("#") for tag in tags[:1000]):  # a reference to the list of tags
            tags = [tag.removeprefix("#") for tag in tags]
    return tags


def _say_what_is_outside(bodies: list[Any], note: Note) -> None:
    """Say whether there is text that is in no word; the words are removed from the tree."""
    for body in bodies:
        etree().strip_elements(body, *_names(body), with_tail=False)
        text = etree().tostring(body, method="text", encoding="utf-8", with_tail=False).translate(None, _SPACE)
        if text:
            note("left out", "text that is in no <w>")
