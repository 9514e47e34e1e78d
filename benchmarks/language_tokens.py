"""Words of the Universal Declaration of Human Rights in 23 languages: by termburst, and by ICU's word boundaries.

Twenty of the languages have spaces between words; there the counts must agree within 1 %. Chinese, Japanese and Thai
are divided by segmenters with their own dictionaries, so their counts stand beside those of ICU. ICU's counts come from
tests/reference/udhr_words.csv. "unicode" is words="unicode" with apostrophes="keep", which is ICU's way. "language" is
the default of each language, and "sklearn" the default token pattern of scikit-learn.

    TERMBURST_DATA=… python benchmarks/language_tokens.py
"""

from __future__ import annotations

import csv
import os
import sys
import zipfile
from pathlib import Path

import termburst as tb

REFERENCE = Path(__file__).parents[1] / "tests" / "reference" / "udhr_words.csv"
SEGMENTED = ("zh", "ja", "th")
TOLERANCE = 0.01


def rows() -> list[tuple[str, str, int]]:
    """File, language, and the number of words by ICU."""
    lines = REFERENCE.read_text(encoding="utf-8").splitlines()[1:]
    return [(row["file"], row["language"], int(row["words"])) for row in csv.DictReader(lines)]


def tokens(text: str, **options: str) -> int:
    """The number of tokens with these counting options."""
    counts, _ = tb.CountingOptions(**options).count([text])  # type: ignore[arg-type]
    return int(counts.sum())


def main() -> int:
    """Print one row per language. Exit code 1 if a count differs by more than 1 %."""
    path = Path(os.environ["TERMBURST_DATA"]) / "nltk_data" / "corpora" / "udhr2.zip"
    wrong = 0
    print(f"{'file':<14} {'language':<8} {'ICU':>6} {'unicode':>8} {'difference':>11} {'language':>9} {'sklearn':>8}")
    with zipfile.ZipFile(path) as archive:
        for name, language, expected in rows():
            text = archive.read(f"udhr2/{name}.txt").decode()
            ours = tokens(text, language=language, apostrophes="keep")
            difference = ours / expected - 1
            wrong += language not in SEGMENTED and abs(difference) > TOLERANCE
            print(
                f"{name:<14} {language:<8} {expected:>6,} {ours:>8,} {difference:>+11.2%} "
                f"{tokens(text, language=language):>9,} {tokens(text, words='sklearn'):>8,}"
            )
    print(f"{wrong} of the languages with spaces between words differ by more than {TOLERANCE:.0%}.")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
