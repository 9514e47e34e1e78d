"""`ClassTermWeighting` as BERTopic's `ctfidf_model`, in all that BERTopic does with it."""

import numpy as np
import pytest
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.pipeline import make_pipeline

import termburst as tb

# BERTopic's `hierarchical_topics` writes to a slice of a frame; pandas 2 warns about that.
pytestmark = pytest.mark.filterwarnings(r"ignore:\s*A value is trying to be set on a copy of a slice")

GROUPS = {
    "space": "orbit shuttle moon launch rocket lunar",
    "hockey": "puck goal season playoff referee skate",
    "crypto": "key cipher encryption clipper secret escrow",
    "autos": "engine clutch brake sedan dealer tyre",
}


@pytest.fixture(scope="module")
def corpus():
    """Forty documents per group, every fifth word shared by all groups, and their embeddings."""
    rng = np.random.default_rng(5)
    texts = [
        " ".join([*rng.choice(words.split(), 12), *rng.choice(["people", "thing", "time"], 3)])
        for words in GROUPS.values()
        for _ in range(40)
    ]
    weights = tb.BurstinessVectorizer()
    return texts, make_pipeline(weights, TruncatedSVD(5, random_state=0)).fit_transform(texts)


@pytest.fixture
def fitted(bertopic, corpus):
    return made(bertopic, corpus)


def made(bertopic, corpus, cluster=None, **options):
    from bertopic.dimensionality import BaseDimensionalityReduction

    options = {"ctfidf_model": tb.ClassTermWeighting(), "vectorizer_model": tb.CountVectorizer()} | options
    return bertopic.BERTopic(
        embedding_model=None,
        umap_model=BaseDimensionalityReduction(),
        hdbscan_model=cluster or KMeans(4, n_init=3, random_state=0),
        **options,
    ).fit(*corpus)


def named(model):
    """For each topic, the groups that its first six words belong to."""
    return [
        sorted(name for name, words in GROUPS.items() if set(words.split()) & {word for word, _ in topic[:6]})
        for number, topic in sorted(model.get_topics().items())
        if number != -1
    ]


def test_topics_get_their_words(fitted):
    assert sorted(named(fitted)) == [["autos"], ["crypto"], ["hockey"], ["space"]]
    assert isinstance(fitted.ctfidf_model, tb.ClassTermWeighting)
    np.testing.assert_allclose(np.linalg.norm(fitted.c_tf_idf_.toarray(), axis=1), 1)


def test_with_outliers(bertopic, corpus):
    model = made(bertopic, corpus, HDBSCAN(min_cluster_size=10, copy=True))
    outlying = list(model.topics_)
    outlying[::7] = [-1] * len(outlying[::7])
    model.update_topics(corpus[0], topics=outlying, ctfidf_model=tb.ClassTermWeighting())
    assert all(len(topic) == 1 for topic in named(model))
    assert -1 not in model.reduce_outliers(corpus[0], model.topics_, strategy="c-tf-idf", threshold=0.0)


def test_documents_and_slices_are_weighed(fitted, corpus):
    texts = corpus[0]
    over_time = fitted.topics_over_time(texts, [i % 3 for i in range(160)])
    per_class = fitted.topics_per_class(texts, [str(i % 2) for i in range(160)])
    assert (len(over_time), len(per_class)) == (12, 8)
    distribution, _ = fitted.approximate_distribution(texts)
    assert np.mean(distribution.argmax(axis=1) == fitted.topics_) > 0.95
    assert fitted.approximate_distribution(texts[:2], calculate_tokens=True)[1][0].shape[1] == 4
    assert all(len(documents) == 3 for documents in fitted.get_representative_docs().values())
    hierarchy = fitted.hierarchical_topics(texts)
    assert hierarchy.Parent_Name.iloc[0] == "____"  # all documents together have no typical words
    assert all(hierarchy.Parent_Name.iloc[1:] != "____")


def test_topics_can_be_merged_reduced_and_updated(fitted, corpus):
    texts = corpus[0]
    fitted.merge_topics(texts, [0, 1])
    assert sorted(map(len, named(fitted))) == [1, 1, 2]
    fitted.reduce_topics(texts, nr_topics=2)
    assert len(fitted.get_topics()) == 2
    fitted.update_topics(texts, n_gram_range=(1, 2), ctfidf_model=tb.ClassTermWeighting("tf-icf"))
    assert fitted.c_tf_idf_.shape == (2, fitted.ctfidf_model.n_features_in_)


def test_deleting_topics_does_not_change_the_weights_of_terms(fitted, corpus):
    counts = fitted.vectorizer_model.transform(corpus[0])
    before = fitted.ctfidf_model.transform(counts)
    fitted.delete_topics([1])
    fitted.delete_topics([0])
    assert set(fitted.topics_) == {-1, 0, 1}
    assert (before != fitted.ctfidf_model.transform(counts)).nnz == 0
    assert fitted.approximate_distribution(corpus[0])[0].shape == (160, 2)


def test_seed_words_and_seeded_topics(bertopic, corpus):
    seeded = tb.ClassTermWeighting(seed_words=["people"], seed_multiplier=50)
    model = made(bertopic, corpus, ctfidf_model=seeded, seed_topic_list=[["orbit"]])
    where = model.vectorizer_model.vocabulary_
    assert seeded.multiplier_[[where["people"], where["orbit"], where["key"]]].tolist() == [50, 1.2, 1]


def test_online_topics_without_decay(bertopic, corpus):
    from bertopic.dimensionality import BaseDimensionalityReduction
    from bertopic.vectorizers import OnlineCountVectorizer
    from sklearn.cluster import MiniBatchKMeans

    order = np.random.default_rng(0).permutation(160)
    for decay in (None, 0.01):
        model = bertopic.BERTopic(
            embedding_model=None,
            umap_model=BaseDimensionalityReduction(),
            hdbscan_model=MiniBatchKMeans(4, random_state=0),
            vectorizer_model=OnlineCountVectorizer(decay=decay),
            ctfidf_model=tb.ClassTermWeighting(),
        )
        first, second = ([corpus[0][i] for i in half] for half in np.split(order, 2))
        model.partial_fit(first, corpus[1][order[:80]])
        if decay is None:
            model.partial_fit(second, corpus[1][order[80:]])
            assert model.ctfidf_model.class_counts_.sum() == 160 * 15
        else:
            with pytest.raises(ValueError, match="counts must be finite integers"):
                model.partial_fit(second, corpus[1][order[80:]])


def test_saving_and_loading(bertopic, fitted, corpus, tmp_path):
    fitted.save(tmp_path / "model")
    again = bertopic.BERTopic.load(tmp_path / "model")
    expected, _ = fitted.approximate_distribution(corpus[0])
    np.testing.assert_array_equal(again.approximate_distribution(corpus[0])[0], expected)
    fitted.save(tmp_path / "folder", serialization="safetensors")
    again = bertopic.BERTopic.load(tmp_path / "folder")
    again.update_topics(corpus[0], vectorizer_model=tb.CountVectorizer(), ctfidf_model=tb.ClassTermWeighting())
    assert named(again) == named(fitted)
    with pytest.raises(AttributeError, match="cannot store ClassTermWeighting: save with serialization='pickle'"):
        fitted.save(tmp_path / "no", serialization="safetensors", save_ctfidf=True)
