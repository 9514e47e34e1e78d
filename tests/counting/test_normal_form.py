"""NFC by parts equals `unicodedata`'s."""

import unicodedata
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termburst.counting.normal_form import SHORT, composed

ODD = (
    "aeö\u0301\u0308\u0323\u0327\u093c\u094dकख\u0958\u0b47\u0b3e"
    "\u1100\u1161\u11a8가각\u212b\u2126\u0344\U0001d15e\U00011099\U000110ba"
)


def same(text: str) -> None:
    assert composed(text) == unicodedata.normalize("NFC", text)


@given(st.text(alphabet=st.sampled_from(ODD), min_size=1, max_size=60))
def test_odd_sequences(some):
    same("x" * 10 * SHORT + some + "y" * 10 * SHORT)
    same(some + "y" * 10 * SHORT)
    same("y" * 10 * SHORT + some)


@given(st.text(min_size=1, max_size=20))
def test_any_characters(some):
    same(some + "y" * 10 * SHORT + some)


@pytest.mark.slow
def test_every_character_alone_and_after_a_letter():
    points = [point for point in range(0x30000) if not 0xD800 <= point < 0xE000]
    pad = "z" * 11
    for first in range(0, len(points), 4096):
        characters = [chr(point) for point in points[first : first + 4096]]
        same(pad.join(characters))
        same(pad.join(f"a{character}\u0301" for character in characters))


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_every_language_of_the_declaration(data, form):
    with zipfile.ZipFile(data / "nltk_data/corpora/udhr2.zip") as archive:
        for name in archive.namelist():
            if name.endswith(".txt"):
                same(unicodedata.normalize(form, archive.read(name).decode("utf-8", "replace")))
