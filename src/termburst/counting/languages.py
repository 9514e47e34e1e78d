"""Languages by their ISO 639 codes and English names: their stop words, letter case and apostrophes."""

from __future__ import annotations

import ast
import difflib
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from termburst.messages import Message, named

# The languages of ISO 639-1: code, code of ISO 639-3, English name.
_TABLE = """
aa aar Afar; ab abk Abkhazian; ae ave Avestan; af afr Afrikaans; ak aka Akan; am amh Amharic; an arg Aragonese;
ar ara Arabic; as asm Assamese; av ava Avaric; ay aym Aymara; az aze Azerbaijani; ba bak Bashkir;
be bel Belarusian; bg bul Bulgarian; bi bis Bislama; bm bam Bambara; bn ben Bengali; bo bod Tibetan; br bre Breton;
bs bos Bosnian; ca cat Catalan; ce che Chechen; ch cha Chamorro; co cos Corsican; cr cre Cree; cs ces Czech;
cu chu Church Slavic; cv chv Chuvash; cy cym Welsh; da dan Danish; de deu German; dv div Dhivehi; dz dzo Dzongkha;
ee ewe Ewe; el ell Greek; en eng English; eo epo Esperanto; es spa Spanish; et est Estonian; eu eus Basque;
fa fas Persian; ff ful Fula; fi fin Finnish; fj fij Fijian; fo fao Faroese; fr fra French; fy fry Frisian;
ga gle Irish; gd gla Scottish Gaelic; gl glg Galician; gn grn Guarani; gu guj Gujarati; gv glv Manx; ha hau Hausa;
he heb Hebrew; hi hin Hindi; ho hmo Hiri Motu; hr hrv Croatian; ht hat Haitian Creole; hu hun Hungarian;
hy hye Armenian; hz her Herero; ia ina Interlingua; id ind Indonesian; ie ile Interlingue; ig ibo Igbo;
ii iii Sichuan Yi; ik ipk Inupiaq; io ido Ido; is isl Icelandic; it ita Italian; iu iku Inuktitut; ja jpn Japanese;
jv jav Javanese; ka kat Georgian; kg kon Kongo; ki kik Kikuyu; kj kua Kuanyama; kk kaz Kazakh; kl kal Kalaallisut;
km khm Khmer; kn kan Kannada; ko kor Korean; kr kau Kanuri; ks kas Kashmiri; ku kur Kurdish; kv kom Komi;
kw cor Cornish; ky kir Kyrgyz; la lat Latin; lb ltz Luxembourgish; lg lug Ganda; li lim Limburgish; ln lin Lingala;
lo lao Lao; lt lit Lithuanian; lu lub Luba-Katanga; lv lav Latvian; mg mlg Malagasy; mh mah Marshallese;
mi mri Maori; mk mkd Macedonian; ml mal Malayalam; mn mon Mongolian; mr mar Marathi; ms msa Malay; mt mlt Maltese;
my mya Burmese; na nau Nauru; nb nob Norwegian Bokmal; nd nde North Ndebele; ne nep Nepali; ng ndo Ndonga;
nl nld Dutch; nn nno Norwegian Nynorsk; no nor Norwegian; nr nbl South Ndebele; nv nav Navajo; ny nya Nyanja;
oc oci Occitan; oj oji Ojibwa; om orm Oromo; or ori Odia; os oss Ossetic; pa pan Punjabi; pi pli Pali;
pl pol Polish; ps pus Pashto; pt por Portuguese; qu que Quechua; rm roh Romansh; rn run Rundi; ro ron Romanian;
ru rus Russian; rw kin Kinyarwanda; sa san Sanskrit; sc srd Sardinian; sd snd Sindhi; se sme Northern Sami;
sg sag Sango; si sin Sinhala; sk slk Slovak; sl slv Slovenian; sm smo Samoan; sn sna Shona; so som Somali;
sq sqi Albanian; sr srp Serbian; ss ssw Swati; st sot Southern Sotho; su sun Sundanese; sv swe Swedish;
sw swa Swahili; ta tam Tamil; te tel Telugu; tg tgk Tajik; th tha Thai; ti tir Tigrinya; tk tuk Turkmen;
tl tgl Tagalog; tn tsn Tswana; to ton Tongan; tr tur Turkish; ts tso Tsonga; tt tat Tatar; tw twi Twi;
ty tah Tahitian; ug uig Uyghur; uk ukr Ukrainian; ur urd Urdu; uz uzb Uzbek; ve ven Venda; vi vie Vietnamese;
vo vol Volapuk; wa wln Walloon; wo wol Wolof; xh xho Xhosa; yi yid Yiddish; yo yor Yoruba; za zha Zhuang;
zh zho Chinese; zu zul Zulu
"""
_OTHER_NAMES = {  # codes of ISO 639-2/B, members of groups of languages, other names
    "alb": "sq", "arm": "hy", "baq": "eu", "bur": "my", "chi": "zh", "cze": "cs", "dut": "nl", "fre": "fr", "geo": "ka",
    "ger": "de", "gre": "el", "ice": "is", "mac": "mk", "mao": "mi", "may": "ms", "per": "fa", "rum": "ro", "slo": "sk",
    "tib": "bo", "wel": "cy", "arb": "ar", "arz": "ar", "azj": "az", "cmn": "zh", "ekk": "et", "fil": "tl", "khk": "mn",
    "kmr": "ku", "lvs": "lv", "npi": "ne", "pbu": "ps", "pes": "fa", "prs": "fa", "swh": "sw", "uzn": "uz", "ydd": "yi",
    "zsm": "ms", "als": "sq", "mandarin": "zh", "farsi": "fa", "bangla": "bn", "filipino": "tl", "slovene": "sl",
    "castilian": "es", "flemish": "nl", "moldovan": "ro", "modern greek": "el", "bokmal": "nb", "nynorsk": "nn",
    "gaelic": "gd", "myanmar": "my",
}  # fmt: skip
_NO_LIST_OF_ITS_OWN = {"nb": "no", "nn": "no"}
_ELISION = frozenset({"fr", "it", "ca", "oc", "co", "wa", "sc"})  # an apostrophe ends a word: l'homme, dell'arte
# What is left of elided words where the apostrophe is split off. All of them are stop words.
_ELIDED = {
    "fr": "c d j l m n s t qu jusqu lorsqu puisqu quoiqu quelqu presqu",
    "it": "c d l m n s t v un all dall dell nell sull coll gl quell quest sant tutt anch senz dov cos com",
    "ca": "d l m n s t",
    "oc": "d l m n s t qu",
}
_JOINERS = {"he": '"', "yi": '"', "sv": ":", "fi": ":"}  # between letters: צה"ל, EU:n


@lru_cache(maxsize=1)
def _codes() -> dict[str, str]:
    """The code of every name that is understood."""
    codes = dict(_OTHER_NAMES)
    for code, three_letters, name in _rows():
        codes.update({code: code, three_letters: code, name.lower(): code})
    return codes


@lru_cache(maxsize=1)
def _rows() -> list[tuple[str, str, str]]:
    return [(row[0], row[1], row[2]) for row in (entry.strip().split(None, 2) for entry in _TABLE.split(";"))]


def language_code(language: str) -> str:
    """The two-letter code of a language, from a code of ISO 639 or its English name; ValueError for any other.

    A region or a script behind it is left out.

    Examples
    --------
    >>> [language_code(name) for name in ("de", "deu", "German", "pt-BR")]
    ['de', 'de', 'de', 'pt']
    >>> language_code("portugese")
    Traceback (most recent call last):
    ValueError: The language 'portugese' is not known. Did you mean Portuguese (pt)? Give ...
    """
    codes = _codes()
    asked = language.strip().lower() if isinstance(language, str) else ""
    code = codes.get(asked) or codes.get(asked.replace("_", "-").split("-")[0])
    if code is not None:
        return code
    names = [name for name in codes if (len(name) > 3) == (len(asked) > 3)]
    near = {codes[name]: name for name in difflib.get_close_matches(asked, names, n=3, cutoff=0.6)}
    hint = " or ".join(f"{language_name(code)} ({code})" for code in near)
    raise ValueError(
        f"The language {language!r:.40} is not known.{f' Did you mean {hint}?' if hint else ''} "
        'Give a code of ISO 639 or an English name, such as "de", "deu" or "german".'
    )


def language_name(code: str) -> str:
    """The English name of a language.

    Examples
    --------
    >>> language_name("hi")
    'Hindi'
    """
    return next(name for known, _, name in _rows() if known == code)


def guessed_language(code: str, *, stop_words: bool) -> Message:
    """What the reading report says of a language that was guessed: it is not used unless somebody gives it.

    *stop_words* says whether some are left out already.

    Examples
    --------
    >>> print(guessed_language("de", stop_words=False))
    German, it seems, but nothing changes unless you say so: language="de" sets it,
    stop_words="de" leaves out its stop words
    """
    said = f"{language_name(code)}, it seems, but nothing changes unless you say so: "
    advice = named("language", code) + " sets it"
    if not stop_words and code in languages_with_stop_words():
        advice += ", " + named("stop_words", code) + " leaves out its stop words"
    return said + advice


def languages_with_stop_words() -> list[str]:
    """The codes of the languages that have a list of stop words."""
    import stopwordsiso

    return sorted({*stopwordsiso.langs(), *_NO_LIST_OF_ITS_OWN} & {code for code, _, _ in _rows()})


@lru_cache(maxsize=64)
def stop_words_of(code: str) -> frozenset[str]:
    """The stop words of a language: those of *stopwords-iso*; ValueError where it has none.

    English is an exception: its list there has 1,298 entries, and many of them are not stop words. Here it is
    scikit-learn's list with the contractions of *stopwords-iso* (*don't*). What is left of elided words is added:
    *l* and *qu* in French.

    Examples
    --------
    >>> "und" in stop_words_of("de"), "don't" in stop_words_of("en")
    (True, True)
    """
    import stopwordsiso

    words = stopwordsiso.stopwords(_NO_LIST_OF_ITS_OWN.get(code, code))
    if not words:
        raise ValueError(
            f"There is no list of stop words for {language_name(code)} ({code}). Give your own list of words. "
            f"There are lists for: {', '.join(languages_with_stop_words())}."
        )
    if code == "en":
        words = {word for word in words if "'" in word[1:]} | english_stop_words()
    return frozenset(words) | frozenset(_ELIDED.get(code, "").split())


@cache
def english_stop_words() -> frozenset[str]:
    """scikit-learn's list, from its own file: importing all of scikit-learn for 318 words takes more than a second.

    Examples
    --------
    >>> len(english_stop_words()), "whence" in english_stop_words()
    (318, True)
    """
    package = find_spec("sklearn")
    file = Path(package.origin if package and package.origin else "").parent / "feature_extraction" / "_stop_words.py"
    if "sklearn" not in sys.modules and file.is_file():
        for statement in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call) and statement.value.args:
                return frozenset(ast.literal_eval(statement.value.args[0]))
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return frozenset(ENGLISH_STOP_WORDS)


def default_apostrophes(code: str | None) -> str:
    """What an apostrophe between two letters does: it joins them, but ends a word in languages with elision.

    Examples
    --------
    >>> default_apostrophes("en"), default_apostrophes("fr")
    ('keep', 'split')
    """
    return "split" if code in _ELISION else "keep"


def letter_joiners(code: str | None) -> str:
    """The characters that join two letters in this language only."""
    return _JOINERS.get(code or "", "")


def lower_case(text: str, code: str | None) -> str:
    """The text in lower case. In Turkish and Azerbaijani, I becomes ı and İ becomes i.

    Examples
    --------
    >>> lower_case("IRMAK İZMİR", "tr")
    'ırmak izmir'
    """
    if code in ("tr", "az"):
        text = text.replace("I\u0307", "i").replace("İ", "i").replace("I", "ı")
    return text.lower()


_DOTTED = ("tr", "az")  # I and i are not the same letter


@dataclass(frozen=True, slots=True)
class Preparation:
    """A function of a text.

    * Lower case, by the rules of the language.
    * If *tidy*: Unicode's form NFC, the apostrophe ' in place of ’, no soft hyphens. So two spellings that look the
      same are one word.
    * Chinese, Japanese and Thai: a zero width space between words.

    Examples
    --------
    >>> Preparation(tidy=True)("DON’T Cafe\u0301")
    "don't café"
    """

    lowercase: bool = True
    language: str | None = None
    tidy: bool = False
    segment: Callable[[str], str] | None = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Choose the segmenter of the language."""
        from termburst.counting.segmenters import segmenter

        object.__setattr__(self, "segment", None if self.language is None else segmenter(self.language))

    def __call__(self, text: str) -> str:
        """The prepared text."""
        if self.lowercase:
            text = lower_case(text, self.language)
        if self.tidy and not text.isascii():
            from termburst.counting.normal_form import composed

            text = composed(text).replace("\u2019", "'").replace("\uff07", "'").replace("\xad", "")
        return text if self.segment is None else self.segment(text)

    def is_ready(self, text: str) -> bool:
        """Whether the compiled tokenizer, which converts ASCII to lower case, can take the text as it is."""
        return text.isascii() and not (self.lowercase and self.language in _DOTTED)


def sorted_words(words: Any, language: str | None) -> str | tuple[str, ...] | None:
    """Stop words in one order, or the code of the language whose list they are, so that equal options compare equal."""
    if words is None or words is False:
        return None
    if words is True or (isinstance(words, str) and words == "auto"):
        if language is None:
            auto, language_too = named("stop_words", True), named("language", "de")
            raise ValueError(Message(auto, " means the list of the language. Give one, such as ", language_too, "."))
        words = language
    if isinstance(words, str):
        if words == "english":
            return words
        code = language_code(words)
        stop_words_of(code)  # refuses a language without a list
        return code
    return tuple(sorted({str(word) for word in words}))  # str: they may be of type numpy.str_
