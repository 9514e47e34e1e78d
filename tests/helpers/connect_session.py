"""Every question of `termburst.engines`, asked in a session of Spark Connect; run as a script, in its own process.

Standard input has JSON: the columns of the documents, and settings of the session. The answers are written to the
folder that is named on the command line: frames as Parquet, others as pickles, errors as texts.
"""

import json
import pickle
import sys
import warnings
from pathlib import Path

import polars as pl

from termburst import CountingOptions, engines, scan

SCHEMA = "document bigint, text string, who string, year bigint, speaker string"
CLUSTERED = {"formula": "who + year", "cluster": "speaker"}
COUNTING = CountingOptions(stop_words=("w01",))
QUESTIONS = {
    "table": engines.term_table,
    "table of counts": lambda f: engines.term_table(engines.count_terms(f)),
    "counts": lambda f: engines.count_terms(f, counting=COUNTING),
    "statistics": lambda f: engines.term_statistics(f, detail="patterns"),
    "fits": engines.fit_beta_binomial,
    "tested": lambda f: engines.burstiness_test(f, draws=99, check=False),
    "effects": engines.burst_effects,
    "dispersion": engines.dispersion,
    "keyness": lambda f: engines.keyness(f, by="who", check=False),
    "keyness of two": lambda f: engines.keyness(f.filter("who = 'a'"), f.filter("who = 'b'"), check=False),
    "keyness of groups": lambda f: engines.keyness(f, by="year", contrasts=True, check=False),
    "keyness by formula": lambda f: engines.keyness(f, formula="who + year", check=False),
    "keyness with clusters": lambda f: engines.keyness(f, **CLUSTERED, check=False),
    "scanned": lambda f: scan(f).where("who = 'b' OR year = 2000").keyness(by="year >= 2001"),
    "weights": lambda f: engines.weigh(f, "tf-idf", norm="l2"),
    "weights by fits": lambda f: engines.weigh(f, "surprisal", check=False),
    "lines": lambda f: engines.kwic(f, "w0*"),
    "collocates": lambda f: engines.collocates(f, "w02"),
    "check": lambda f: engines.check(f, cluster="speaker", halves=2),
}


def left_in_ledger(frame):
    """The statistics of a ledger to which documents were added twice, and of which some were withdrawn twice."""
    first, second = (engines.patterns(frame.filter(f"year = {year}"), str(year)) for year in (2000, 2001))
    gone = engines.patterns(frame.filter("document < 8 and year = 2000"), "withdrawn")
    both = engines.add(engines.add(first, second), second)
    return engines.term_statistics(engines.withdraw(engines.withdraw(both, gone), gone), detail="patterns")


QUESTIONS["ledger"] = left_in_ledger
BAD = {  # what is refused, by a sentence
    "null text": lambda f: engines.kwic(f.selectExpr("document", "nullif(text, '') as text"), "w01"),
    "same id": lambda f: engines.term_table(f.selectExpr("document % 39 as document", "text")),
    "bootstrap": lambda f: engines.keyness(f, by="who", method="bootstrap"),
}


def main() -> None:
    """Ask all questions."""
    warnings.simplefilter("ignore")  # of settings that a session cannot change
    from pyspark.sql import SparkSession

    folder = Path(sys.argv[1])
    columns, settings = json.load(sys.stdin)
    spark = SparkSession.builder.remote("local[2]").config(map=settings).getOrCreate()
    frame = spark.createDataFrame(list(zip(*columns.values(), strict=True)), SCHEMA)
    assert type(frame).__module__.startswith("pyspark.sql.connect"), type(frame)
    for name, ask in {**QUESTIONS, **BAD}.items():
        try:
            write(ask(frame), folder / name)
        except Exception as error:  # the others are asked all the same
            (folder / f"{name}.error").write_text(f"{type(error).__name__}: {error}", encoding="utf-8")
    spark.stop()


def write(found, path: Path) -> None:
    """A frame of Spark as Parquet, anything else pickled."""
    if hasattr(found, "toArrow"):
        pl.from_arrow(found.toArrow()).write_parquet(path.with_suffix(".parquet"))
    else:
        path.with_suffix(".pickle").write_bytes(pickle.dumps(found))


if __name__ == "__main__":
    main()
