"""How text is read: the reading report, one rule for plain text, pieces, and what is said of odd corpora."""

import json

import pytest

import termburst as tb

ALL = ("--top", "0", "--format", "json")


@pytest.fixture
def folder(tmp_path):
    """Two texts, one of them not in UTF-8, and a file that is not a document."""
    path = tmp_path / "folder"
    path.mkdir()
    (path / "a.txt").write_bytes("naïve Seeleute fangen Wale mit der Harpune, très naïve".encode("cp1252"))
    (path / "b.txt").write_text("so it goes and it goes on\nso so it is\n", encoding="utf-8")
    (path / "README.md").write_text("about these texts", encoding="utf-8")
    return path


def test_everything_odd_is_said(run, folder):
    outcome = run("terms", folder, *ALL)
    assert outcome.code == 0
    assert "naïve" in outcome.rows
    assert "about" not in outcome.rows
    assert "folder: 2 documents in 2 files, one per file." in outcome.err
    assert "README.md" in outcome.err
    assert "a.txt: cp1252" in outcome.err


def test_quiet_verbose_and_nothing_to_say(run, folder):
    assert run("terms", folder, "--quiet").err == ""
    (folder / "README.md").unlink()
    (folder / "a.txt").unlink()
    (folder / "c.txt").write_text("a second document, which has other words", encoding="utf-8")
    assert run("terms", folder).err == ""
    assert "folder: 2 documents in 2 files, one per file." in run("terms", folder, "--verbose").err


def test_strict_reading_stops_at_the_first_of_them(fault, folder):
    assert "README.md: skipped (README or licence)" in fault("terms", folder, "--strict")
    (folder / "README.md").unlink()
    assert "a.txt: encoding guessed" in fault("terms", folder, "--strict")


def test_a_long_report_is_cut_on_a_terminal(run, folder, monkeypatch):
    from termburst.cli import reading

    monkeypatch.setattr(reading, "_REPORT_LINES", 2)
    assert "more line" not in run("terms", folder).err  # a file or a pipe gets all of it
    monkeypatch.setattr(reading, "_is_terminal", lambda: True)
    cut = run("terms", folder).err
    assert "; --verbose shows all\n" in cut
    assert "README.md" not in cut
    assert "README.md" in run("terms", folder, "--verbose").err


def test_a_text_file_is_one_document_alone_and_in_a_folder(run, folder):
    (folder / "a.txt").unlink()
    alone = run("stats", "build", folder / "b.txt", "-o", folder.parent / "alone.parquet")
    assert alone.code == 0
    assert run("stats", "build", folder, "-o", folder.parent / "folder.parquet").code == 0
    assert tb.TermStatistics.load(folder.parent / "alone.parquet") == tb.TermStatistics.load(
        folder.parent / "folder.parquet"
    )
    assert tb.TermStatistics.load(folder.parent / "alone.parquet").documents == 1


@pytest.mark.parametrize("command", [("terms",), ("weigh", "-o", "w.npz"), ("report", "-o", "p.json")])
def test_one_document_says_what_to_do(process, folder, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name, *options = command
    outcome = process(name, folder / "b.txt", *options, "--quiet")
    assert outcome.code == 0
    assert "b.txt is a single document, but burstiness shows only between documents; --lines makes" in outcome.err
    assert "--split 1000" in outcome.err
    assert "single document" not in process(name, folder / "b.txt", *options, "--quiet", "--lines").err


def test_pieces(done, fault, tmp_path):
    novel = tmp_path / "novel.txt"
    novel.write_text("CHAPTER 1\nso it goes\nCHAPTER 2\nso it is\nand on\n", encoding="utf-8")
    done("export", novel, "--split", "^CHAPTER", "-o", tmp_path / "chapters.mallet")
    assert (tmp_path / "chapters.mallet").read_text(encoding="utf-8").splitlines() == [
        "novel.txt:1\tnone\t1 chapter goes it so",
        "novel.txt:2\tnone\t2 and chapter is it on so",
    ]
    done("stats", "build", novel, "--split", 4, "-o", tmp_path / "s.parquet", "--checkpoint", 1e-9)
    assert tb.TermStatistics.load(tmp_path / "s.parquet").documents == 3
    assert tb.TermStatistics.load(tmp_path / "s.parquet").lengths.tolist() == [4]
    assert "--split must be 1 to" in fault("terms", novel, "--split", 0)
    assert "not a regular expression" in fault("terms", novel, "--split", "(")


def test_a_delimiter_is_found_out_or_given(run, done, tmp_path):
    path = tmp_path / "posts.csv"
    path.write_text("id;text\n1;so it goes, on and on\n2;so so\n", encoding="utf-8")
    found = run("terms", path, *ALL)
    assert "delimiter guessed" in found.err
    assert found.rows == done("terms", path, "--delimiter", ";", *ALL).rows


@pytest.mark.parametrize(("layer", "terms"), [("form", {"Whales", "swim"}), ("lemma", {"whale", "swim"})])
def test_layers_of_annotated_corpora(done, tmp_path, layer, terms):
    path = tmp_path / "a.conllu"
    rows = ["1\tWhales\twhale\tNOUN\t_\t_\t2\tnsubj\t_\t_", "2\tswim\tswim\tVERB\t_\t_\t0\troot\t_\t_"]
    documents = [f"# newdoc id = {k}\n# sent_id = {k}\n" + "\n".join(rows) + "\n\n" for k in "ab"]
    path.write_text("".join(documents), encoding="utf-8")
    assert set(done("terms", path, "--layer", layer, *ALL).rows) == terms


def test_annotated_and_plain_texts_are_not_mixed(fault, tmp_path):
    (tmp_path / "a.conllu").write_text("1\tWhales\twhale\tNOUN\t_\t_\t0\troot\t_\t_\n\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("whales swim", encoding="utf-8")
    assert "has annotated files and plain texts (b.txt)" in fault("terms", tmp_path)


def test_text_without_spaces_names_the_language_to_give(process, tmp_path):
    path = tmp_path / "zh.csv"
    path.write_text("text\n人人生而自由在尊严和权利上一律平等\n他们赋有理性和良心\n", encoding="utf-8")
    outcome = process("terms", path, "--quiet")
    assert outcome.code == 0
    assert 'Give --language "zh" (Chinese) or "ja" (Japanese).' in outcome.err


def test_the_same_folder_is_not_counted_twice_without_a_batch(run, folder, tmp_path):
    saved = tmp_path / "s.parquet"
    assert run("stats", "build", folder, "-o", saved).code == 0
    again = run("stats", "add", saved, folder)
    assert again.code == 2
    assert "already contains the texts of" in again.err
    assert json.loads(run("stats", "show", saved, "--json").raw)["documents"] == 2
