"""The weights that name topics best: the ten highest words of groups of 20 Newsgroups documents, by scheme.

The words of a group should occur together in unseen documents (coherence: the mean normalised pointwise mutual
information of their pairs) and differ from those of other groups (diversity: the share of distinct words).
Quality is the product of both (Dieng, Ruiz & Blei 2020). A document should be most similar, by cosine, to its own group
(similarity: the share of unseen documents that are). "choose" learns from one half of the training documents and scores
the other, twice; "test" learns from all of them and scores the test documents. Groups are the newsgroups, or k-means
clusters of an SVD of TF–IDF. Headers, footers and quotes are left out, and terms in fewer than five documents.
"presence" counts a document once per term, as `ClassTermWeighting(unit="documents")` does. A word should not be that of
a single document (concentrated: the share of words of which one document has half of the group's tokens, or more).

    TERMBURST_DATA=… python benchmarks/topic_words.py [choose | test] [--only "fisher" "fisher, presence"]

BERTopic's own c-TF-IDF is included if bertopic is installed.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize

import termburst as tb

try:
    from bertopic.vectorizers import ClassTfidfTransformer as Theirs
except ImportError:
    Theirs = None

TOP = 10
PRESENCE = ", presence"


def models(documents: Any) -> dict[str, Any]:
    """By name, all ways to learn from groups × terms, or from the documents themselves."""
    found: dict[str, Any] = {}
    for name, scheme in tb.SCHEMES.items():
        if not scheme.signed:
            found[name] = lambda X, s=name: tb.TermWeighting(s, norm=None).fit(X)
            found[f"{name}, of documents"] = lambda X, s=name: tb.TermWeighting(s, norm=None).fit(documents)
            found[f"{name}{PRESENCE}"] = found[name]  # `scores` passes presences instead of counts
    if Theirs is not None:
        found["BERTopic"] = lambda X: Theirs().fit(X)
        found["BERTopic, reduce_frequent_words"] = lambda X: Theirs(reduce_frequent_words=True).fit(X)
        found["BERTopic, bm25_weighting"] = lambda X: Theirs(bm25_weighting=True).fit(X)
    return found


def grouped(X: Any, labels: Any) -> Any:
    """Groups × terms: the sums of the counts of the documents of each group."""
    member = sp.csr_matrix((np.ones(labels.size, dtype=np.int64), (labels, np.arange(labels.size))))
    return (member @ X).tocsr()


def coherence(top: Any, reference: Any) -> float:
    """Mean over groups of the mean NPMI of the pairs of their words, log(p_ij/p_i p_j)/−log p_ij, by documents."""
    words = np.unique(top)
    there = (reference[:, words] > 0).astype(np.float64)
    joint = (there.T @ there).toarray() / reference.shape[0]
    alone = np.diag(joint)
    with np.errstate(divide="ignore", invalid="ignore"):
        npmi = np.log(joint / np.outer(alone, alone)) / -np.log(joint)
    npmi[joint == 0] = -1  # never together, or one never occurs
    at, pairs = np.searchsorted(words, top), np.triu_indices(top.shape[1], 1)
    return float(np.mean([npmi[np.ix_(row, row)][pairs].mean() for row in at]))


def concentration(top: Any, learned: Any, labels: Any) -> float:
    """The share of the words of which one document has half of the tokens in the group, or more."""
    by_group = [learned[labels == group][:, words] for group, words in enumerate(top)]
    return float(np.mean([2 * X.max(axis=0).toarray() >= X.sum(axis=0) for X in by_group]))


def scores(model: Any, learned: Any, labels: Any, unseen: Any, unseen_labels: Any, *, presence: bool) -> list[float]:
    """Coherence, diversity, their product, the similarity of documents to their groups, and concentration."""
    counts = learned
    if presence:
        learned, unseen = ((one > 0).astype(np.int64) for one in (learned, unseen))
    X = grouped(learned, labels)
    fitted = model(X.copy())
    weights = sp.csr_matrix(fitted.transform(X.astype(np.float64)))
    top = np.argsort(-weights.toarray(), axis=1, kind="stable")[:, :TOP]
    coherent, diverse = coherence(top, unseen), np.unique(top).size / top.size
    documents = sp.csr_matrix(fitted.transform(unseen.astype(np.float64)))
    nearest = (normalize(documents) @ normalize(weights).T).toarray().argmax(axis=1)
    similar = float(np.mean(nearest == unseen_labels))
    return [coherent, diverse, coherent * diverse, similar, concentration(top, counts, labels)]


def clusters(k: int, learned: Any, unseen: Any) -> tuple[Any, Any]:
    """k-means of 100 dimensions of TF–IDF: the clusters of learned and of unseen documents."""
    weigh, reduce = TfidfTransformer(sublinear_tf=True), TruncatedSVD(100, random_state=0)
    means = KMeans(k, random_state=0, n_init=3)
    labels = means.fit_predict(normalize(reduce.fit_transform(weigh.fit_transform(learned))))
    return labels, means.predict(normalize(reduce.transform(weigh.transform(unseen))))


def measured(splits: list[tuple[Any, Any, Any, Any]], only: tuple[str, ...] = ()) -> dict[str, Any]:
    """Ways to group × scores of each model, or of those named: means over splits."""
    found: dict[str, list[Any]] = {}
    for learned_all, labels, unseen_all, unseen_labels in splits:
        frequent = np.bincount(learned_all.indices, minlength=learned_all.shape[1]) >= 5
        learned, unseen = learned_all[:, frequent], unseen_all[:, frequent]
        for groups in ("newsgroups", 20, 100):
            a, b = (labels, unseen_labels) if groups == "newsgroups" else clusters(int(groups), learned, unseen)
            for name, model in models(learned).items():
                if only and name not in only:
                    continue
                values = scores(model, learned, a, unseen, b, presence=name.endswith(PRESENCE))
                found.setdefault(name, []).append(values)
    return {name: np.reshape(rows, (len(splits), 3, 5)).mean(axis=0) for name, rows in found.items()}


def table(title: str, splits: list[tuple[Any, Any, Any, Any]], only: tuple[str, ...] = ()) -> None:
    """Print the scores of each model, or of those named, best quality first."""
    means = measured(splits, only)
    print(f"\n{title}: coherence, diversity, their product, similarity and concentration; newsgroups, 20, 100 clusters")
    for name in sorted(means, key=lambda name: -means[name][:, 2].mean()):
        cells = " | ".join(" ".join(f"{x:6.3f}" for x in row) for row in means[name])
        ratio = means[name][:, 2].mean() / means["BERTopic"][:, 2].mean() if "BERTopic" in means else np.nan
        print(f"  {name:42} {cells} | mean {means[name][:, 2].mean():.3f}, {ratio:.2f} of BERTopic's", flush=True)


def newsgroups(stop_words: str | None) -> tuple[Any, Any, Any, Any]:
    """Counts and labels of the training documents, then of the test documents."""
    parts = ("headers", "footers", "quotes")
    train, test = (tb.datasets.load_20newsgroups(s, remove=parts) for s in ("train", "test"))
    vectorizer = tb.CountVectorizer(stop_words=stop_words)
    X = vectorizer.fit_transform(train.texts)
    return X, train.labels, vectorizer.transform(test.texts), test.labels


def main() -> None:
    """Print the requested tables, without and with English stop words."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=["choose", "test"], help="default: both")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="only these schemes")
    asked = parser.parse_args()
    what, only = asked.what, tuple(asked.only)
    warnings.simplefilter("ignore", tb.inference.ClampedTermsWarning)
    for stop_words in ("english", None):
        X, labels, unseen, unseen_labels = newsgroups(stop_words)
        label = f"stop words {'left out' if stop_words else 'kept'}"
        if what != "test":
            half = np.random.default_rng(0).permutation(X.shape[0]) % 2 == 0
            halves = [(X[a], labels[a], X[~a], labels[~a]) for a in (half, ~half)]
            table(f"choose, {label}", halves, only)
        if what != "choose":
            table(f"test, {label}", [(X, labels, unseen, unseen_labels)], only)


if __name__ == "__main__":
    main()
