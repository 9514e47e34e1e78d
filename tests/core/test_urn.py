"""The kernels of the urn equal their twin in plain Python, in both libraries, and stop at wrong indices."""

import time

import numpy as np
import pytest
from twins import urn as twin

from termburst.core import urn as core
from termburst.core import urn_columns, urn_screen
from termburst.models.urn_screen import screen_pairs
from termburst.models.urn_sequences import Sequences, UrnMatrix

TERMS = 5


def texts(seed, documents=12, longest=15):
    rng = np.random.default_rng(seed)
    found = [rng.integers(0, TERMS, rng.integers(0, longest)).astype(np.int32) for _ in range(documents)]
    return found, np.concatenate(found), np.cumsum([one.size for one in found]).astype(np.int64)


def parameters(seed):
    rng = np.random.default_rng(seed)
    alpha = rng.dirichlet(np.ones(TERMS))
    M = rng.random((TERMS, TERMS)) * (rng.random((TERMS, TERMS)) < 0.5) + np.diag(rng.random(TERMS))
    source, target = np.nonzero(M)
    matrix = UrnMatrix.of_pairs(source, target, TERMS)
    return alpha, M, matrix, M[matrix.sources, matrix.targets]


@pytest.mark.parametrize("half_life", [None, 3.0])
def test_passes_equal_the_twin(half_life, on_both):
    documents, tokens, ends = texts(1)
    alpha, M, matrix, values = parameters(2)
    sequences = Sequences(tokens, ends, TERMS, half_life)
    ratio = 1.0 if half_life is None else 0.5 ** (1 / half_life)
    results = on_both(lambda: (sequences.masses(alpha, matrix, values), sequences.exposure(matrix.gains(values))))
    (mass, total), (exposed, inverse, logs) = results[0]
    np.testing.assert_allclose(np.stack([mass, total]), twin.masses(documents, alpha, M, ratio), rtol=1e-12)
    expected = twin.exposure(documents, M, ratio)
    np.testing.assert_allclose(exposed, expected[0], rtol=1e-12)
    assert (inverse, logs) == pytest.approx(expected[1:], rel=1e-12)
    np.testing.assert_array_equal(results[0][1][0], results[1][1][0])
    assert results[0][1][1:] == results[1][1][1:]


@pytest.mark.parametrize("half_life", [None, 3.0])
def test_the_curvature_equals_the_twin(half_life, on_both):
    documents, tokens, ends = texts(11)
    _, M, matrix, values = parameters(12)
    sequences = Sequences(tokens, ends, TERMS, half_life)
    gains = matrix.gains(values)
    (squares, products), other = on_both(lambda: (sequences.squares(gains), sequences.products(matrix, gains)))
    np.testing.assert_array_equal(products, other[1])
    expected = twin.second_moments(documents, M, 1.0 if half_life is None else 0.5 ** (1 / half_life))
    np.testing.assert_allclose(squares[0], expected[0], rtol=1e-12)
    np.testing.assert_allclose(squares[1], np.diagonal(expected[1]), rtol=1e-12)
    assert squares[2] == pytest.approx(expected[2], rel=1e-12)
    off = ~matrix.own
    np.testing.assert_allclose(products[off], expected[1][matrix.sources, matrix.targets][off], rtol=1e-12)


@pytest.mark.parametrize("half_life", [None, 3.0])
def test_rows_say_what_stood_before_each_token(half_life):
    documents, tokens, ends = texts(3)
    *_, matrix, _ = parameters(4)
    rows = Sequences(tokens, ends, TERMS, half_life).rows(matrix)
    ratio = 1.0 if half_life is None else 0.5 ** (1 / half_life)
    for k in range(TERMS):
        sources = matrix.sources[matrix.indptr[k] : matrix.indptr[k + 1]]
        expected = sorted(
            tuple(twin.amounts(document, t, TERMS, ratio)[sources].round(9))
            for document in documents
            for t in np.flatnonzero(document == k)
        )
        found = []
        for r in range(rows.row_of[k], rows.row_of[k + 1]):
            row = np.zeros(sources.size)
            cells = slice(rows.starts[r], rows.starts[r + 1])
            assert (np.diff(rows.local[cells]) > 0).all()
            row[rows.local[cells] - 1] = rows.amounts[cells]
            found += [tuple(row.round(9))] * int(rows.weight[r])
        assert sorted(found) == expected


def test_columns_are_at_their_maximum(on_both):
    documents, tokens, ends = texts(5, 40)
    alpha, _, matrix, values = parameters(6)
    sequences = Sequences(tokens, ends, TERMS)
    rows = sequences.rows(matrix)
    exposed, inverse, _ = sequences.exposure(matrix.gains(values))
    zero = np.zeros(values.size)
    lines = urn_columns.urn_lines(matrix.indptr, exposed[matrix.sources], inverse, (zero, zero), (0.0, np.zeros(TERMS)))

    def maximum():
        a, v = alpha.copy(), values.copy()
        return a, v, urn_columns.maximise_columns(rows, matrix.indptr, lines, a, v, (0, TERMS))

    (a, v, log_mass), other = on_both(maximum)
    for x, y in zip((a, v, log_mass), other, strict=True):
        np.testing.assert_array_equal(x, y)
    full = np.zeros((TERMS, TERMS))
    full[matrix.sources, matrix.targets] = v
    mass, _ = twin.masses(documents, a, full)
    assert log_mass.sum() == pytest.approx(np.log(mass).sum(), rel=1e-12)
    # the conditions of Karush, Kuhn and Tucker: the gradient is 0, or not above 0 where an entry is 0
    gradient = np.zeros((TERMS, TERMS))
    of_alpha = np.zeros(TERMS)
    at = 0
    for document in documents:
        for t, term in enumerate(document):
            gradient[:, term] += twin.amounts(document, t, TERMS) / mass[at]
            of_alpha[term] += 1 / mass[at]
            at += 1
    slope = (gradient / exposed[:, None])[matrix.sources, matrix.targets] - 1
    assert np.abs(slope[v > 1e-9]).max() < 1e-5
    assert slope[v <= 1e-9].max(initial=-1.0) < 1e-5
    np.testing.assert_allclose(of_alpha[a > 1e-9] / inverse, 1, atol=1e-5)


@pytest.mark.parametrize("seed", [20, 327])
def test_a_column_stops_where_rounding_hides_what_is_left_to_gain(seed):
    """With many tokens F has large rounding errors: these columns took 80 times as long as with few tokens, not 2."""

    def seconds(tokens):
        rng = np.random.default_rng(seed)
        before = rng.integers(0, 5, (200, TERMS)) * (rng.random((200, TERMS)) < 0.6)
        row, source = np.nonzero(before)
        starts = np.append(0, np.cumsum((before > 0).sum(axis=1)))
        weight = np.ceil(rng.uniform(0, tokens, 200))
        cells = ((source + 1).astype(np.int32), before[row, source].astype(float))
        rows = urn_columns.ColumnRows(np.array([0, 200]), starts, *cells, weight)
        indptr, total = np.array([0, TERMS]), weight.sum()
        exposure = before.T @ weight * np.exp(rng.normal(0, 2, TERMS)) + 1
        prior = (np.ones(TERMS), np.full(TERMS, total))
        lines = urn_columns.urn_lines(indptr, exposure, total * np.exp(rng.normal(0, 2)), prior, (1.0, np.ones(1)))
        took = []
        for _ in range(3):
            alpha, values = np.array([0.3]), np.full(TERMS, 0.1)
            start = time.thread_time()
            urn_columns.maximise_columns(rows, indptr, lines, alpha, values, (0, 1))
            took.append(time.thread_time() - start)
        return min(took)

    assert seconds(1e5) < 10 * seconds(2)


def test_the_screen_equals_the_twin():
    documents, tokens, ends = texts(7, 60)
    alpha, _, matrix, values = parameters(8)
    sequences = Sequences(tokens, ends, TERMS)
    _, total = sequences.masses(alpha, matrix, values)
    found = screen_pairs(sequences, alpha / 10, total, min_documents=1, least_ratio=0.0)
    assert found.looked_at == TERMS * (TERMS - 1)
    assert found.source.size > 10
    for pair in zip(found.source, found.target, found.documents, found.expected, strict=True):
        shared, expected = twin.screen(documents, alpha / 10, total, *pair[:2])
        assert pair[2:] == (shared, pytest.approx(expected, rel=1e-9))


def test_the_screen_keeps_the_best_sources():
    _, tokens, ends = texts(9, 80)
    sequences = Sequences(tokens, ends, TERMS)
    options = {"min_documents": 1, "least_ratio": 0.0}
    most = screen_pairs(sequences, np.full(TERMS, 0.01), np.ones(tokens.size), most=4, **options)
    two = screen_pairs(sequences, np.full(TERMS, 0.01), np.ones(tokens.size), most=2, **options)
    ratio = 2 * (most.documents * np.log(most.documents / most.expected) - (most.documents - most.expected))
    for k in range(TERMS):
        mine = np.flatnonzero(most.target == k)
        best = set(most.source[mine[np.argsort(-ratio[mine])[:2]]].tolist())
        assert set(two.source[two.target == k].tolist()) == best


def test_wrong_indices_are_refused():
    powers = np.ones(9)
    no_entries = (np.zeros(3, np.int64), np.zeros(0, np.int32), np.zeros(0))
    urn = core.urn(np.ones(2) / 2, np.zeros(2), *no_entries)
    for tokens, ends in (([0, 5], [2]), ([0, -1], [2]), ([0, 1], [3]), ([0, 1], [2, 1])):
        of = core.urn_texts(np.array(tokens, dtype=np.int32), np.array(ends), 0, len(ends), 2, powers)
        with pytest.raises(ValueError, match="out of range"):
            core.exposure(of, urn)
        with pytest.raises(ValueError, match="out of range"):
            core.masses(of, urn, np.zeros(2), np.zeros(2))
        for kernel in (core.squares, core.products):
            with pytest.raises(ValueError, match="out of range"):
                kernel(of, urn)
    of = core.urn_texts(np.ones(2, dtype=np.int32), np.array([2]), 0, 1, 2, powers)
    for indptr, sources in (([0, 2, 1], [0, 1]), ([0, 1, 2], [0, 7])):
        wrong = core.urn(np.ones(2) / 2, np.zeros(2), np.array(indptr), np.array(sources, dtype=np.int32), np.ones(2))
        with pytest.raises(ValueError, match="out of range"):
            core.masses(of, wrong, np.zeros(2), np.zeros(2))
        with pytest.raises(ValueError, match="out of range"):
            core.products(of, wrong)
    with pytest.raises(ValueError, match="one mass and one total"):
        core.masses(of, urn, np.zeros(1), np.zeros(2))


def test_wrong_rows_are_refused():
    indptr, zero = np.array([0, 1]), np.zeros(1)
    lines = urn_columns.urn_lines(indptr, np.ones(1), 1.0, (zero, zero), (0.0, np.zeros(1)))
    for row_of, starts, local in (([0, 3], [0, 1], [1]), ([0, 1], [0, 4], [1]), ([0, 1], [0, 1], [2])):
        rows = urn_columns.ColumnRows(
            np.array(row_of), np.array(starts), np.array(local, dtype=np.int32), np.ones(1), np.ones(1)
        )
        with pytest.raises(ValueError, match="out of range"):
            urn_columns.maximise_columns(rows, indptr, lines, np.ones(1), np.ones(1), (0, 1))
    good = urn_columns.ColumnRows(np.array([0, 1]), np.array([0, 1]), np.array([1], np.int32), np.ones(1), np.ones(1))
    held = (np.array([3]), np.zeros(1, np.int32), np.zeros(1))
    with pytest.raises(ValueError, match="out of range"):
        urn_columns.profiles(good, indptr, lines, (np.ones(1), np.ones(1)), held, np.zeros(1, np.int32), ratio=False)


def test_wrong_places_are_refused():
    by_term = (np.array([0, 1, 2]), np.array([0, 9], np.int32), np.array([0, 1]))
    places = urn_screen.first_places(np.array([0, 2]), np.array([0, 1], np.int32), np.ones(2), by_term)
    out = urn_screen.Screened.empty(np.array([1], np.int32), 2)
    with pytest.raises(ValueError, match="out of range"):
        urn_screen.screen(
            places, (0, 1), out, (np.ones(2), np.ones(2)), np.ones(2, np.uint8), least_documents=1, least_ratio=0.0
        )
