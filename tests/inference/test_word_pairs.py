"""Pairs of words: together by the documents alone, after by the order alone, each with the size that it promises."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from termburst.inference.word_pairs import log10_upper, pair_orders, pairs_together
from termburst.models.polya_urn import PolyaUrn
from termburst.models.urn_sequences import Sequences


def sequences_of(documents, terms):
    tokens = np.concatenate(documents).astype(np.int32)
    return Sequences(tokens, np.cumsum([len(one) for one in documents]).astype(np.int64), terms)


def drawn(rng, documents=300, terms=120, topics=6):
    """Documents with a topic each, of which ten words come more often: many pairs come together."""
    made = []
    for _ in range(documents):
        chance = rng.gamma(1.0, size=terms) * 0 + 1 / (1 + np.arange(terms))
        topic = int(rng.integers(topics))
        chance[40 + 10 * topic : 50 + 10 * topic] *= 20
        made.append(rng.choice(terms, int(rng.integers(5, 80)), p=chance / chance.sum()))
    return sequences_of(made, terms)


def shuffled(sequences, rng):
    document = np.repeat(np.arange(sequences.ends.size), sequences.lengths)
    return replace(sequences, tokens=sequences.tokens[np.lexsort((rng.random(document.size), document))])


@pytest.mark.parametrize("seed", range(4))
def test_orders_equal_brute_force(seed):
    rng = np.random.default_rng(seed)
    documents = [rng.integers(0, 5, rng.integers(0, 9)) for _ in range(60)]
    one, other = (part.astype(np.int32) for part in np.triu_indices(5, 1))
    found = pair_orders(sequences_of(documents, 5), one, other)
    for place, (i, k) in enumerate(zip(one, other, strict=True)):
        balance = []
        for words in documents:
            before = sum((words[:at] == i).sum() for at in np.flatnonzero(words == k))
            balance.append(2 * before - (words == i).sum() * (words == k).sum())
        later, earlier = int((np.array(balance) > 0).sum()), int((np.array(balance) < 0).sum())
        assert (found.later[place], found.earlier[place]) == (later, earlier)
        tail = stats.binom.sf(max(later, earlier), later + earlier, 0.5)
        tail += stats.binom.pmf(max(later, earlier), later + earlier, 0.5) / 2
        assert 10 ** found.log10_p[place] == pytest.approx(min(2 * tail, 1.0), rel=1e-9)


def test_ties_say_nothing_and_repetitions_in_a_row_change_nothing():
    """0 1 1 0 and 1 0 1 are no evidence; 0 0 0 1 is as much as 0 1; a document counts once."""
    one, other = np.zeros(1, np.int32), np.ones(1, np.int32)
    even = pair_orders(sequences_of([[0, 1, 1, 0], [1, 0, 1], [0, 2, 1, 2, 0]], 3), one, other)
    assert (even.later[0], even.earlier[0], even.log10_p[0]) == (0, 0, 0.0)
    once = pair_orders(sequences_of([[0, 1]] * 9, 3), one, other)
    often = pair_orders(sequences_of([[0, 0, 0, 1]] * 4 + [[0, 1, 1]] * 5, 3), one, other)
    assert once.log10_p[0] == often.log10_p[0] == pytest.approx(np.log10(0.5**9))
    reverse = pair_orders(sequences_of([[1, 0]] * 9, 3), one, other)
    assert (reverse.later[0], reverse.earlier[0], reverse.log10_p[0]) == (0, 9, once.log10_p[0])


def test_p_is_never_zero_and_equals_scipy():
    x, n, chance = (
        np.array([3, 40, 0, 700, 12000, 5]),
        np.array([9, 60, 4, 1000, 12000, 5]),
        [0.2, 0.4, 0.1, 0.5, 0.5, 1.0],
    )
    found = log10_upper(x, n, np.array(chance))
    for place in (0, 1, 2, 3):
        tail = (
            stats.binom.sf(x[place], n[place], chance[place]) + stats.binom.pmf(x[place], n[place], chance[place]) / 2
        )
        assert found[place] == pytest.approx(np.log10(tail), rel=1e-9)
    assert found[4] == pytest.approx(12001 * np.log10(0.5), rel=1e-9)
    assert found[5] == pytest.approx(np.log10(0.5))
    deep = log10_upper(np.array([3000]), np.array([4000]), np.array([0.25]))[0]  # below what a float can hold
    terms = stats.binom.logpmf(np.arange(3000, 4001), 4000, 0.25)
    total = np.logaddexp.reduce(np.append(terms[1:], terms[0] + np.log(0.5))) / np.log(10)
    assert deep == pytest.approx(total, rel=1e-9)


def test_the_order_of_words_does_not_choose_pairs():
    rng = np.random.default_rng(1)
    sequences = drawn(rng)
    found, again = pairs_together(sequences), pairs_together(shuffled(sequences, rng))
    assert found.one.size > 100
    for name in ("one", "other", "documents", "expected", "log10_p"):
        np.testing.assert_array_equal(getattr(found, name), getattr(again, name))


def test_the_size_of_after_under_shuffles():
    rng = np.random.default_rng(2)
    sequences = drawn(rng)
    pairs = pairs_together(sequences)
    p = np.concatenate([10 ** pair_orders(shuffled(sequences, rng), pairs.one, pairs.other).log10_p for _ in range(40)])
    assert 0.025 < (p <= 0.05).mean() < 0.06
    assert (p <= 0.001).mean() < 0.0015


@pytest.mark.parametrize(("documents", "spread"), [(80, 1.0), (600, 0.0), (600, 1.2)])
def test_independent_words_are_seldom_together(documents, spread):
    """Bursty words in documents of very different lengths."""
    rng = np.random.default_rng(documents)
    terms, found = 200, []
    for _ in range(3):
        alpha = rng.gamma(0.7, size=terms) + 0.02
        lengths = np.maximum(np.exp(rng.normal(np.log(80), spread, documents)).astype(int), 2)
        urn = PolyaUrn(alpha / alpha.sum(), np.diag(rng.gamma(2.0, 0.005, terms)))
        pairs = pairs_together(sequences_of(urn.sample_tokens(lengths, rng), terms))
        found.append(int((pairs.log10_q("bh") <= np.log10(0.05)).sum()))
    assert sum(found) <= 2


def test_planted_pairs_come_together_and_after():
    rng = np.random.default_rng(4)
    documents = [one.tolist() for one in np.split(drawn(rng).tokens, np.arange(1, 300) * 30)][:300]
    for words in documents[::6]:
        at = sorted(rng.integers(0, len(words) + 1, 2))
        words.insert(at[1], 121)
        words.insert(at[0], 120)
    for words in documents[1::6]:  # these two only together
        for word in (122, 123):
            words.insert(int(rng.integers(0, len(words) + 1)), word)
    sequences = sequences_of(documents, 124)
    pairs = pairs_together(sequences)
    orders = pair_orders(sequences, pairs.one, pairs.other)
    for pair, after in (((120, 121), True), ((122, 123), False)):
        place = np.flatnonzero((pairs.one == pair[0]) & (pairs.other == pair[1]))
        assert pairs.log10_q("bh")[place][0] < -10
        assert (orders.log10_p[place][0] < -10) == after


def test_no_documents_and_no_pairs():
    empty = Sequences(np.zeros(0, np.int32), np.zeros(0, np.int64), 0)
    assert pairs_together(empty).one.size == 0
    assert pairs_together(sequences_of([[0, 1]] * 3, 2)).one.size == 0
    nothing = np.zeros(0, np.int32)
    assert pair_orders(sequences_of([[0, 1]], 2), nothing, nothing).later.size == 0
    assert pairs_together(sequences_of([[0, 1]] * 3, 2)).log10_q("bh").size == 0
