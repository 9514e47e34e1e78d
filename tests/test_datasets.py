"""The corpora: published sizes, special cases of the sources, and one clear sentence if data is missing."""

import os
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Callable
from pathlib import Path
from urllib.error import URLError

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from termburst.datasets import (
    BUILT_IN,
    DamagedDataError,
    TextCollection,
    clean_text,
    load_20newsgroups,
    load_cranfield,
    load_published_fits,
    load_r8,
    load_stdlib,
)
from termburst.datasets.cache import cache_folder


@pytest.fixture(scope="module")
def newsgroups(data: Path) -> TextCollection:
    return load_20newsgroups()


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No data folder, an empty scikit-learn folder, no NLTK and no network."""

    def no_network(*args: object, **kwargs: object) -> None:
        raise URLError("no network in tests")

    monkeypatch.delenv("TERMBURST_DATA", raising=False)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "scikit_learn_data"))
    monkeypatch.setattr("sklearn.datasets._base.urlretrieve", no_network)
    monkeypatch.setattr("sklearn.datasets._base.time.sleep", lambda seconds: None)
    monkeypatch.setitem(sys.modules, "nltk", None)
    return tmp_path


def vocabulary_and_mean_length(collection: TextCollection, **options: str) -> tuple[int, float]:
    counts = CountVectorizer(**options).fit_transform(map(clean_text, collection.texts))
    return counts.shape[1], round(counts.sum() / counts.shape[0], 2)


def one_sentence(error: pytest.ExceptionInfo[BaseException]) -> str:
    message = str(error.value)
    assert not message.endswith(".")
    assert ". " not in message
    assert "\n" not in message
    return message


# --- the paper's cleaning ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [("", ""), ("  A\tB\n\nc ", "a b c"), ("naïve café", "na ve caf"), ("x1y22z", "x y z"), ("1984!", "")],
)
def test_clean_text(text: str, cleaned: str) -> None:
    assert clean_text(text) == cleaned


# --- 20 Newsgroups ----------------------------------------------------------------------------------------------------


def test_newsgroups_training_set(newsgroups: TextCollection) -> None:
    assert len(newsgroups) == len(newsgroups.texts) == len(set(newsgroups.ids)) == 11_314
    assert newsgroups.labels is not None
    assert newsgroups.label_names is not None
    assert newsgroups.labels.dtype == np.int64
    assert len(newsgroups.label_names) == 20
    groups = [newsgroups.label_names[label] for label in newsgroups.labels]
    assert [name.split("/")[0] for name in newsgroups.ids] == groups


def test_newsgroups_have_the_vocabulary_of_the_paper(newsgroups: TextCollection) -> None:
    assert vocabulary_and_mean_length(newsgroups, stop_words="english") == (88_701, 165.29)


def test_newsgroups_without_headers_has_the_terms_of_the_published_fits(data: Path) -> None:
    bodies = load_20newsgroups(remove=("headers", "footers", "quotes"))
    vectorizer = CountVectorizer().fit(map(clean_text, bodies.texts))
    assert len(vectorizer.vocabulary_) == 72_916
    assert vectorizer.vocabulary_.keys() == set(load_published_fits("20newsgroups").terms)


def test_newsgroups_keeps_the_order_of_scikit_learn(data: Path) -> None:
    from sklearn.datasets import fetch_20newsgroups

    bunch = fetch_20newsgroups(data_home=data / "scikit_learn_data", subset="test", download_if_missing=False)
    test = load_20newsgroups("test")
    assert len(test) == 7_532
    assert test.texts == bunch.data
    np.testing.assert_array_equal(test.labels, bunch.target)


def test_newsgroups_all_has_unique_ids(data: Path) -> None:
    assert len(set(load_20newsgroups("all").ids)) == 18_846


def test_one_part_can_be_a_plain_string(data: Path) -> None:
    assert load_20newsgroups("test", remove="headers").texts == load_20newsgroups("test", remove=["headers"]).texts


def test_newsgroups_that_cannot_be_downloaded(nowhere: Path) -> None:
    with pytest.raises(FileNotFoundError, match="TERMBURST_DATA") as error:
        load_20newsgroups()
    assert "fetch_20newsgroups()" in one_sentence(error)
    assert isinstance(error.value.__cause__, URLError)


def test_a_damaged_copy_is_named_and_not_replaced(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = nowhere / "scikit_learn_data" / "20news-bydate_py3.pkz"
    copy.parent.mkdir()
    copy.write_bytes(b"not a pickle")
    monkeypatch.setenv("TERMBURST_DATA", str(nowhere))
    with pytest.raises(ValueError, match=r"20news-bydate_py3\.pkz cannot be read"):
        load_20newsgroups()
    assert copy.read_bytes() == b"not a pickle"
    assert capsys.readouterr().out == ""


# --- R8 ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("subset", "sizes"),
    [("train", [1596, 253, 2840, 41, 191, 222, 108, 250]), ("test", [696, 121, 1083, 10, 81, 87, 36, 76])],
)
def test_r8_class_sizes(data: Path, subset: str, sizes: list[int]) -> None:
    r8 = load_r8(subset)  # type: ignore[arg-type]
    assert r8.labels is not None
    assert r8.label_names == ["acq", "crude", "earn", "grain", "interest", "money-fx", "ship", "trade"]
    assert np.bincount(r8.labels).tolist() == sizes
    assert len(r8) == len(r8.texts) == sum(sizes) == {"train": 5_501, "test": 2_190}[subset]


def test_r8_has_the_vocabulary_of_the_paper(data: Path) -> None:
    assert vocabulary_and_mean_length(load_r8(), stop_words="english") == (19_688, 65.75)


def test_r8_all_is_train_and_test(data: Path) -> None:
    everything = load_r8("all")
    assert set(everything.ids) == {*load_r8("train").ids, *load_r8("test").ids}
    assert len(everything) == 7_691
    assert "test/19918" in everything.ids  # has the same category twice


@pytest.fixture
def small_reuters(nowhere: Path) -> Path:
    """An unpacked corpus folder with four documents, where the loader expects it below TERMBURST_DATA."""
    folder = nowhere / "nltk_data" / "corpora" / "reuters"
    documents = {"training/2": "Wheat\n", "training/10": "Gold", "training/11": "Loans", "test/3": "Gda\xf1sk"}
    for name, text in documents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode("latin-1"))
    listing = "test/3 ship\ntraining/2 grain\ntraining/10 gold\n\ntraining/11 interest money-fx\n"
    (folder / "cats.txt").write_text(listing, encoding="ascii", newline="")
    return folder


def test_r8_from_an_unpacked_folder(small_reuters: Path, nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERMBURST_DATA", str(nowhere))
    r8 = load_r8("all")
    assert r8.ids == ["test/3", "training/2"]
    assert r8.texts == ["Gdańsk", "Wheat\n"]  # ISO-8859-2, as NLTK reads it
    assert r8.labels is not None
    assert r8.labels.tolist() == [6, 3]


def test_r8_from_the_data_folders_of_nltk(small_reuters: Path, nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "nltk")
    nltk_data = pytest.importorskip("nltk.data")
    place = nowhere / "elsewhere"
    (place / "corpora").mkdir(parents=True)
    with zipfile.ZipFile(place / "corpora" / "reuters.zip", "w") as archive:
        for path in small_reuters.rglob("*"):
            archive.write(path, Path("reuters") / path.relative_to(small_reuters))
    monkeypatch.setattr(nltk_data, "path", [str(nowhere / "missing"), str(place)])
    assert load_r8().texts == ["Wheat\n"]


def test_a_damaged_archive_is_named(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = nowhere / "nltk_data" / "corpora" / "reuters.zip"
    archive.parent.mkdir(parents=True)
    archive.write_bytes(b"not a zip")
    monkeypatch.setenv("TERMBURST_DATA", str(nowhere))
    with pytest.raises(ValueError, match=r"reuters\.zip cannot be read"):
        load_r8()


# --- Cranfield --------------------------------------------------------------------------------------------------------


def test_cranfield_documents(data: Path) -> None:
    documents = load_cranfield().documents
    assert documents.ids == [str(number) for number in range(1, 1_401)]
    assert [name for name, text in zip(documents.ids, documents.texts, strict=True) if not text] == ["471", "995"]
    assert documents.authors[0] == "brenckman,m."
    assert documents.bibliographies[0] == "j. ae. scs. 25, 1958, 324."
    assert documents.texts[0].startswith("experimental investigation of the aerodynamics of a\nwing")


def test_cranfield_misplaced_markers_are_removed_and_their_text_kept(data: Path) -> None:
    texts = load_cranfield().documents.texts
    assert not any(line.startswith(".") and len(line) == 2 for text in texts for line in text.splitlines())
    assert "separated region  .\napplication to turbulent" in texts[240 - 1]
    assert texts[576 - 1].endswith("blades is included .")


def test_cranfield_queries_are_numbered_in_file_order(data: Path) -> None:
    cranfield = load_cranfield()
    assert cranfield.queries.ids == [str(number) for number in range(1, 226)]
    assert cranfield.queries.texts[2].startswith("what problems of heat conduction")  # .I 004 in the file
    assert cranfield.judgements.keys() == set(cranfield.queries.ids)


def test_cranfield_relevance(data: Path) -> None:
    cranfield = load_cranfield()
    grades = [grade for judged in cranfield.judgements.values() for grade in judged.values()]
    assert len(grades) == 1_837
    assert set(grades) == {-1, 1, 2, 3, 4}
    assert sum(map(len, cranfield.relevant.values())) == 1_837 - grades.count(-1) == 1_612
    assert cranfield.judgements["1"]["184"] == 2
    assert "184" in cranfield.relevant["1"]


def test_a_malformed_judgement_is_named(data: Path, nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = nowhere / "cranfield"
    folder.mkdir()
    for name in ("cran.all.1400", "cran.qry"):
        (folder / name).write_bytes((data / "cranfield" / name).read_bytes())
    (folder / "cranqrel").write_text("1 184 2\n1 x 3\n")
    monkeypatch.setenv("TERMBURST_DATA", str(nowhere))
    with pytest.raises(ValueError, match="cranqrel, line 2: expected three whole numbers, got '1 x 3'"):
        load_cranfield()


# --- published fits ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "rows", "alpha", "alpha_not"),
    [
        ("20newsgroups", 72_916, 0.011250258647876338, 352.94783499059963),
        ("r8", 19_966, 0.00027571872233413396, 25.059700925337978),
    ],
)
def test_fits_of_the_authors(data: Path, name: str, rows: int, alpha: float, alpha_not: float) -> None:
    fits = load_published_fits(name)
    assert len(fits) == len(fits.alpha) == len(fits.alpha_not) == rows
    assert (fits.terms[0], fits.alpha[0], fits.alpha_not[0]) == ("aa", alpha, alpha_not)
    assert np.isfinite(fits.alpha).all()
    assert fits.loglik is None
    assert fits.status is None


def test_fits_of_vgam(data: Path) -> None:
    fits = load_published_fits("vgam")
    assert fits.loglik is not None
    assert fits.status is not None
    the = fits.terms.index("the")
    assert (fits.alpha[the], fits.alpha_not[the], fits.loglik[the]) == (5.24378426, 93.82281586, -408878.292049)
    failed = np.array(fits.status) != "converged"
    assert (len(fits), failed.sum()) == (32, 12)
    for values in (fits.alpha, fits.alpha_not, fits.loglik):
        np.testing.assert_array_equal(np.isnan(values), failed)


# --- the standard library ---------------------------------------------------------------------------------------------


@pytest.fixture
def small_stdlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A standard library of a few files, with its own cache folder."""
    root = tmp_path / "lib"
    sources = {
        "whole.py": (
            '"""First."""\n\nraise SystemExit("imported")\n\n'
            'class C:\n    """Second.\n\n        Indented.\n    """\n\n'
            '    def f(self):\n        """Third."""\n        def g():\n            """Fourth."""\n\n'
            'try:\n    pass\nexcept E:\n    async def h():\n        """Fifth."""\n'
            'else:\n    def i():\n        """Sixth."""\n'
        ),
        "package/__init__.py": '"""A package with a bad escape: \\d."""\n',
        "package/module.py": "'One of its modules.'\n",
        "silent.py": "x = 1\n",
        "broken.py": '"""Broken."""\ndef (:\n',
        "null.py": '"""Null\0."""\n',
    }
    skipped = ["test", "package/tests", "package/idle_test", "site-packages", "dist-packages", "ensurepip/_bundled"]
    sources |= {f"{folder}/skipped.py": '"""Skipped."""\n' for folder in [*skipped, "config-3.11-linux", "__pycache__"]}
    for name, source in sources.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(source)
    paths = sysconfig.get_paths() | {"stdlib": str(root)}
    monkeypatch.setattr("sysconfig.get_paths", lambda: paths)
    monkeypatch.setenv("TERMBURST_CACHE", str(tmp_path / "cache"))
    return root


def cache_files() -> list[Path]:
    return sorted(Path(os.environ["TERMBURST_CACHE"]).iterdir())


def test_stdlib_documents_and_what_is_left_out(small_stdlib: Path) -> None:
    stdlib = load_stdlib(cache=False)
    assert stdlib.ids == ["package", "package.module", "whole"]
    assert stdlib.texts[0] == "A package with a bad escape: \\d."
    assert stdlib.texts[2] == "First.\n\nSecond.\n\nIndented.\n\nThird.\n\nFourth.\n\nFifth.\n\nSixth."
    assert stdlib.labels is None


def test_stdlib_progress_counts_every_file(small_stdlib: Path) -> None:
    calls: list[tuple[int, int]] = []
    load_stdlib(progress=lambda done, total: calls.append((done, total)))
    assert calls == [(done, 6) for done in range(1, 7)]
    load_stdlib(progress=lambda done, total: pytest.fail("the cache was not used"))


def test_stdlib_from_the_cache_is_the_same(small_stdlib: Path) -> None:
    parsed = load_stdlib()
    [file] = cache_files()  # and no temporary file
    assert file.name.startswith(f"stdlib-{sys.implementation.name}-{sys.version_info.major}.{sys.version_info.minor}.")
    (small_stdlib / "whole.py").unlink()
    cached = load_stdlib()
    assert (cached.ids, cached.texts) == (parsed.ids, parsed.texts)
    assert "whole" not in load_stdlib(cache=False).ids


def _truncate(content: bytes) -> bytes:
    return content[:-20]


def _other_table(content: bytes) -> bytes:
    import io

    import polars as pl

    buffer = io.BytesIO()
    pl.DataFrame({"id": [1], "text": ["x"]}).write_parquet(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "damage", [_truncate, _other_table, lambda content: b"", lambda content: b"PAR1 not really PAR1"]
)
def test_stdlib_damaged_cache_is_rebuilt(
    small_stdlib: Path, capfd: pytest.CaptureFixture[str], damage: Callable[[bytes], bytes]
) -> None:
    parsed = load_stdlib()
    [file] = cache_files()
    content = file.read_bytes()
    file.write_bytes(damage(content))
    assert load_stdlib().texts == parsed.texts
    assert file.read_bytes() == content
    assert capfd.readouterr() == ("", "")


def test_stdlib_without_a_writable_cache(small_stdlib: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A file in place of the folder, since permissions do not stop every user (root).
    monkeypatch.setenv("TERMBURST_CACHE", str(small_stdlib / "silent.py"))
    assert len(load_stdlib()) == 3
    monkeypatch.setenv("TERMBURST_CACHE", str(small_stdlib / "silent.py" / "below"))
    assert len(load_stdlib()) == 3


def test_stdlib_without_a_home_folder(small_stdlib: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for variable in ("TERMBURST_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    assert cache_folder() is None
    assert len(load_stdlib()) == 3


@pytest.mark.parametrize(
    ("system", "variable", "usual"),
    [
        ("linux", "XDG_CACHE_HOME", ".cache"),
        ("darwin", None, "Library/Caches"),
        ("win32", "LOCALAPPDATA", "AppData/Local"),
    ],
)
def test_cache_folder_of_each_platform(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str, variable: str | None, usual: str
) -> None:
    for name in ("TERMBURST_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert cache_folder() == tmp_path / usual / "termburst"
    if variable is not None:
        monkeypatch.setenv(variable, str(tmp_path / "set"))
        assert cache_folder() == tmp_path / "set" / "termburst"
    monkeypatch.setenv("TERMBURST_CACHE", str(tmp_path / "own"))
    assert cache_folder() == tmp_path / "own"


def test_stdlib_without_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sysconfig.get_paths", lambda: {"stdlib": str(tmp_path / "python311.zip")})
    with pytest.raises(FileNotFoundError, match="no source files"):
        load_stdlib(cache=False)


@pytest.mark.slow
def test_the_real_stdlib_is_read_and_not_imported() -> None:
    script = (
        "import sys; from termburst.datasets import load_stdlib; stdlib = load_stdlib(cache=False)\n"
        "assert {'argparse', 'heapq', 'json', 'json.decoder'} <= set(stdlib.ids)\n"
        "assert len(stdlib) == len(set(stdlib.ids)) > 400\n"
        "assert not {'test', 'tests', 'site-packages'} & {part for name in stdlib.ids for part in name.split('.')}\n"
        "assert not {'antigravity', 'this', 'turtle', 'idlelib', 'polars', 'sklearn', 'nltk'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# --- error messages ---------------------------------------------------------------------------------------------------


def test_missing_reuters_says_what_to_do(nowhere: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"python -m nltk\.downloader reuters") as error:
        load_r8()
    assert "TERMBURST_DATA" in one_sentence(error)


LOADERS: dict[str, Callable[[], object]] = {
    "cranfield/cran.all.1400": load_cranfield,
    "published/r8-beta-binomial-fits.csv": lambda: load_published_fits("r8"),
}


@pytest.mark.parametrize("file", LOADERS)
def test_missing_files_are_named(nowhere: Path, monkeypatch: pytest.MonkeyPatch, file: str) -> None:
    with pytest.raises(FileNotFoundError, match="set TERMBURST_DATA") as error:
        LOADERS[file]()
    assert file in one_sentence(error)
    monkeypatch.setenv("TERMBURST_DATA", str(nowhere))
    with pytest.raises(FileNotFoundError, match=f"put {file} into"):
        LOADERS[file]()


@pytest.mark.parametrize("load", [load_20newsgroups, load_r8, load_cranfield, lambda: load_published_fits("vgam")])
def test_a_data_folder_that_does_not_exist(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch, load: Callable[[], object]
) -> None:
    monkeypatch.setenv("TERMBURST_DATA", str(nowhere / "missing"))
    with pytest.raises(FileNotFoundError, match=r"TERMBURST_DATA must be a folder, got .*missing"):
        load()


def test_the_message_about_an_unknown_name_lists_the_choices() -> None:
    with pytest.raises(ValueError, match="subset must be one of 'train', 'test', 'all', got 'dev'"):
        load_20newsgroups("dev")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="subset must be one of"):
        load_r8("dev")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="remove must be one of 'headers', 'footers', 'quotes', got 'header'"):
        load_20newsgroups(remove=("header",))
    with pytest.raises(ValueError, match="name must be one of '20newsgroups', 'r8', 'vgam', got 'reuters'"):
        load_published_fits("reuters")


def test_built_in_corpora_load_their_training_set(data: Path) -> None:
    assert list(BUILT_IN) == ["20newsgroups", "r8", "stdlib"]
    assert len(BUILT_IN["r8"]()) == 5_501


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda text: text[:-40], "cells, got|rows, got|could not convert|must be above 0"),
        (lambda text: "", "first line"),
        (lambda text: text.partition("\n")[2], "first line"),
        (lambda text: "\n".join(text.split("\n")[:900]) + "\n", "must have 19,966 rows, got 899"),
        (lambda text: text.replace("0.00027571872233413396", "x", 1), "'x'"),
        (lambda text: text.replace("0.00027571872233413396", "-1", 1), "alpha_i of 'aa' must be above 0, got -1"),
        (lambda text: text.replace(",0.00027571872233413396", "", 1), "line 2 must have 3 cells, got 2"),
    ],
)
def test_a_damaged_table_of_published_fits(data: Path, tmp_path: Path, monkeypatch, damage, said) -> None:
    path = tmp_path / "published" / "r8-beta-binomial-fits.csv"
    path.parent.mkdir()
    path.write_text(damage((data / "published" / path.name).read_text(encoding="utf-8")), encoding="utf-8")
    monkeypatch.setenv("TERMBURST_DATA", str(tmp_path))
    with pytest.raises(DamagedDataError, match=said) as caught:
        load_published_fits("r8")
    assert str(path) in str(caught.value)
