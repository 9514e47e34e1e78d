"""Layers of annotated corpora: the form of a word, its lemma, its part of speech; and two of them side by side.

The layer ``lemma>form`` is for concordances that search one layer and show another. It has one token per word of the
text, which holds both: the lemma and the form, with the character `BETWEEN` between them. A contraction that stands for
several words (*du* for *de le*) is one token with all their lemmas.
"""

from __future__ import annotations

from collections.abc import Sequence

BETWEEN = "\x1f"  # the unit separator of ASCII, which no text needs


def both_layers(searched: str, shown: str) -> str:
    """The name of two layers side by side.

    Examples
    --------
    >>> both_layers("lemma", "form")
    'lemma>form'
    """
    return f"{searched}>{shown}"


def layers_in(layer: str) -> list[str]:
    """The layers that a name stands for: one, or two side by side.

    >>> layers_in("lemma"), layers_in("lemma>form")
    (['lemma'], ['lemma', 'form'])
    """
    return layer.split(">", 1)


def word_layers(layer: str, form: str, words: Sequence[tuple[str, str]]) -> str:
    """A token of two layers side by side, from its form and the (lemma, part of speech) of each word in it.

    Examples
    --------
    >>> word_layers("lemma_upos>form", "du", [("de", "ADP"), ("le", "DET")]).split(BETWEEN)
    ['de_ADP le_DET', 'du']
    """
    made = {
        "form": lambda: form,
        "lemma": lambda: " ".join(lemma for lemma, _ in words),
        "upos": lambda: " ".join(tag for _, tag in words),
        "lemma_upos": lambda: " ".join(f"{lemma}_{tag}" for lemma, tag in words),
    }
    return BETWEEN.join(made[name]().replace(BETWEEN, " ") for name in layers_in(layer))
