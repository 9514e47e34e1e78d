"""The number of words of the Universal Declaration of Human Rights in many languages, by ICU. Makes udhr_words.csv.

    TERMBURST_DATA=… python tests/reference/udhr_words.py

It needs PyICU (any version of ICU with the word boundaries of CLDR 42 or later). A word is a piece between two
boundaries with a rule status of 100 or more: letters, numbers, Kana, ideographs. One-letter words and numbers count.
"""

from __future__ import annotations

import csv
import hashlib
import os
import zipfile
from pathlib import Path

import icu

# The file in udhr2, and the language. Those in the last line have no spaces between words.
FILES = {
    "arb": "ar", "ben": "bn", "ces": "cs", "deu": "de", "ell_monotonic": "el", "eng": "en", "fin": "fi", "fra": "fr",
    "heb": "he", "hin": "hi", "ita": "it", "kor": "ko", "nld": "nl", "pes_1": "fa", "pol": "pl", "por_PT": "pt",
    "rus": "ru", "spa": "es", "swe": "sv", "tur": "tr",
    "cmn_hans": "zh", "jpn": "ja", "tha": "th",
}  # fmt: skip


def words(text: str, language: str) -> int:
    """The number of words between ICU's boundaries."""
    boundaries = icu.BreakIterator.createWordInstance(icu.Locale(language))
    boundaries.setText(icu.UnicodeString(text))
    return sum(boundaries.getRuleStatus() >= 100 for _ in boundaries)


def main() -> None:
    """Count, and write the table."""
    path = Path(os.environ["TERMBURST_DATA"]) / "nltk_data" / "corpora" / "udhr2.zip"
    with zipfile.ZipFile(path) as archive:
        texts = {name: archive.read(f"udhr2/{name}.txt").decode() for name in FILES}
    digest = hashlib.sha256("".join(texts.values()).encode()).hexdigest()
    with Path(__file__).with_suffix(".csv").open("w", encoding="utf-8", newline="") as file:
        file.write(
            f"# ICU {icu.ICU_VERSION}, Unicode {icu.UNICODE_VERSION}, PyICU {icu.VERSION}; texts {digest[:16]}\n"
        )
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["file", "language", "words"])
        table.writerows([name, language, words(texts[name], language)] for name, language in FILES.items())


if __name__ == "__main__":
    main()
