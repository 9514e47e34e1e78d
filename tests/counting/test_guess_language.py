"""The guessed language of the Universal Declaration of Human Rights."""

import csv
import zipfile
from pathlib import Path

from termburst.counting.scripts import guess_language

REFERENCE = Path(__file__).parents[1] / "reference" / "udhr_words.csv"


def files():
    rows = csv.DictReader(REFERENCE.read_text(encoding="utf-8").splitlines()[1:])
    return [(row["file"], row["language"]) for row in rows]


def test_the_language_of_three_hundred_characters_is_guessed(data):
    for file, language in files():
        with zipfile.ZipFile(data / "nltk_data" / "corpora" / "udhr2.zip") as archive:
            text = archive.read(f"udhr2/{file}.txt").decode()
        for sample in (text[500:800], text[500:5_500]):
            guess, confidence = guess_language([sample])
            assert guess == language
            assert 0 < confidence <= 1


def test_no_guess_without_evidence():
    for texts in [[], [""], ["1 2 3"], ["qwx zyk vbn mlp"], [["so", "it"]]]:
        assert guess_language(texts) is None


def test_only_the_beginning_of_a_corpus_is_read():
    def texts():
        yield from ["und das ist nicht so"] * 200
        raise AssertionError("one text too many")

    assert guess_language(texts())[0] == "de"
