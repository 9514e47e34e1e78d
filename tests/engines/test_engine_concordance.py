"""Concordances and collocates on every engine, compared with those in memory."""

import numpy as np
import polars as pl
import pytest

import termburst as tb
from termburst import engines
from termburst.questions.collocates import Collocates
from termburst.questions.kwic import Kwic


@pytest.fixture(scope="module")
def texts():
    """A node, words that stand beside it, words that are in its documents, and documents without it."""
    rng = np.random.default_rng(6)
    words = np.array([f"w{i:02}" for i in range(30)] + ["Freedom", "free", "world. And"])
    found = []
    for j in range(90):
        tokens = rng.choice(words, size=rng.integers(5, 70)).tolist()
        if j % 3:
            for at in rng.integers(0, len(tokens), 3):
                tokens[at] = "free world" if rng.random() < 0.7 else "free"
        else:
            tokens = [token for token in tokens if not token.lower().startswith("free")]
        found.append(" ".join(tokens))
    return [*found, "", "? !", "naïve free 東京"]


@pytest.fixture(scope="module")
def frame(engine, texts):
    return engine({"document": [f"d{i:03}" for i in range(len(texts))], "text": texts})


@pytest.mark.parametrize("options", [{}, {"width": 5, "ignore_case": False}, {"regex": True}])
def test_concordance_lines(options, engine, frame, texts, local):
    if engine.name == "spark" and options:
        pytest.skip("seconds each")
    query = r"free\w*|東京" if "regex" in options else "free*"
    metadata = pl.DataFrame({"id": [f"d{i:03}" for i in range(len(texts))]})
    own = {name: value for name, value in options.items() if name != "ignore_case"}
    asked = Kwic(query, **own, case=not options.get("ignore_case", True))
    expected = asked.answer(texts, metadata).rename({"id": "document"})
    found = local(engines.kwic(frame, query, **options))
    assert found.sort("document", "position").rows() == expected.sort("document", "position").rows()
    assert found.columns == expected.columns
    assert found.height > 50


@pytest.mark.parametrize(
    ("node", "options"),
    [
        ("free", {}),
        ("free world", {"window": 2, "within": "sentence", "adjust": "storey"}),
        ("free*", {"min_count": 60, "adjust": "holm", "confidence": 0.8, "stop_words": ("w01", "w02")}),
    ],
)
def test_collocates(node, options, engine, frame, texts, local):
    if engine.name == "spark" and options:
        pytest.skip("seconds each")
    options = dict(options)
    counting = tb.CountingOptions(stop_words=options.pop("stop_words", None))
    expected = Collocates(node, **options).answer(texts, counting).sort("term")
    found = local(engines.collocates(frame, node, counting=counting, **options)).sort("term")
    assert found.columns == expected.columns
    for name in expected.columns:
        if expected[name].dtype.is_float():
            left, right = (table[name].fill_null(np.nan).to_numpy() for table in (found, expected))
            np.testing.assert_allclose(left, right, rtol=1e-9, atol=1e-12, err_msg=name)
        else:
            assert found[name].to_list() == expected[name].to_list(), name
    assert expected["n_window"].max() > 20


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda f: engines.kwic(f, ""), "query"),
        (lambda f: engines.kwic(f, "so", width=-1), "width must be"),
        (lambda f: engines.kwic(engines.count_terms(f), "so"), "the frame has counts; this function needs texts"),
        (lambda f: engines.collocates(f, "no"), "'no' does not occur in the corpus; check its spelling"),
        (lambda f: engines.collocates(f, "?"), "is not a word by the rule of this corpus"),
        (lambda f: engines.collocates(f, "so", window=0), "window must be"),
        (lambda f: engines.collocates(f, "so", within="page"), "within must be one of"),
    ],
)
def test_bad_arguments_raise_one_sentence(call, message):
    with pytest.raises(ValueError, match=message) as caught:
        call(pl.DataFrame({"document": ["a", "b"], "text": ["ha ha so", "so it goes"]}))
    assert "\n" not in str(caught.value)
