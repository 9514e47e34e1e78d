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


@pytest.fixture
def annotated(tmp_path):
    """Two documents of three words each, in CoNLL-U."""
    words = [("The", "The", "DET"), ("Whales", "Whale", "NOUN"), ("Swim", "Swim", "VERB")]
    rows = "".join(
        f"{k}\t{form}\t{lemma}\t{tag}\t_\t_\t0\tdep\t_\t_\n" for k, (form, lemma, tag) in enumerate(words, 1)
    )
    path = tmp_path / "annotated" / "a.conllu"
    path.parent.mkdir()
    path.write_text("".join(f"# newdoc id = {k}\n# sent_id = {k}\n{rows}\n" for k in "ab"), encoding="utf-8")
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

    monkeypatch.setattr(reading, "REPORT_LINES", 2)
    assert "more line" not in run("terms", folder).err  # a file or a pipe gets all of it
    monkeypatch.setattr(reading, "errors_are_on_terminal", lambda: True)
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
    done("export", novel, "--split", "^CHAPTER", "-o", tmp_path / "chapters.csv")
    rows = [row.split(",") for row in (tmp_path / "chapters.csv").read_text(encoding="utf-8").splitlines()[1:]]
    assert [row[1] for row in rows if row[0] == "novel.txt:1"] == ["1", "chapter", "goes", "it", "so"]
    assert [row[1] for row in rows if row[0] == "novel.txt:2"] == ["2", "and", "chapter", "is", "it", "on", "so"]
    build = ("stats", "build", novel, "--split", 4, "-o", tmp_path / "s.parquet")
    assert "a build with --split saves nothing before its end" in fault(*build, "--checkpoint", 1e-9)
    done(*build)
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


@pytest.mark.parametrize(
    ("layer", "terms"),
    [
        ("form", {"the", "whales", "swim"}),
        ("lemma", {"the", "whale", "swim"}),
        ("upos", {"DET", "NOUN", "VERB"}),
        ("lemma_upos", {"the_DET", "whale_NOUN", "swim_VERB"}),
    ],
)
def test_layers_of_annotated_corpora(done, fault, annotated, layer, terms):
    assert set(done("terms", annotated, "--layer", layer, *ALL).rows) == terms
    whole = {term if layer == "upos" else term[0].upper() + term[1:] for term in terms}
    assert set(done("terms", annotated, "--layer", layer, "--no-lowercase", *ALL).rows) == whole
    if layer == "upos":
        assert "there are no stop words" in fault("terms", annotated, "--layer", layer, "--stop-words", "en")
        return
    rest = done("terms", annotated, "--layer", layer, "--stop-words", "en")
    assert set(done("terms", annotated, "--layer", layer, "--stop-words", "en", *ALL).rows) == {
        term for term in terms if not term.startswith("the")
    }
    assert "in lower case, without stop words (en)" in rest.out.splitlines()[1]


def test_saved_statistics_know_their_layer(run, fault, annotated, tmp_path):
    saved = tmp_path / "lemmas.parquet"
    assert run("stats", "build", annotated, "--layer", "lemma", "--stop-words", "en", "-o", saved).code == 0
    assert run("stats", "add", saved, annotated, "--again", "--quiet").code == 0
    assert tb.TermStatistics.load(saved).terms.tolist() == ["swim", "whale"]
    assert "was counted with --layer lemma" in fault("stats", "add", saved, annotated, "--again", "--layer", "form")
    (tmp_path / "plain.txt").write_text("whales swim", encoding="utf-8")
    assert "plain.txt: has no annotated words" in fault("stats", "add", saved, tmp_path / "plain.txt")


def test_annotated_and_plain_texts_are_not_mixed(fault, run, annotated):
    folder = annotated.parent
    (folder / "b.txt").write_text("dolphins swim, too, in plain text", encoding="utf-8")
    said = fault("terms", folder)
    assert "has annotated words and b.txt is plain text" in said
    assert "--layer form reads only the annotated files, and a glob in quotes, such as '**/*.txt'" in said
    (folder / "0.txt").write_text("dolphins swim", encoding="utf-8")  # now the first one is plain
    assert "has annotated words and 0.txt is plain text" in fault("terms", folder)
    outcome = run("terms", folder, "--layer", "form", *ALL)
    assert set(outcome.rows) == {"the", "whales", "swim"}
    assert "2 without annotated words, which --layer asks for: 0.txt, b.txt" in outcome.err
    assert set(run("terms", f"{folder}/*.txt", *ALL).rows) >= {"dolphins", "plain"}


def test_a_layer_of_plain_text_is_said(fault, folder, tmp_path):
    said = fault("terms", folder / "b.txt", "--layer", "lemma")
    assert "b.txt: has no annotated words, but --layer lemma asks for them; omit --layer" in said
    assert "files skipped: 2 without annotated words, which --layer asks for" in fault(
        "terms", folder, "--layer", "lemma"
    ).replace("1 README or licence, ", "")
    assert "omit --layer" in fault("terms", "stdlib", "--layer", "lemma")


def test_blank_lines_are_no_documents(run, tmp_path):
    path = tmp_path / "poem.txt"
    path.write_text("so it goes\n\n\nso so\n  \non and on\n\n", encoding="utf-8")
    outcome = run("stats", "build", path, "--lines", "-o", tmp_path / "s.parquet")
    assert "poem.txt: 4 blank lines" in outcome.err
    assert tb.TermStatistics.load(tmp_path / "s.parquet").documents == 3


def test_the_report_says_how_many_pieces(run, fault, process, tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text("CHAPTER 1\nso it goes\nCHAPTER 2\nso so\n" + name, encoding="utf-8")
    first = "2 documents in 2 files, one per file; cut into 4 pieces.\n"
    assert first in run("terms", tmp_path, "--split", "^CHAPTER").err
    assert first.replace("4", "6") in run("terms", tmp_path, "--split", "4").err
    assert run("terms", tmp_path, "--split", "4", "--quiet").err == ""
    assert "--split: the pattern '^KAPITEL' cuts no document; check it" in fault(
        "terms", tmp_path, "--split", "^KAPITEL"
    )
    outcome = process("terms", tmp_path, "--lines", "--split", "1000")
    assert outcome.code == 0
    assert "--split 1000 cuts none of 10 documents: none has more than 1000 tokens" in outcome.err


def test_a_guessed_language_is_not_used_and_this_is_said(run, tmp_path):
    text = "Alle Menschen sind frei und gleich an Würde und Rechten geboren, und sie sind mit Vernunft begabt."
    for k in range(3):
        (tmp_path / f"{k}.txt").write_text(f"{text} {k}", encoding="utf-8")
    said = run("terms", tmp_path, "--verbose").err
    assert "German, it seems, but nothing changes unless you say so: --language de sets it, --stop-words de" in said
    assert "it seems" not in run("terms", tmp_path, "--verbose", "--language", "de").err
    assert "--stop-words" not in run("terms", tmp_path, "--verbose", "--stop-words", "german").err


def test_a_stop_word_is_explained_as_one(run, fault, folder, tmp_path):
    line = fault("explain", folder, "It", "--stop-words", "english")
    assert "'it' is a stop word, so it was left out; count without stop words to see it" in line
    assert "is not among the" in fault("explain", folder, "whale", "--stop-words", "english")


def test_pictures_are_skipped_whatever_their_bytes(run, fault, folder):
    (folder / "photo.png").write_bytes(b"no NUL in these bytes")
    (folder / "scan").write_bytes(b"\x89PNG\r\n\x1a\nshort caf\xe9 picture")
    err = run("terms", folder, *ALL).err
    assert "2 binary: photo.png, scan" in err
    assert "scan: is a binary file" in fault("terms", folder / "scan")


def test_text_without_spaces_names_the_language_to_give(process, tmp_path):
    path = tmp_path / "zh.csv"
    path.write_text("text\n人人生而自由在尊严和权利上一律平等\n他们赋有理性和良心\n", encoding="utf-8")
    outcome = process("terms", path, "--quiet")
    assert outcome.code == 0
    assert "Give --language zh (Chinese) or --language ja (Japanese)." in outcome.err


def test_the_same_folder_is_not_counted_twice_without_a_batch(run, folder, tmp_path):
    saved = tmp_path / "s.parquet"
    assert run("stats", "build", folder, "-o", saved).code == 0
    again = run("stats", "add", saved, folder)
    assert again.code == 2
    assert "already contains the texts of" in again.err
    assert json.loads(run("stats", "show", saved, "--json").raw)["documents"] == 2
