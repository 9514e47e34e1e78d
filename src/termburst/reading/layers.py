"""Layers of annotated corpora: the form of a word, its lemma, its part of speech; and two of them side by side.

The layer ``lemma>form`` is for concordances that search one layer and show another. It has one token per word of the
text, which holds both: the lemma and the form, with the character `BETWEEN` between them. A contraction that stands for
several words (*du* for *de le*) is one token with all their lemmas.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

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


@dataclass(slots=True)
class Annotation:
    """Makes the tokens of a layer. A word without a lemma is taken by its form, and one without a tag as X.

    Examples
    --------
    >>> annotation = Annotation("lemma_upos")
    >>> annotation.tokens(["is", "it"], ["be", ""], ["VERB", "PRON"])
    ['be_VERB', 'it_PRON']
    >>> annotation.say(print)
    annotation missing 1 words without lemma: the form is taken
    """

    layer: str
    no_lemma: int = 0
    no_tag: int = 0

    def tokens(self, forms: list[str], lemmas: list[str], tags: list[str]) -> list[str]:
        """One token per word; "" stands for annotation that is missing."""
        if "lemma" in self.layer and "" in lemmas:
            self.no_lemma += lemmas.count("")
            lemmas = [lemma or form for lemma, form in zip(lemmas, forms, strict=True)]
        if "upos" in self.layer and "" in tags:
            self.no_tag += tags.count("")
            tags = [tag or "X" for tag in tags]
        if ">" in self.layer:
            words = zip(forms, lemmas, tags, strict=True)
            return [word_layers(self.layer, form, [(lemma, tag)]) for form, lemma, tag in words]
        if self.layer == "lemma_upos":
            return [f"{lemma}_{tag}" for lemma, tag in zip(lemmas, tags, strict=True)]
        return {"form": forms, "lemma": lemmas, "upos": tags}[self.layer]

    def say(self, note: Callable[[str, str], None]) -> None:
        """Note what was missing."""
        if self.no_lemma:
            note("annotation missing", f"{self.no_lemma:,} words without lemma: the form is taken")
        if self.no_tag:
            note("annotation missing", f"{self.no_tag:,} words without part of speech: X is taken")
