"""scikit-learn's CountVectorizer around our tokenizers: the same counts in much less time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sklearn.feature_extraction import text as sklearn_text

from termburst.counting import plain_tokenizer
from termburst.counting.character_class import CharacterClass, character_class
from termburst.counting.plain_tokenizer import PlainTokenizer, measured
from termburst.counting.tokenizer import Tokenizer, in_chunks

SMALL = plain_tokenizer.SMALL
# The compiled tokenizer replaces these methods of scikit-learn. It is not used if a subclass overrides one of them.
_REPLACED = ("build_analyzer", "build_preprocessor", "build_tokenizer", "decode", "_word_ngrams")


class CountVectorizer(sklearn_text.CountVectorizer):  # type: ignore[misc]
    r"""Count the terms of texts: scikit-learn's `CountVectorizer`, with the same parameters, attributes and results.

    Compiled code on all cores counts words by the default token pattern, or by runs of one class of characters such as
    ``[^\W\d_]{2,}``. It supports lower case, accents, stop words, n-grams and a vocabulary of your own. Other tokens
    are found by scikit-learn's own code.

    Examples
    --------
    >>> vectorizer = CountVectorizer()
    >>> X = vectorizer.fit_transform(["so it goes", "so so"])
    >>> vectorizer.get_feature_names_out().tolist(), X.toarray().tolist()
    (['goes', 'it', 'so'], [[1, 1, 1], [0, 0, 2]])
    """

    def _simple(self) -> CharacterClass | None:
        """The characters that tokens consist of; None if the compiled tokenizer cannot be used."""
        plain = (
            self.analyzer == "word"
            and self.tokenizer is None
            and self.preprocessor is None
            and self.strip_accents in (None, "ascii", "unicode")
            and isinstance(self.token_pattern, str)
            and not self._has_own_methods()
            and all(type(n) is int for n in self.ngram_range)
            and self.ngram_range[0] >= 1
        )
        return character_class(self.token_pattern) if plain else None

    def _has_own_methods(self) -> bool:
        """Whether a subclass, or the vectorizer itself, has another one of the methods that are not called here."""
        theirs = sklearn_text.CountVectorizer
        return any(name in vars(self) or getattr(type(self), name) is not getattr(theirs, name) for name in _REPLACED)

    def compiled_tokenizer(self, vocabulary: Mapping[str, int] | None = None) -> Tokenizer | None:
        """A tokenizer that counts in the same way as this vectorizer; None if compiled code cannot."""
        pattern = self._simple()
        if pattern is None:
            return None
        self.build_analyzer()  # for its warnings and errors
        strips = self.strip_accents is not None  # this may make capitals, which must stay
        return Tokenizer(
            pattern,
            lowercase=bool(self.lowercase) and not strips,
            prepare=self.build_preprocessor() if strips else _lower_case if self.lowercase else None,
            ngrams=self.ngram_range,
            stop_words=[word for word in self.get_stop_words() or () if isinstance(word, str)],
            vocabulary=vocabulary,
        )

    def _counted(self, documents: Iterable[Any], vocabulary: Mapping[Any, int] | None) -> tuple[dict[Any, int], Any]:
        """The terms in alphabetical order (none with a given vocabulary) and documents × terms.

        If no document has a term, the matrix has no columns. This is not an error.
        """
        if getattr(documents, "ndim", 1) == 2 or hasattr(documents, "columns"):  # the names of a frame would be counted
            raise ValueError("documents must be texts, not a table; give one column of it, such as df['text']")
        if isinstance(documents, Mapping) or not isinstance(documents, Iterable):
            raise ValueError(f"documents must be a list of texts; got {documents!r:.60}")
        documents = self._checked(documents)
        if self._simple() is not None and all(isinstance(term, str) for term in vocabulary or ()):
            limit = SMALL if vocabulary is None or SMALL < 0 else max(SMALL, 10 * len(vocabulary))
            # With names of files, the size of the texts is not known.
            documents, small = measured(documents, limit if self.input == "content" else -1)
            if not small:
                tokenizer: Any = self.compiled_tokenizer(vocabulary)
                text, is_text = self._text, self.input == "content"
                texts = (one if is_text and type(one) is str else text(one) for one in documents)
                return tokenizer.matrix(list(tokenizer.count(in_chunks(texts))))
        return PlainTokenizer(self.build_analyzer(), vocabulary).matrix(documents)

    def _count_vocab(self, raw_documents: Iterable[Any], fixed_vocab: bool) -> tuple[dict[Any, int], Any]:
        """scikit-learn's inner loop: the vocabulary, here in alphabetical order already, and the counts."""
        terms, X = self._counted(raw_documents, self.vocabulary_ if fixed_vocab else None)
        if not fixed_vocab and not terms:
            raise ValueError("empty vocabulary; perhaps the documents only contain stop words")  # scikit-learn's words
        if X.dtype != self.dtype:
            X = X.astype(self.dtype)
            X.has_canonical_format = True
        align = getattr(sklearn_text, "_align_api_if_sparse", _as_matrix)
        X = align(X)
        X.has_canonical_format = True  # checking it again would take one pass over all cells
        if not fixed_vocab and self._simple() is not None:
            self._in_order = terms
        return self.vocabulary_ if fixed_vocab else terms, X

    def _checked(self, documents: Iterable[Any]) -> Iterable[Any]:
        """The same documents. ValueError, when it comes to one that is not a text; code of users may take anything."""
        of_users = callable(self.analyzer) or self.tokenizer is not None or self.preprocessor is not None
        return documents if self.input != "content" or of_users or self._has_own_methods() else _only_texts(documents)

    def _text(self, document: Any) -> str:
        text = self.decode(document)
        if not isinstance(text, str):
            self.build_analyzer()(document)  # raises what scikit-learn raises
            raise TypeError(f"a document must be a string; got {text!r:.60}")
        return text

    def _sort_features(self, X: Any, vocabulary: dict[str, int]) -> Any:
        """Nothing to sort, unless a subclass has counted in its own way."""
        ours = self.__dict__.pop("_in_order", None) is vocabulary  # terms may be missing by now; the order is the same
        if X.has_canonical_format and (ours or _alphabetical(vocabulary)):
            if type(next(iter(vocabulary.values()), 0)) is not int:  # `_limit_features` leaves integers of NumPy
                vocabulary.update(zip(vocabulary, range(len(vocabulary)), strict=True))
            return X
        X = super()._sort_features(X, vocabulary)
        X.has_sorted_indices = False
        X.sort_indices()
        return X

    def _limit_features(
        self, X: Any, vocabulary: dict[str, int], high: Any = None, low: Any = None, limit: int | None = None
    ) -> Any:
        """Nothing to remove with the default limits: every term is in at least one document, and at most in all."""
        if limit is None and (low is None or low <= 1) and (high is None or high >= X.shape[0]):
            return X
        return super()._limit_features(X, vocabulary, high, low, limit)


def _lower_case(text: str) -> str:
    """The text in lower case, but for ASCII, which the kernel converts."""
    return text if text.isascii() else text.lower()


def _only_texts(documents: Iterable[Any]) -> Iterator[str | bytes]:
    for number, document in enumerate(documents):
        if not isinstance(document, (str, bytes)):
            raise ValueError(f"Document {number} must be a string; got {document!r:.60}.")
        yield document


def _alphabetical(vocabulary: dict[str, int]) -> bool:
    terms = list(vocabulary)
    return terms == sorted(terms)  # sorting a sorted list is one pass


def _as_matrix(X: Any) -> Any:
    import scipy.sparse as sp

    return sp.csr_matrix(X)
