"""Words as Unicode sees them, in many scripts, by plain Python and by compiled code."""

import csv
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termburst.counting import plain_tokenizer
from termburst.counting.options import CountingOptions
from termburst.counting.unicode_words import UnicodeWords

REFERENCE = Path(__file__).parents[1] / "reference" / "udhr_words.csv"
PACKAGES = {"zh": "jieba", "ja": "sudachipy", "th": "pythainlp"}


@pytest.fixture(params=["plain", "compiled"])
def either_tokenizer(request, monkeypatch):
    if request.param == "compiled":
        monkeypatch.setattr(plain_tokenizer, "SMALL", -1)


def terms(text, **options):
    return CountingOptions(**options).count([text])[1].tolist()


@pytest.mark.usefixtures("either_tokenizer")
def test_words_of_many_languages():
    for text, options, expected in [
        ("मानव अधिकारों की घोषणा", {"language": "hi"}, ["अधिकारों", "की", "घोषणा", "मानव"]),
        ("المُساواة، والحُرِّيّة", {"language": "ar"}, ["المُساواة", "والحُرِّيّة"]),
        ("בְּרֵאשִׁית בָּרָא צה״ל", {"language": "he"}, ["בְּרֵאשִׁית", "בָּרָא", "צה״ל"]),
        ('צה"ל', {"language": "he"}, ['צה"ל']),
        ("L’homme aujourd'hui", {"language": "fr"}, ["aujourd", "homme", "hui", "l"]),
        ("L’homme", {"language": "fr", "apostrophes": "keep"}, ["l'homme"]),
        ("l'arte dell'Italia", {"language": "it"}, ["arte", "dell", "italia", "l"]),
        ("I don't, I DON’T; 'quoted'", {"language": "en"}, ["don't", "i", "quoted"]),
        ("don't", {"apostrophes": "split"}, ["don", "t"]),
        ("IRMAK İstanbul I", {"language": "tr"}, ["irmak".replace("i", "ı"), "istanbul", "ı"]),
        ("IRMAK", {"language": "tr", "lowercase": False}, ["IRMAK"]),
        ("İstanbul", {}, ["i̇stanbul"]),
        ("EU:n jäsen", {"language": "fi"}, ["eu:n", "jäsen"]),
        ("col·legi", {"language": "ca"}, ["col·legi"]),
        ("می‌خواهم", {"language": "fa"}, ["می‌خواهم"]),
        ("3.14 1,000,000 a.b 1.a 7, 1'000", {}, ["1", "1'000", "1,000,000", "3.14", "7", "a", "a.b"]),
        ("_emphasis_ snake_case ____", {}, ["emphasis", "snake_case"]),
        ("cafe\u0301 café co\u00adop", {}, ["café", "coop"]),
        ("हिन्दी\u200d", {}, ["हिन्दी"]),
        ("x² 🙂 ½", {}, ["x"]),
        ("y o a", {}, ["a", "o", "y"]),
    ]:
        assert terms(text, **options) == sorted(expected)


@pytest.mark.slow
@pytest.mark.usefixtures("either_tokenizer")
@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("zh", "人人生而自由，在尊严和权利上一律平等。AI 3.5", ["人人", "自由", "尊严", "权利", "ai", "3.5"]),
        ("ja", "すべての人間は、生まれながらにして自由であり、AIは3.5です。", ["人間", "自由", "は", "ai", "3.5"]),
        ("th", "มนุษย์ทั้งหลายเกิดมามีอิสระ AI 3.5", ["มนุษย์", "ทั้งหลาย", "เกิด", "ai", "3.5"]),
    ],
)
def test_scripts_without_spaces_are_divided_into_words(language, text, expected):
    pytest.importorskip(PACKAGES[language])
    found = terms(text, language=language)
    # jieba has 生而自由 as one word.
    assert set(expected) - {"自由"} <= set(found)
    assert text.lower() not in found


def test_the_language_decides_what_joins_letters():
    assert terms('צה"ל') == ["ל", "צה"]
    assert terms("EU:n") == ["eu", "n"]


def test_the_tables_are_made_once():
    assert UnicodeWords().wide is not UnicodeWords().wide
    first, second = (CountingOptions()._unicode_words() for _ in range(2))
    assert first is second


def udhr():
    lines = REFERENCE.read_text(encoding="utf-8").splitlines()[1:]
    return [(row["file"], row["language"], int(row["words"])) for row in csv.DictReader(lines)]


@pytest.mark.parametrize(("file", "language", "words"), udhr())
def test_as_many_words_as_icu(data, file, language, words):
    """Within 1 % where words have spaces between them, and within 25 % where dictionaries decide."""
    if language in PACKAGES:
        pytest.importorskip(PACKAGES[language])
    with zipfile.ZipFile(data / "nltk_data" / "corpora" / "udhr2.zip") as archive:
        text = archive.read(f"udhr2/{file}.txt").decode()
    counts, found = CountingOptions(language=language, apostrophes="keep").count([text])
    assert counts.sum() == pytest.approx(words, rel=0.25 if language in PACKAGES else 0.01)
    assert language != "hi" or "मानव" in found


@given(
    st.text(alphabet=st.sampled_from("ab3. ,'_-é\u0301\u200d\u093c中")),
    st.integers(1, 5),
    st.sampled_from(["keep", "split"]),
)
def test_every_nth_token_begins_where_it_is_found(text, number, apostrophes):
    for options in (CountingOptions(apostrophes=apostrophes), CountingOptions(words="sklearn")):
        shown, tokens = options.placed_tokens(text)
        assert options.every_token(text, number) == (shown, [start for _, start, _ in tokens][number::number])


@given(st.text(alphabet="ab1_.,'’ \u200b\u200d\u0301é-\n", max_size=40), st.integers(1, 3))
def test_places_are_those_of_all_tokens(text, each):
    rule = UnicodeWords()
    spans = list(rule.spans(text))
    words = {text[start:stop] for start, stop in spans} | {"a", "ab", "a.b"}
    expected = {word: [(i, j) for i, j in spans if text[i:j] == word][:each] for word in words}
    assert rule.places(text, words, each) == expected


def test_places_in_one_long_token_take_linear_time():
    text = "ab." * 200_000 + "ab ab"
    assert UnicodeWords().places(text, ["ab"], 2) == {"ab": [(600_003, 600_005)]}
