"""scikit-learn's CountVectorizer with a compiled path: the same counts, many times sooner."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from numbers import Integral
from typing import Any

from sklearn.base import clone
from sklearn.feature_extraction import text as sklearn_text

from termburst.counting.character_class import CharacterClass, character_class
from termburst.counting.tokenizer import Tokenizer, in_chunks

_MAKE_TERMS = (  # the parameters that decide on what terms there may be
    "analyzer", "tokenizer", "preprocessor", "token_pattern", "lowercase", "strip_accents", "ngram_range", "stop_words",
)  # fmt: skip
# What the compiled path does in place of scikit-learn's methods; a subclass with its own is left to them.
_REPLACED = ("build_analyzer", "build_preprocessor", "build_tokenizer", "decode", "_word_ngrams")
SMALL = 100_000  # characters, up to which scikit-learn is done before our tables are set up


class CompiledCounting(sklearn_text.CountVectorizer):  # type: ignore[misc]
    """scikit-learn's vectorizer with its inner loop replaced, for `CountVectorizer` and `BurstinessVectorizer`."""

    def _simple(self) -> CharacterClass | None:
        """What tokens are made of, where the compiled path can count them."""
        plain = (
            self.analyzer == "word"
            and self.tokenizer is None
            and self.preprocessor is None
            and self.strip_accents in (None, "ascii", "unicode")
            and isinstance(self.token_pattern, str)
            and all(getattr(type(self), name) is getattr(sklearn_text.CountVectorizer, name) for name in _REPLACED)
            and not any(name in vars(self) for name in _REPLACED)
            and all(type(n) is int for n in self.ngram_range)
            and self.ngram_range[0] >= 1
        )
        return character_class(self.token_pattern) if plain else None

    def is_compiled(self) -> bool:
        """Whether compiled code counts for this vectorizer, once there is enough to count."""
        return self._simple() is not None

    def compiled_tokenizer(self, vocabulary: Mapping[str, int] | None = None) -> Tokenizer | None:
        """What counts as this vectorizer does; None where there is no such thing."""
        pattern = self._simple()
        if pattern is None:
            return None
        self.build_analyzer()  # for its warnings and errors
        accents = {None: None, "ascii": sklearn_text.strip_accents_ascii, "unicode": sklearn_text.strip_accents_unicode}
        return Tokenizer(
            pattern,
            lowercase=self.lowercase,
            change=accents[self.strip_accents],
            ngrams=self.ngram_range,
            stop_words=[word for word in self.get_stop_words() or () if isinstance(word, str)],
            vocabulary=vocabulary,
        )

    def _count_vocab(self, raw_documents: Iterable[Any], fixed_vocab: bool) -> tuple[dict[str, int], Any]:
        """scikit-learn's inner loop: the vocabulary, here in alphabetical order at once, and the counts."""
        if self._simple() is None or (fixed_vocab and not all(isinstance(term, str) for term in self.vocabulary_)):
            return super()._count_vocab(raw_documents, fixed_vocab)
        documents = iter(raw_documents)
        limit = max(SMALL, 10 * len(self.vocabulary_)) if fixed_vocab and SMALL > 0 else SMALL
        head, small = _head(
            documents, limit if self.input == "content" else -1
        )  # files are large, if their names are not
        if small:
            return super()._count_vocab(head, fixed_vocab)
        tokenizer: Any = self.compiled_tokenizer(self.vocabulary_ if fixed_vocab else None)
        texts = map(self._text, _chained(head, documents))
        terms, X = tokenizer.matrix(list(tokenizer.count(in_chunks(texts))))
        if not fixed_vocab and not terms:
            raise ValueError("empty vocabulary; perhaps the documents only contain stop words")
        if X.dtype != self.dtype:
            X = X.astype(self.dtype)
            X.has_canonical_format = True
        align = getattr(sklearn_text, "_align_api_if_sparse", _as_matrix)
        return self.vocabulary_ if fixed_vocab else terms, align(X)

    def _text(self, document: Any) -> str:
        text = document if type(document) is str and self.input == "content" else self.decode(document)
        if not isinstance(text, str):
            self.build_analyzer()(document)  # raises what scikit-learn raises
            raise TypeError(f"a document is a text, not {text!r:.60}")
        return text

    def _sort_features(self, X: Any, vocabulary: dict[str, int]) -> Any:
        """Sorted already, if the compiled path has counted them."""
        if X.has_canonical_format and _alphabetical(vocabulary):
            if type(next(iter(vocabulary.values()), 0)) is not int:  # but NumPy's, which `_limit_features` leaves
                vocabulary.update(zip(vocabulary, range(len(vocabulary)), strict=True))
            return X
        X = super()._sort_features(X, vocabulary)
        X.has_sorted_indices = False
        X.sort_indices()
        return X

    def _limit_features(
        self, X: Any, vocabulary: dict[str, int], high: Any = None, low: Any = None, limit: int | None = None
    ) -> Any:
        """Nothing to do where every term is wanted, the default: each is in one document or more, at most in all."""
        if limit is None and (low is None or low <= 1) and (high is None or high >= X.shape[0]):
            return X
        return super()._limit_features(X, vocabulary, high, low, limit)


class CountVectorizer(CompiledCounting):
    r"""Count the terms of texts: scikit-learn's `CountVectorizer`, with the same parameters, attributes and results.

    Words by the default token pattern, or by runs of one class of characters such as ``[^\W\d_]{2,}``, are counted by
    compiled code on all cores; with lower-casing, accents, stop words, n-grams and a vocabulary of your own. All
    else is left to scikit-learn's code.

    Examples
    --------
    >>> vectorizer = CountVectorizer()
    >>> X = vectorizer.fit_transform(["so it goes", "so so"])
    >>> vectorizer.get_feature_names_out().tolist(), X.toarray().tolist()
    (['goes', 'it', 'so'], [[1, 1, 1], [0, 0, 2]])
    """

    def partial_fit(self, raw_documents: Iterable[Any], y: None = None) -> CountVectorizer:
        """Add the terms of more documents: new ones get new columns behind those that there are.

        Examples
        --------
        >>> vectorizer = CountVectorizer().partial_fit(["so it goes"]).partial_fit(["go on"])
        >>> vectorizer.get_feature_names_out().tolist()
        ['goes', 'it', 'so', 'go', 'on']
        """
        if isinstance(raw_documents, str):
            raise ValueError("texts come as a list of texts, not as one string")
        self._check_growing("partial_fit")
        self._validate_params()
        self._validate_ngram_range()
        self._warn_for_unused_params()
        known = getattr(self, "vocabulary_", {})
        try:
            found, _ = self._count_vocab(raw_documents, False)
        except ValueError as error:
            if "empty vocabulary" not in str(error) or not known:
                raise
            found = {}
        self._append(found)
        return self

    def merge(self, other: sklearn_text.CountVectorizer) -> CountVectorizer:
        """Add the terms of another fitted vectorizer, behind those that there are.

        Examples
        --------
        >>> left, right = CountVectorizer().fit(["so it goes"]), CountVectorizer().fit(["it is so"])
        >>> left.merge(right).get_feature_names_out().tolist()
        ['goes', 'it', 'so', 'is']
        """
        self._check_growing("merge")
        if not hasattr(other, "vocabulary_") and other.vocabulary is not None:
            other = clone(other)
            other._validate_vocabulary()
        if not hasattr(other, "vocabulary_"):
            raise ValueError("the other vectorizer is not fitted: it has no terms to add")
        for name in _MAKE_TERMS:
            if getattr(self, name) != getattr(other, name):
                raise ValueError(
                    f"the other vectorizer has {name}={getattr(other, name)!r}, not {getattr(self, name)!r}: its terms "
                    "could be such as are never found here"
                )
        self._append(other.vocabulary_)
        return self

    def _check_growing(self, method: str) -> None:
        # 1 is a number of documents and 1.0 a share of them
        every = self.min_df == 1 and isinstance(self.min_df, Integral)
        every &= self.max_df == 1.0 and not isinstance(self.max_df, Integral)
        if not every or self.max_features is not None:
            raise ValueError(f"{method} keeps every term: min_df, max_df and max_features need all documents at once")
        if self.vocabulary is not None:
            raise ValueError("the vocabulary is fixed: there is nothing to add to it")

    def _append(self, terms: Iterable[str]) -> None:
        vocabulary = dict(getattr(self, "vocabulary_", {}))
        for term in sorted(set(terms) - vocabulary.keys()):
            vocabulary[term] = len(vocabulary)
        self.vocabulary_, self.fixed_vocabulary_ = vocabulary, False


def _alphabetical(vocabulary: dict[str, int]) -> bool:
    terms = list(vocabulary)
    return terms == sorted(terms)  # which takes no longer than looking at each once, if they are


def _head(documents: Iterator[Any], small: int) -> tuple[list[Any], bool]:
    """The first documents, and whether that is all of them and no more than so many characters."""
    head: list[Any] = []
    size = 0
    for document in documents:
        head.append(document)
        size += len(document) if isinstance(document, (str, bytes)) else small + 1
        if size > small:
            return head, False
    return head, True


def _chained(head: list[Any], rest: Iterator[Any]) -> Iterator[Any]:
    yield from head
    head.clear()
    yield from rest


def _as_matrix(X: Any) -> Any:
    import scipy.sparse as sp

    return sp.csr_matrix(X)
