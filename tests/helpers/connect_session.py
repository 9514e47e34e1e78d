"""Questions of the battery, asked in a session of Spark Connect; run as a script, in its own process.

Standard input has the settings of the session as JSON. The answers are written to the folder that is named on the
command line: frames as Parquet, others as pickles, errors as texts.
"""

import json
import pickle
import sys
import warnings
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "questions")]

import polars as pl  # noqa: E402
from battery.asked import QUESTIONS  # noqa: E402
from battery.documents import documents  # noqa: E402

from helpers.frames import in_engine, local  # noqa: E402
from termburst import ledgers, scan  # noqa: E402

ASKED = {one.name: one.ask for one in QUESTIONS if one.kind and one.rule == "as they are"}
ASKED = {name: ask for name, ask in ASKED.items() if name not in ("counts", "triggers")}


def left_in_ledger(frame):
    """The statistics of a ledger to which documents were added twice, and of which some were withdrawn twice."""
    first, second = (scan(frame.filter(f"half = '{half}'")).patterns(half) for half in ("early", "late"))
    gone = scan(frame.filter("half = 'early' and year = 1940")).patterns("withdrawn")
    both = ledgers.add(ledgers.add(first, second), second)
    return scan(ledgers.withdraw(ledgers.withdraw(both, gone), gone)).statistics


OF_FRAMES = {
    "ledger": left_in_ledger,
    "null text": lambda f: scan(f.selectExpr("id", "nullif(text, '') as text")).kwic("whale"),
    "same id": lambda f: scan(f.selectExpr("party as id", "text")).term_table(),
}


def main() -> None:
    """Ask all questions."""
    warnings.simplefilter("ignore")  # of settings that a session cannot change
    from pyspark.sql import SparkSession

    folder = Path(sys.argv[1])
    spark = SparkSession.builder.remote("local[2]").config(map=json.load(sys.stdin)).getOrCreate()
    frame = in_engine("spark", documents(), spark)
    assert type(frame).__module__.startswith("pyspark.sql.connect"), type(frame)
    corpus = scan(frame)
    for name, ask in {**ASKED, **OF_FRAMES}.items():
        try:
            write(ask(frame if name in OF_FRAMES else corpus), folder / name)
        except Exception as error:  # the others are asked all the same
            (folder / f"{name}.error").write_text(f"{type(error).__name__}: {error}", encoding="utf-8")
    spark.stop()


def write(found, path: Path) -> None:
    """A frame as Parquet, anything else pickled."""
    if isinstance(found, pl.DataFrame) or hasattr(found, "toArrow"):
        local(found).write_parquet(path.with_suffix(".parquet"))
    else:
        path.with_suffix(".pickle").write_bytes(pickle.dumps(found))


if __name__ == "__main__":
    main()
