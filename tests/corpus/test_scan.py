"""`tb.scan`: a folder that is scanned answers as one that is read, and as the command line does."""

import io
import sys
import tracemalloc
import warnings
from types import SimpleNamespace

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import termburst as tb
from termburst.cli import main
from termburst.corpus.stream import Stream
from termburst.datasets import TextCollection
from termburst.statistics import streaming

WORDS = ["the", "and", "of", "whale", "ship", "sea", "harpoon", "ox", "done", "naïve", "so", "it", "goes", "on"]
QUIET = ("ignore:split", "ignore:with so few", "ignore:.* clusters", "ignore:.* of .* terms repeat too often")
PATTERN = r"(?P<year>\d{4})-(?P<party>[a-z]+)-(?P<who>\w+)\.txt"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Sixty texts of three parties and eight people, some of them near-copies, some with the words of others."""
    path, rng = tmp_path_factory.mktemp("texts"), np.random.default_rng(5)
    texts = []
    for _ in range(60):
        shares = rng.dirichlet(np.linspace(1.5, 0.1, len(WORDS)))
        texts.append(" ".join(rng.choice(WORDS, size=rng.integers(20, 80), p=shares)))
    texts[40:44] = [f"{text} done" for text in texts[10:14]]
    for k, text in enumerate(texts):
        name = f"{1940 + k // 2}-{('ha', 'hb', 'hc')[k % 3]}-w{k % 8}.txt"
        (path / name).write_text(f"Chapter one\n{text}\nChapter two\nso it goes.", encoding="utf-8")
    return path


@pytest.fixture
def command(monkeypatch, capfdbinary):
    """Run the command line in this process; returns the rows of its JSON."""

    def run(*arguments):
        capfdbinary.readouterr()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["termburst", *map(str, arguments), "--quiet"])
            patch.setattr(warnings, "showwarning", warnings.showwarning)  # `main` replaces it
            with pytest.raises(SystemExit) as stop:
                main()
        out, err = capfdbinary.readouterr()
        assert stop.value.code in (0, None), err
        return pl.read_json(io.BytesIO(out), infer_schema_length=None)

    return run


def same(one, other):
    """The same rows: integers equal, reals within 1e-9."""
    assert one.height > 0
    assert_frame_equal(one, other, rel_tol=1e-9, abs_tol=1e-9)


STEPS = {
    "as it is": (lambda c: c, {}),
    "where": (lambda c: c.where("year >= 1950 AND party != 'hc'"), {}),
    "an expression": (lambda c: c.where(pl.col("year") < 1960), {}),
    "tokens": (lambda c: c.split(tokens=15), {}),
    "pattern": (lambda c: c.split(pattern="^Chapter"), {}),
    "pieces of some": (lambda c: c.where("party = 'ha'").split(tokens=10).where("piece <= 2"), {}),
    "bins": (lambda c: c.bin("year", every=10).where("year_bin > 1940"), {}),
    "near-copies": (lambda c: c.drop_duplicates(), {}),
    "all steps": (lambda c: c.where("year > 1941").drop_duplicates().split(tokens=20).bin("year", 10), {}),
    "stop words": (lambda c: c, {"stop_words": "english"}),
    "n-grams": (lambda c: c, {"ngrams": (1, 2), "lowercase": False}),
    "a tokenizer": (lambda c: c.split(tokens=25), {"tokenizer": str.split}),
}


def both(folder, name):
    steps, options = STEPS[name]
    return [steps(door(folder, name_pattern=PATTERN, **options)) for door in (tb.scan, tb.read)]


@pytest.mark.filterwarnings(*QUIET)
@pytest.mark.parametrize("steps", STEPS)
def test_documents_weights_and_statistics(folder, steps):
    scanned, read = both(folder, steps)
    assert scanned.statistics == read.statistics
    assert scanned.ids == read.ids
    assert scanned.terms.tolist() == read.terms.tolist()
    assert list(scanned.texts) == list(read.texts)
    assert list(scanned.in_memory().texts) == list(read.texts)
    assert [scanned.texts[k] for k in (3, 1)] == [read.texts[k] for k in (3, 1)]
    assert_frame_equal(scanned.metadata, read.metadata)
    assert_frame_equal(scanned.in_memory().metadata, read.metadata)
    one, other = scanned.weights("bm25"), read.weights("bm25")
    assert one.documents.tolist() == other.documents.tolist()
    np.testing.assert_allclose(one.matrix.toarray(), other.matrix.toarray(), rtol=1e-9)
    same(scanned.keyness(by="who"), read.keyness(by="who"))
    batches = list(scanned.batches(["year"]))
    assert [name for batch in batches for name in batch.ids] == read.ids
    assert_frame_equal(pl.concat(batch.metadata for batch in batches), read.metadata.select("id", "year"))
    if read.dropped is not None:
        assert_frame_equal(scanned.dropped, read.dropped)
        assert scanned.dropped.height > 0


def test_intervals_of_the_command_line_are_bins(folder, command):
    found = command("keyness", folder, "--by", "year", "--bin", 10, "--name-pattern", PATTERN, "--format", "json")
    expected = tb.scan(folder, name_pattern=PATTERN).bin("year", 10).keyness(by="year_bin")
    assert set(found["group"]) == {"1940", "1950", "1960"}
    same(found["n_a", "n_b", "p_value"], expected["n_a", "n_b", "p_value"])


def test_nothing_is_read_before_a_question(folder, monkeypatch):
    from termburst.reading import readers

    opened = []
    read = readers.read_files
    monkeypatch.setattr(readers, "read_files", lambda *more: opened.append(1) or read(*more))
    corpus = tb.scan(folder, name_pattern=PATTERN).where("year > 1945").split(tokens=10).bin("year").group("party")
    assert repr(corpus) == f"Corpus of {folder}, scanned, then where, split, bin, group; words: {corpus_words()}"
    assert corpus._repr_html_()
    assert (corpus.reading, corpus.dropped, opened) == (None, None, [])
    assert corpus.burstiness().height > 5
    assert opened == [1]
    assert corpus.statistics.documents == len(corpus) > 60
    assert opened == [1]  # one pass for all questions about sums
    assert corpus.reading.pieces == len(corpus)
    assert corpus.keyness().height > 5
    corpus.keyness(by="party")
    assert opened == [1, 1]  # and one for all about documents
    for ask in (
        lambda c: c.weights(),
        lambda c: c.keyness(by="who"),
        lambda c: c.dispersion("dp"),
        lambda c: c.ngrams(),
    ):
        opened.clear()
        ask(tb.scan(folder, name_pattern=PATTERN))
        assert opened == [1]


def corpus_words():
    return "as Unicode sees them, in lower case"


def test_several_paths_a_glob_and_a_table(folder, tmp_path):
    paths = sorted(folder.iterdir())[:3]
    assert tb.scan(paths).ids == tb.read(paths).ids
    assert tb.scan(str(folder / "1940*")).statistics == tb.read(str(folder / "1940*")).statistics
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.txt").write_text(f"so it goes {name}", encoding="utf-8")
    twice = [tmp_path / "a" / "x.txt", tmp_path / "b" / "x.txt"]
    assert tb.scan(twice).ids == tb.read(twice).ids == [path.as_posix() for path in twice]
    table = tmp_path / "t.csv"
    table.write_text("text,born\nso it goes,1940-05-08\nso so,1951-01-02\n", encoding="utf-8")
    assert tb.scan(table).bin("born").metadata["born_bin"].to_list() == [1940, 1950]


def test_annotated_words(tmp_path):
    path = tmp_path / "a.conllu"
    columns = "# global.columns = ID FORM LEMMA\n"
    texts = "# newdoc id = a\n1\tJe\tje\n2\tsuis\têtre\n\n# newdoc id = b\n1\tEst\têtre\n\n"
    path.write_text(columns + texts, encoding="utf-8")
    corpus = tb.scan(path, layer="lemma")
    assert corpus.counting.layer == "lemma"
    assert corpus.terms.tolist() == ["je", "être"]
    assert_frame_equal(
        corpus.kwic("être", layer="lemma", show="form"), tb.read(path).kwic("être", layer="lemma", show="form")
    )


def test_a_data_set():
    data = TextCollection("two", ["a", "b"], ["so it goes", "so so"], None, None, {"year": [1945, 1949]})
    corpus = tb.scan(data).where("year > 1945")
    assert (corpus.ids, corpus.statistics.tokens) == (["b"], 2)
    with pytest.raises(ValueError, match="two is a built-in data set of texts without annotation; omit layer="):
        tb.scan(data, layer="form")


# ---- saved statistics


@pytest.fixture
def saved(folder, tmp_path):
    tb.scan(folder).statistics.save(tmp_path / "s.parquet")
    return tmp_path / "s.parquet"


def test_a_ledger_is_scanned(tmp_path):
    ledger = tb.ledgers.Ledger(tmp_path / "ledger")
    ledger.add(pl.DataFrame({"document": ["a", "b"], "text": ["so it goes", "so so"]}), batch="first")
    found, expected = tb.scan(tmp_path / "ledger"), tb.read(["so it goes", "so so"])
    same(found.burstiness(), expected.burstiness())
    assert found.statistics.batches == ("first",)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda c: c.ids, "is saved statistics, which have no documents; give the corpus itself"),
        (tb.burstiness_test, "has no counts by document in memory; ask the corpus itself"),
    ],
)
def test_what_saved_statistics_cannot_answer_is_said(saved, ask, said):
    with pytest.raises(ValueError, match=said):
        ask(tb.scan(saved))


# ---- what cannot be scanned


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (pl.LazyFrame({"text": ["so"]}), "documents of a frame need ids: name the column that has them with id="),
        (["so it goes"], "list cannot be scanned: give a path"),
        (np.eye(2), "ndarray cannot be scanned"),
    ],
)
def test_other_sources_are_refused(source, said):
    with pytest.raises(ValueError, match=said):
        tb.scan(source)


@pytest.mark.parametrize("library", ["ibis", "dask", "modin", "cudf", "sqlframe", "ray", "daft", "snowflake"])
def test_frames_of_an_engine_that_is_not_supported(library, monkeypatch):
    """Whether Narwhals knows the library or not, the error names the way round."""
    foreign = type("Dataset", (), {"__module__": f"{library}.data"})()
    if library in ("ibis", "dask", "modin", "cudf", "sqlframe"):
        given = SimpleNamespace(implementation=nw.Implementation[library.upper()])
        monkeypatch.setattr(nw, "from_native", lambda frame, **more: given)
    with pytest.raises(ValueError, match=f"^frames of {library} cannot be read here; .*(Parquet|parquet|give|SQL)"):
        tb.scan(foreign)


def test_mistakes(folder, tmp_path):
    corpus = tb.scan(folder, name_pattern=PATTERN)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        tb.scan("nowhere")
    with pytest.raises(ValueError, match=r"columns here: .*year; did you mean 'year'"):
        _ = corpus.where("yaer > 1950").statistics
    with pytest.raises(ValueError, match=r"none of 60 documents meets where\('year > 2000'\)"):
        _ = corpus.where("year > 2000").statistics
    with pytest.raises(ValueError, match="takes conditions of single documents"):
        corpus.where([True] * 60)
    with pytest.raises(ValueError, match="takes conditions of single documents"):
        corpus.where(pl.col("year") == pl.col("year").max())
    with pytest.raises(ValueError, match="cuts no document"):
        _ = corpus.split(pattern="^KAPITEL").statistics
    with pytest.raises(ValueError, match="not a regular expression"):
        corpus.split(pattern="(")
    tb.scan(folder).statistics.save(tmp_path / "s.parquet")
    with pytest.raises(ValueError, match="contains saved statistics, not texts; scan it"):
        tb.read(tmp_path / "s.parquet")
    with pytest.raises(ValueError, match="was counted with lowercase=True; omit your own options"):
        tb.scan(tmp_path / "s.parquet", lowercase=False)


def test_a_column_of_later_batches_is_found(tmp_path):
    """Nothing in the first batch meets the condition, so the step after it sees no document there."""
    path = tmp_path / "years.csv"
    rows = "".join(f"so it goes on {k % 7},{1900 + k // 600},{'xy'[k % 2]}\n" for k in range(12_000))
    path.write_text(f"text,year,party\n{rows}", encoding="utf-8")
    assert len(list(tb.scan(path).batches())) > 1
    late, held = (door(path).where("year >= 1919") for door in (tb.scan, tb.read))
    same(late.keyness(by="party"), held.keyness(by="party"))
    assert late.bin("year", every=5).metadata["year_bin"].unique().to_list() == [1915]
    assert late.where("party = 'x'").ids == held.where("party = 'x'").ids
    with pytest.raises(ValueError, match=r"no document has the column 'partei' .*did you mean 'party'"):
        late.group("partei").keyness()


@pytest.mark.parametrize("ask", [lambda c: c.keyness(by="year"), lambda c: c.kwic("so"), lambda c: c.burstiness()])
def test_a_table_without_rows_has_no_documents(tmp_path, ask):
    (tmp_path / "t.csv").write_text("text,year\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"t\.csv: there are no documents to (read|count)"):
        ask(tb.scan(tmp_path / "t.csv"))


def test_the_report_about_reading_is_there_after_a_comparison(tmp_path):
    for name in ("a/1.txt", "b/1.txt"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("so it goes", encoding="utf-8")
    (tmp_path / "b/broken.docx").write_text("no archive", encoding="utf-8")
    corpus = tb.scan(tmp_path)
    with pytest.warns(UserWarning, match="single document"):
        corpus.keyness(by="folder")
    assert "b/broken.docx" in str(corpus.reading)


def test_saved_statistics_of_any_detail_have_terms(tmp_path):
    for detail in ("frequencies", "moments", "patterns"):
        made = tb.TermStatistics.from_texts(["so it goes", "so so"], detail=detail)
        assert list(tb.scan(made).terms) == ["goes", "it", "so"]


@pytest.mark.parametrize("door", [tb.read, tb.scan])
def test_saved_statistics_among_texts_are_no_texts(tmp_path, door):
    (tmp_path / "a.txt").write_text("so it goes", encoding="utf-8")
    tb.scan(tmp_path).statistics.save(tmp_path / "s.parquet")
    corpus = door(tmp_path)
    assert corpus.ids == ["a.txt"]
    assert "s.parquet: contains saved statistics, not texts" in str(corpus.reading)
    with pytest.raises(ValueError, match=r"s\.parquet.* contains saved statistics, not texts"):
        _ = door([tmp_path / "a.txt", tmp_path / "s.parquet"]).ids


def test_weights_read_a_corpus_once(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"so it goes\nso so\n")))
    assert tb.scan("-").weights("tf-idf").matrix.shape == (2, 3)


def test_standard_input_is_read_once(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"so it goes\nso so\n")))
    corpus = tb.scan("-")
    assert corpus.burstiness().height == 3
    assert corpus.statistics.documents == 2
    with pytest.raises(ValueError, match="standard input can be read only once, and this needs its texts again"):
        corpus.kwic("so")
    for ask in (
        lambda c: c.weights(),
        lambda c: c.triggers("so"),
        lambda c: list(c.texts),
        lambda c: c.in_memory().ids,
    ):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"so it goes\nso so\n")))
        ask(tb.scan("-"))


def test_files_that_change_are_noticed(folder, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("text\nso it goes\nso so\n", encoding="utf-8")
    corpus = tb.scan(path).counted()
    path.write_text("text\nso it goes\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"has changed since it was read: document 2 was 't\.csv:2'"):
        _ = corpus.texts[1]


# ---- memory


def peak(ask):
    """The most memory, in bytes, that a question takes."""
    tracemalloc.start()
    try:
        ask()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_memory_follows_the_vocabulary_and_not_the_corpus(tmp_path, monkeypatch):
    monkeypatch.setattr(streaming, "CELLS", 100_000)
    rng, files = np.random.default_rng(3), {}
    words = [f"w{k}" for k in range(300)]
    for documents in (3_000, 30_000):
        files[documents] = tmp_path / f"{documents}.txt"
        lines = (" ".join(line) for line in rng.choice(words, size=(documents, 200)))
        files[documents].write_text("\n".join(lines), encoding="utf-8")
    small, large = (
        peak(lambda path=path: tb.scan(path, lines=True).where("id != 'x'").split(tokens=100).statistics)
        for path in files.values()
    )
    assert large < 2 * small
    held = [peak(lambda path=path: tb.read(path, lines=True).counts) for path in files.values()]
    assert held[1] > 2 * held[0]  # so the bound would notice counts that are held


def test_metadata_by_id_are_joined_when_documents_are_read(tmp_path, monkeypatch):
    for name, text in {"a": "so it goes", "b": "so so", "c": "ha ha"}.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    more = pl.DataFrame({
        "id": ["c.txt", "b.txt", "a.txt"], "year": ["1949", "1945", "1944"],
        "who": pl.Series(["x", "y", "x"], dtype=pl.Enum(["y", "x"])),
    })  # fmt: skip
    passes = []
    read = Stream.reading
    monkeypatch.setattr(Stream, "reading", lambda *given, **named: passes.append(1) or read(*given, **named))
    corpus = tb.scan(tmp_path, metadata=more)
    chosen = corpus.where("year >= 1945")
    assert not passes
    assert chosen.counted().ids == ["b.txt", "c.txt"]
    assert corpus.counted().metadata.select("id", "year", "who").equals(more.sort("id"))
    read_now = tb.read(tmp_path, metadata=more)
    assert corpus.keyness(by="who", method="g2").equals(read_now.keyness(by="who", method="g2"))
    with pytest.raises(ValueError, match=r"the metadata has no row for the document 'a\.txt'"):
        tb.scan(tmp_path, metadata=more.head(2)).statistics  # noqa: B018
    by_order = tb.scan(tmp_path, metadata={"year": [1, 2, 3]})
    assert by_order.metadata["year"].to_list() == [1, 2, 3]


def test_statistics_of_a_corpus_are_counted_as_it_says():
    corpus = tb.read(["So it Goes", "So so"], lowercase=False)
    assert tb.build_statistics(corpus, detail="patterns") == corpus.statistics
    with pytest.raises(ValueError, match="the corpus says how texts are counted; omit counting="):
        tb.build_statistics(corpus, counting=tb.CountingOptions())
    counts = tb.read([[1, 2], [0, 1]], terms=["so", "it"])
    assert tb.build_statistics(counts, detail="patterns") == counts.statistics
