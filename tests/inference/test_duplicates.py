"""Near-copies: against brute force over all pairs, on texts with planted copies."""

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp

from termburst.counting.shingles import CountShingles, TextShingles, plain_words
from termburst.inference import duplicates
from termburst.inference.duplicates import banding, candidate_pairs, near_duplicates, shared_passages


def random_texts(rng, number, size=60, words=400):
    return [" ".join(f"w{k}" for k in rng.integers(0, words, size)) for _ in range(number)]


def edited(text, rate, rng):
    return " ".join(word if rng.random() > rate else f"x{rng.integers(99)}" for word in text.split())


def by_brute_force(texts, threshold):
    sets = []
    for text in texts:
        words = plain_words(text)
        sets.append({tuple(words[k : k + 5]) for k in range(len(words) - 4)})
    pairs = {}
    for i, j in combinations(range(len(texts)), 2):
        union = len(sets[i] | sets[j])
        if union and len(sets[i] & sets[j]) / union >= threshold:
            pairs[i, j] = len(sets[i] & sets[j]) / union
    return pairs


@pytest.mark.parametrize("threshold", [0.5, 0.7, 0.9])
def test_pairs_are_those_of_brute_force(threshold):
    rng = np.random.default_rng(11)
    texts = random_texts(rng, 150)
    texts += [edited(texts[k], rng.uniform(0, 0.1), rng) for k in rng.integers(0, 150, 60)]
    texts = [texts[k] for k in rng.permutation(len(texts))] + ["too short", "too short"]
    truth = by_brute_force(texts, threshold)
    found = near_duplicates(TextShingles(texts), threshold)
    pairs = dict(zip(zip(found.first.tolist(), found.second.tolist(), strict=True), found.jaccard, strict=True))
    assert pairs.keys() <= truth.keys()  # precision 1, because the index is exact
    copies = {j for _, j in truth}
    assert len({j for _, j in pairs} & copies) >= 0.95 * len(copies)
    assert len(copies) > 10
    for pair, value in pairs.items():
        assert value == pytest.approx(truth[pair])
    assert found.compared == len(texts) - 2


def test_a_kept_document_is_no_copy_of_an_earlier_kept_one():
    rng = np.random.default_rng(12)
    texts = random_texts(rng, 40)
    for _ in range(60):  # chains: copies of copies
        texts.append(edited(texts[rng.integers(len(texts))], 0.03, rng))
    found = near_duplicates(TextShingles(texts))
    truth = by_brute_force(texts, 0.7)
    kept = set(np.flatnonzero(found.kept).tolist())
    assert not [pair for pair in truth if {*pair} <= kept]
    for k in range(len(texts)):
        assert k in kept or ((int(found.original[k]), k) in truth and int(found.original[k]) in kept)


def test_copies_of_a_dropped_document_are_dropped():
    rng = np.random.default_rng(13)
    text = random_texts(rng, 1)[0]
    near = text + " and more words"
    found = near_duplicates(TextShingles([text, near, near.upper()]))
    assert found.original.tolist() == [0, 0, 0]
    assert found.similarity[1] == found.similarity[2] < 1


def test_many_copies_of_one_document():
    rng = np.random.default_rng(14)
    text = random_texts(rng, 1)[0]
    texts = [edited(text, 0.002, rng) for _ in range(300)]
    found = near_duplicates(TextShingles(texts))
    assert found.kept.sum() <= 5
    assert candidate_pairs(np.ones((200, 1), np.uint64), np.arange(200)).shape == (8 * 200 - 36, 2)


def test_no_documents_and_no_words():
    for texts in ([], ["", "...", ""]):
        found = near_duplicates(TextShingles(texts))
        assert found.kept.all()
        assert found.first.size == found.compared == 0


def test_verifying_in_parts_changes_nothing(monkeypatch):
    rng = np.random.default_rng(15)
    texts = random_texts(rng, 60)
    texts += [edited(texts[k], 0.02, rng) for k in range(40)]
    whole = near_duplicates(TextShingles(texts))
    monkeypatch.setattr(duplicates, "VERIFIED", 3)
    np.testing.assert_array_equal(near_duplicates(TextShingles(texts)).original, whole.original)
    assert (~whole.kept).sum() > 25


def test_counts_are_compared_by_their_multisets():
    rng = np.random.default_rng(16)
    counts = rng.poisson(0.3, (50, 200))
    counts[40:] = counts[:10]
    counts[40:, 0] += 1
    found = near_duplicates(CountShingles(sp.csr_array(counts)))
    assert found.original[40:].tolist() == list(range(10))
    for k in range(40, 50):
        a, b = counts[k], counts[k - 40]
        assert found.similarity[k] == pytest.approx(np.minimum(a, b).sum() / np.maximum(a, b).sum())


def test_thresholds_that_cannot_be_served_are_refused():
    for threshold in (0.49, 1.01, float("nan")):
        with pytest.raises(ValueError, match=r"threshold must lie between 0.5 and 1"):
            banding(threshold)


@pytest.mark.parametrize("threshold", [0.5, 0.6, 0.7, 0.8])
def test_bands_miss_few_pairs_at_the_threshold(threshold):
    bands, rows = banding(threshold)
    assert (1 - threshold**rows) ** bands < 0.02


def test_shared_passages_are_found_with_their_documents():
    rng = np.random.default_rng(17)
    notice = "this message and its attachments are for the use of the addressee only please delete it"
    texts = [f"{text} {notice}" if k % 4 == 0 else text for k, text in enumerate(random_texts(rng, 80))]
    found = shared_passages(TextShingles(texts), np.arange(80), 5_000)
    assert found.documents[0] == 20
    words = plain_words(texts[found.example[0]])[found.start[0] : found.stop[0]]
    assert " ".join(words) == notice
    passages = sum(len(plain_words(text)) - 11 for text in texts)
    assert found.share == pytest.approx(
        20 * (len(notice.split()) - 11) / passages, rel=0.1
    )  # neighbours may agree by chance
    empty = shared_passages(TextShingles(texts), np.arange(0), 0)
    assert (empty.share, empty.documents.size) == (0.0, 0)


def test_a_sample_of_passages_has_the_same_share(monkeypatch):
    rng = np.random.default_rng(18)
    texts = random_texts(rng, 100)
    texts = [f"{text} {texts[0]}" for text in texts]
    whole = shared_passages(TextShingles(texts), np.arange(100), 12_000)
    monkeypatch.setattr(duplicates, "SAMPLED", 4_000)
    sample = shared_passages(TextShingles(texts), np.arange(100), 12_000)
    assert duplicates.every_passage(12_000) == 4
    assert sample.share == pytest.approx(whole.share, abs=0.15)
