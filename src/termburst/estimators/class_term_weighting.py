"""`ClassTermWeighting`: the typical words of classes, topics or clusters, alone or in BERTopic."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import KW_ONLY, dataclass
from types import NoneType
from typing import Annotated, Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.preprocessing import normalize
from sklearn.utils.validation import check_is_fitted

from termburst.estimators.count_input import MOST, check_parameters, validated
from termburst.estimators.naive_bayes import distinct_labels, label_column
from termburst.estimators.term_weighting import TermWeighting
from termburst.inference.checks import checked_whole, shown
from termburst.options import Option
from termburst.statistics.matrix import canonical_counts
from termburst.weights.schemes import SCHEMES, named_scheme


@dataclass(eq=False, repr=False)
class ClassTermWeighting(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Weigh terms by how typical they are of a class of documents; also a `ctfidf_model` for BERTopic.

    The counts of all documents of a class are added up, and `TermWeighting` learns from these sums. With
    ``unit="documents"`` a document counts once per term, so that a word that only one document repeats is no word of
    the class. The weights of a row are

        w_ij = m_i s_ij, scaled to unit norm,

    where s_ij is the scheme's weight and m_i the multiplier of term i, by default 1.

    Parameters
    ----------
    scheme : str, default="fisher"
        A name in `termburst.SCHEMES` whose weights are never negative. "fisher", −log P(N ≥ n_ij) of Fisher's exact
        test, finds the best words for classes in `benchmarks/quality.py`. That of `TermWeighting` is for documents.
    seed_words : collection of str, optional
        Words whose weight is multiplied. Their columns are found by the column names of X, or BERTopic passes them.
    seed_multiplier : float, default=2
        m_i of these words.
    unit : {"tokens", "documents"}, default="tokens"
        What n_ij counts: the tokens of the term in the class, or the documents of the class that have it. "documents"
        is proof against bursts. It needs labels y, because the sum of a class no longer tells its documents apart.
    norm : {"l1", "l2"} or None, default="l2"
        Rows are scaled to this norm, so that weights can be compared between classes of any size. It does not change
        the order of the words in a row or the cosine of two rows.

    Attributes
    ----------
    classes_ : array
        The distinct labels, sorted; row numbers if there are no labels.
    class_counts_ : CSR, classes × terms
        The counts of the classes.
    weighting_ : TermWeighting
        The weighting fitted to these counts.
    multiplier_ : array, one value per term
        m_i.

    Notes
    -----
    "fisher" tests whether a class uses a term more often than the other classes. With a single class all weights are
    therefore 0. A term without counts in fitting has weight 0.

    Examples
    --------
    >>> import termburst as tb
    >>> X = [[3, 0, 5], [2, 0, 4], [0, 4, 5]]
    >>> model = tb.ClassTermWeighting().fit(X, ["cats", "cats", "dogs"])
    >>> model.top_terms(["purr", "bark", "the"], 1)
    {'cats': ['purr'], 'dogs': ['bark']}

    One page about cats says *gun* twenty times; *fur* is on all three:

    >>> X, y = [[20, 1, 0], [0, 1, 0], [0, 1, 0], [0, 0, 9], [0, 0, 9]], ["cats", "cats", "cats", "dogs", "dogs"]
    >>> for unit in ("tokens", "documents"):
    ...     print(tb.ClassTermWeighting(unit=unit).fit(X, y).top_terms(["gun", "fur", "bone"], 1)["cats"])
    ['gun']
    ['fur']
    """

    scheme: str = "fisher"
    _: KW_ONLY
    seed_words: Collection[str] | None = None
    seed_multiplier: Annotated[float, Option(least=0, most=MOST)] = 2
    unit: Annotated[Literal["tokens", "documents"], Option()] = "tokens"
    norm: Annotated[Literal["l1", "l2"] | None, Option()] = "l2"

    def fit(self, X: Any, y: Any = None, *, multiplier: Any = None) -> ClassTermWeighting:
        """Learn from counts X: documents × terms with classes y, or classes × terms. `multiplier` is m_i."""
        weighting = self._weighting()
        if y is None and self.unit == "documents":
            raise ValueError(
                "unit='documents' needs labels y, one per document: the sums of classes do not tell documents apart, "
                "and BERTopic passes only sums"
            )
        counts = canonical_counts(self._counted(validated(self, X, reset=True)))
        self.classes_, of = np.arange(counts.shape[0]), np.arange(counts.shape[0])
        if y is not None:
            labels = label_column(y, counts.shape[0])
            self.classes_ = distinct_labels(labels)
            of = np.searchsorted(self.classes_, labels)
        member = sp.csr_matrix((np.ones(of.size, dtype=np.int64), (of, np.arange(of.size))))
        self.class_counts_ = sp.csr_matrix(member @ counts)
        self.weighting_ = weighting.fit(self.class_counts_)
        self.multiplier_ = self._multiplier(multiplier)
        # BERTopic removes rows from this when topics are deleted, although rows are terms. Nothing here reads it.
        self._idf_diag = sp.diags(self.multiplier_, format="csr")
        return self

    def transform(self, X: Any) -> Any:
        """Weigh rows of counts, which are classes or documents (with ``unit="documents"`` documents); returns CSR."""
        check_is_fitted(self)
        return self._weigh(self._counted(validated(self, X, reset=False)))

    def top_terms(self, names: Sequence[str] | None = None, n: int = 10) -> dict[Any, list[str]]:
        """The n terms with the highest weights above 0 of every class; *names* are by default X's column names."""
        check_is_fitted(self)
        n = checked_whole("n", n, least=1)
        terms = self.get_feature_names_out() if names is None else np.asarray(names, dtype=object)
        if terms.ndim != 1:
            raise ValueError(f"names must be a list or an array, one name per column; got {shown(names)}")
        if terms.size != self.n_features_in_:
            raise ValueError(f"there are {self.n_features_in_} terms, but {terms.size} names")
        found = {}
        for label, row in zip(self.classes_.tolist(), self._weigh(self.class_counts_), strict=True):
            order = np.lexsort((row.indices, -row.data))[:n]
            found[label] = terms[row.indices[order[row.data[order] > 0]]].tolist()
        return found

    @property
    def bm25_weighting(self) -> bool:
        """BERTopic writes this to safetensors and PyTorch files, which can store only its own c-TF-IDF."""
        raise AttributeError(
            "BERTopic's safetensors and pytorch files cannot store ClassTermWeighting: save with "
            "serialization='pickle', or with save_ctfidf=False and call update_topics(docs, ctfidf_model=...) after "
            "loading"
        )

    reduce_frequent_words = bm25_weighting

    def _counted(self, X: Any) -> Any:
        """Counts of tokens, or 1 for each term of a document."""
        if self.unit == "tokens":
            return X
        presence = canonical_counts(X).copy()
        presence.data[:] = 1
        return presence

    def _weighting(self) -> TermWeighting:
        check_parameters(self)
        if named_scheme(self.scheme).signed:
            signed = [repr(name) for name, scheme in SCHEMES.items() if scheme.signed]
            raise ValueError(
                f"ClassTermWeighting needs a scheme without negative weights, which {', '.join(signed)} have; "
                f"got {self.scheme!r}"
            )
        return TermWeighting(self.scheme, norm=None)  # rows are scaled after they were multiplied

    def _weigh(self, X: Any) -> Any:
        weights = self.weighting_.transform(X)
        weights.data *= self.multiplier_[weights.indices]
        return weights if self.norm is None else normalize(weights, norm=self.norm, copy=False)

    def _multiplier(self, given: Any) -> NDArray[np.float64]:
        if isinstance(self.seed_words, str) or not isinstance(self.seed_words, (Collection, NoneType)):
            raise ValueError(f"seed_words must be a list of words; got {shown(self.seed_words)}")
        if given is None and self.seed_words is not None and len(self.seed_words):
            if not hasattr(self, "feature_names_in_"):
                raise ValueError("seed_words need column names: fit a data frame, or pass multiplier, one per column")
            given = np.where(np.isin(self.feature_names_in_, list(self.seed_words)), float(self.seed_multiplier), 1.0)
        try:
            multiplier = np.ones(self.n_features_in_) if given is None else np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"multiplier must be an array of numbers, one per column; got {shown(given)}") from None
        if multiplier.shape != (self.n_features_in_,):
            raise ValueError(f"multiplier has shape {multiplier.shape}, but X has {self.n_features_in_} columns")
        if not (np.isfinite(multiplier) & (multiplier >= 0)).all():
            raise ValueError("multiplier must be finite and not negative")
        return multiplier

    def __sklearn_tags__(self) -> Any:
        return TermWeighting().__sklearn_tags__()
