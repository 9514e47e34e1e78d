"""The options of commands that read text: those of reading and counting, and what the command line has beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from termburst.messages import named
from termburst.options import Option, check_options

if TYPE_CHECKING:
    from termburst.counting.options import CountingOptions

CORPUS_HELP = (
    "A folder, a file, an archive, or a glob in quotes. A text file is one document (--lines: each line is one). So is "
    "a Word, PDF, HTML or TEI file, or a row of a CSV, JSONL, Parquet or Excel table. - is standard input, where each "
    "line is one. Or a data set: inaugural, 20newsgroups, r8, stdlib."
)
PANEL = "Reading text"


@dataclass(frozen=True)
class Steps:
    """What is done with documents after they are read, in this order: methods of `Corpus`, in Python."""

    where: Annotated[
        str | None, Option('Only documents whose columns meet a condition, such as "year >= 1945".', panel=PANEL)
    ] = None
    drop_duplicates: Annotated[
        bool, Option("Leave out near-copies of earlier documents; all texts are held in memory.", panel=PANEL)
    ] = False
    split: Annotated[
        int | str | None,
        Option("Cut documents into pieces: a number of tokens, or a pattern such as '^CHAPTER'.", panel=PANEL),
    ] = None


@dataclass(frozen=True)
class Words:
    """How words are found and counted."""

    ngrams: Annotated[
        int | tuple[int, int], Option("How many tokens a term has: a number, or from,to such as 1,2.", panel=PANEL)
    ] = (1, 1)
    stop_words: Annotated[
        str | tuple[str, ...] | None,
        Option("Words to leave out: a language (german, de), or a file with one word per line.", panel=PANEL),
    ] = None
    language: Annotated[
        str | None, Option("Language of the texts, such as de or german; it decides what a word is.", panel=PANEL)
    ] = None
    words: Annotated[
        Literal["unicode", "sklearn"] | None,
        Option("What a word is: as Unicode sees words, or as in scikit-learn. (default: unicode)", panel=PANEL),
    ] = None
    apostrophes: Annotated[
        Literal["keep", "split"] | None,
        Option("Whether an apostrophe belongs to the word. (default: keep; split in French, …)", panel=PANEL),
    ] = None
    token_pattern: Annotated[
        str | None, Option("Regular expression of a token, instead of words as Unicode sees them.", panel=PANEL)
    ] = None
    ngrams_over_stop_words: Annotated[
        bool, Option("Let n-grams join words that have a stop word between them.", panel=PANEL)
    ] = False
    lowercase: Annotated[bool, Option("Change text to lower case before counting.", panel=PANEL)] = True
    pretokenized: Annotated[
        bool, Option("The text is already tokens, separated by white space; they are not changed.", panel=PANEL)
    ] = False
    pattern_seconds: Annotated[
        float, Option("Stop if a pattern takes longer for one document.", panel=PANEL, above=0, most=1_000_000)
    ] = 60

    def __post_init__(self) -> None:
        """Raise ValueError for an option that cannot be used."""
        check_options(self)
        if self.token_pattern is not None and (self.words, self.apostrophes) != (None, None):
            omit = named("words") + " and " + named("apostrophes")
            raise ValueError(named("token_pattern", bare=True) + " says what a word is; omit " + omit)

    @property
    def counting(self) -> CountingOptions:
        """The options of the library."""
        from termburst.counting.counted_corpus import corpus_counting

        given = {name: value for name, value in vars(self).items() if name != "pattern_seconds"}
        return corpus_counting(**given | {"ngrams_over_stop_words": self.ngrams_over_stop_words or None})
