"""The inaugural addresses of the presidents of the United States, from NLTK's copy."""

import re

from termburst.datasets.collection import DamagedDataError, TextCollection, nltk_corpus

# The party of each president, and of the two Adamses, Harrisons, Roosevelts, Johnsons and Bushes by the year of the
# address.
_PARTIES = {
    "none": ("Washington",),
    "Federalist": ("1797-Adams",),
    "Democratic-Republican": ("Jefferson", "Madison", "Monroe", "1825-Adams"),
    "Whig": ("1841-Harrison", "Taylor"),
    "Democratic": (
        *("Jackson", "VanBuren", "Polk", "Pierce", "Buchanan", "Cleveland", "Wilson"),
        *("1933-Roosevelt", "1937-Roosevelt", "1941-Roosevelt", "1945-Roosevelt"),
        *("Truman", "Kennedy", "Johnson", "Carter", "Clinton", "Obama", "Biden"),
    ),
    "Republican": (
        *("Lincoln", "Grant", "Hayes", "Garfield", "1889-Harrison", "McKinley", "1905-Roosevelt", "Taft", "Harding"),
        *("Coolidge", "Hoover", "Eisenhower", "Nixon", "Reagan", "Bush", "Trump"),
    ),
}
_PARTY = {president: party for party, presidents in _PARTIES.items() for president in presidents}


def load_inaugural() -> TextCollection:
    """Load the inaugural addresses, 1789 to 2021, with the metadata "year", "president" and "party".

    They are 59 speeches of 135 to 8,500 words, in the order of the years, and small enough to try everything on.

    >>> addresses = load_inaugural()  # doctest: +SKIP
    >>> len(addresses), addresses.ids[0], addresses.metadata["party"][-1]  # doctest: +SKIP
    (59, '1789-Washington', 'Democratic')
    """
    with nltk_corpus("inaugural", "the inaugural addresses") as (names, read):
        files = sorted(name for name in names if re.fullmatch(r"\d{4}-.*\.txt", name))
        texts = {name.removesuffix(".txt"): _decoded(read(name)) for name in files}
    if not texts:
        raise DamagedDataError("NLTK's copy of the inaugural addresses has none, such as 1789-Washington.txt")
    years = [int(name[:4]) for name in texts]
    presidents = [name[5:] for name in texts]
    parties = [_PARTY.get(name) or _PARTY.get(name[5:], "unknown") for name in texts]
    metadata: dict[str, list[str] | list[int]] = {"year": years, "president": presidents, "party": parties}
    return TextCollection("inaugural", list(texts), list(texts.values()), None, None, metadata)


def _decoded(raw: bytes) -> str:
    """The text of a file; the address of 2005 has its dashes and quotes in Big5, all others are UTF-8."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("big5")
