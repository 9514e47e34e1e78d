"""Languages by code and name, their stop words, and what is refused."""

import subprocess
import sys

import pytest

from termburst.counting.languages import (
    language_code,
    language_name,
    languages_with_stop_words,
    lower_case,
    stop_words_of,
)
from termburst.counting.options import CountingOptions


def test_codes_and_names():
    for name, code in [
        ("de", "de"),
        ("deu", "de"),
        ("ger", "de"),
        ("German", "de"),
        (" german ", "de"),
        ("pt-BR", "pt"),
        ("zh_TW", "zh"),
        ("cmn", "zh"),
        ("mandarin", "zh"),
        ("farsi", "fa"),
        ("Haitian Creole", "ht"),
        ("slovene", "sl"),
        ("xho", "xh"),
    ]:
        assert language_code(name) == code


def test_an_unknown_language_is_refused_with_near_matches():
    for name, message in [
        ("germna", r"'germna' is not known\. Did you mean German \(de\)"),
        ("portugese", r"Did you mean Portuguese \(pt\)\?"),
        ("xx", "is not known"),
        ("", "is not known"),
        (7, "language must be a string; got 7"),
    ]:
        for option in ("language", "stop_words") if isinstance(name, str) else ("language",):
            with pytest.raises(ValueError, match=message):
                CountingOptions(**{option: name})


def test_every_code_has_a_name():
    assert all(language_code(language_name(code)) == code for code in languages_with_stop_words())


def test_there_are_stop_words_of_thirty_languages():
    lists = {code: stop_words_of(code) for code in languages_with_stop_words()}
    assert len(lists) >= 30
    assert all(lists.values())
    for code, word in {"de": "und", "fr": "qu", "hi": "और", "ru": "и", "tr": "ve", "ar": "في", "nb": "og"}.items():
        assert word in lists[code]


def test_a_language_without_a_list_is_refused():
    with pytest.raises(ValueError, match=r"no list of stop words for Tamil \(ta\)\. Give your own list.*af, ar"):
        CountingOptions(stop_words="tamil")
    with pytest.raises(ValueError, match=r"stop_words=True means the list of the language\. Give one, such as"):
        CountingOptions(stop_words=True)


def test_stop_words_by_language():
    text = "Die Katze und das Haus sind wirklich unantastbar"
    for stop_words in (True, "auto", "de", "german"):
        terms = CountingOptions(language="de", stop_words=stop_words).count([text])[1]
        assert terms.tolist() == ["haus", "katze", "unantastbar"]
    assert CountingOptions(stop_words="german") == CountingOptions(stop_words="de")
    assert CountingOptions(stop_words="german").count([text])[1].tolist() == ["haus", "katze", "unantastbar"]
    assert CountingOptions(language="de", stop_words=False) == CountingOptions(language="de")


def test_contractions_and_elided_words_are_stop_words():
    found = CountingOptions(language="en", stop_words=True).count(["I don't know why it's so, isn’t it?"])[1]
    assert found.tolist() == ["know"]
    found = CountingOptions(language="fr", stop_words=True).count(["L'homme qu’il est, c'est l’art"])[1]
    assert found.tolist() == ["art", "homme"]
    # What another rule makes of the same list is left out, too, without a warning.
    assert CountingOptions(words="sklearn", stop_words="en").count(["isn't it so odd"])[1].tolist() == ["odd"]


def test_lower_case_by_language():
    assert lower_case("Iİ I\u0307", "tr") == "ıi i"
    assert lower_case("I", "en") == "i"


def test_english_stop_words_are_those_of_scikit_learn_without_its_import():
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    script = "import sys, termburst as tb; tb.CountingOptions(stop_words='english').count(['so'])\n"
    script += "from termburst.counting.languages import english_stop_words\n"
    script += "print('sklearn' in sys.modules, *sorted(english_stop_words()))"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert found == ["False", *sorted(ENGLISH_STOP_WORDS)]
