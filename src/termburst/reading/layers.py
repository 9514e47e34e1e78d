"""Layers of annotated corpora: the form of a word, its lemma, its part of speech; and two of them side by side.

The layer ``lemma>form`` is for concordances that search one layer and show another. It has one token per word of the
text, which holds both: the lemma and the form, with the character `BETWEEN` between them. A contraction that stands for
several words (*du* for *de le*) is one token with all their lemmas.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

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
    >>> [token.split(BETWEEN) for token in Annotation("lemma>form").tokens([], ["de", "le"], [], [("du", 2)])]
    [['de le', 'du']]
    """

    layer: str
    no_lemma: int = 0
    no_tag: int = 0

    def tokens(
        self, forms: list[str], lemmas: list[str], tags: list[str], outer: list[tuple[str, int]] | None = None
    ) -> list[str]:
        """One token per word; "" stands for annotation that is missing.

        *outer* are the words of the text, each with the number of words that it stands for. The layer "form" and two
        layers side by side have one token for each of them.
        """
        if "lemma" in self.layer and "" in lemmas:
            self.no_lemma += lemmas.count("")
            lemmas = [lemma or form for lemma, form in zip(lemmas, forms, strict=True)]
        if "upos" in self.layer and "" in tags:
            self.no_tag += tags.count("")
            tags = [tag or "X" for tag in tags]
        names = layers_in(self.layer)
        layers = []
        for name in names:
            if name == "form":
                found = forms if outer is None else [form for form, _ in outer]
            elif name == "lemma_upos":
                found = [f"{lemma}_{tag}" for lemma, tag in zip(lemmas, tags, strict=True)]
            else:
                found = lemmas if name == "lemma" else tags
            if outer is not None and name != "form" and len(names) > 1:
                words = iter(found)
                found = [" ".join(islice(words, count)) for _, count in outer]
            layers.append(found)
        if len(layers) == 1:
            return layers[0]
        return [BETWEEN.join([part.replace(BETWEEN, " ") for part in word]) for word in zip(*layers, strict=True)]

    def say(self, note: Callable[[str, str], None]) -> None:
        """Note what was missing."""
        if self.no_lemma:
            note("annotation missing", f"{self.no_lemma:,} words without lemma: the form is taken")
        if self.no_tag:
            note("annotation missing", f"{self.no_tag:,} words without part of speech: X is taken")
