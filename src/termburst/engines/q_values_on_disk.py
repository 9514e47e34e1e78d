"""Q-values of a table of tests in files, where this process ranks them: memory does not depend on the number of tests.

What is sorted is not the table, but the place of each p-value in it: number of the file, row, key. These records go to
one pile per range of bins. A pile is ranked, and its q-values go to one pile per file. Then each file is read and
written again with its q-values. Held at a time: the histogram of bins, one range of p-values, one file.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from termburst.engines.batches import folder_of, read_file, read_spooled, spooled, stream, typed, write_scratch
from termburst.engines.bins import (
    FINE,
    KEYS,
    Bins,
    Floats,
    bin_bounds,
    bin_q_values,
    bounds_of_others,
    null_share_edges,
    reach_of,
    values_of,
)
from termburst.engines.frames import polars_types
from termburst.inference.multiplicity import constant, null_share_of
from termburst.scratch import scratch_folder
from termburst.statistics.tally import Integers, tally

if TYPE_CHECKING:
    import polars as pl

TESTS_OF_RANGE = 50_000  # p-values that are ranked at a time
RECORDS = 50_000  # records of a pile that are read at a time
PLACE = np.dtype([("key", np.int64), ("file", np.int32), ("row", np.int32)])
LOWEST = np.dtype([("key", np.int64)])
FOUND = np.dtype([("row", np.int32), ("q_value", np.float64)])


class Piles:
    """Records in numbered files, to which more can be appended. At most one file is open at a time."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.folder, self.dtype = scratch_folder(), dtype

    def append(self, numbers: Integers, records: Any) -> None:
        """Append each record to the pile of its number, in the order given."""
        order = np.argsort(numbers, kind="stable")
        numbers, records = numbers[order], records[order]
        starts = np.flatnonzero(np.diff(numbers, prepend=-1)).tolist()
        for start, stop in pairwise([*starts, numbers.size]):
            with (self.folder / f"{numbers[start]}").open("ab") as file:
                file.write(records[start:stop].tobytes())

    def read(self, number: int) -> Iterator[Any]:
        """The records of one pile, `RECORDS` at a time; none if nothing was appended to it."""
        path = self.folder / f"{number}"
        if not path.exists():
            return
        with path.open("rb") as file:
            while content := file.read(RECORDS * self.dtype.itemsize):
                yield np.frombuffer(content, dtype=self.dtype)

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


class Ranges:
    """The p-values of all files in piles by range of bins, and the smallest possible p-values, too.

    Attributes
    ----------
    files : the files of the table, in order
    bins, tests, able : the bins in ascending order, how many p-values and how many smallest possible ones they have
    """

    def __init__(self, files: list[Path], *, logarithms: bool, attainable: bool) -> None:
        self.files, self.logarithms, self.attainable = files, logarithms, attainable
        self.bins, self.tests, self.able = self._histogram()
        number = np.cumsum(self.tests + self.able)
        self._firsts = self.bins[np.flatnonzero(np.diff(number // TESTS_OF_RANGE, prepend=-1))]
        self._places, self._lowest = Piles(PLACE), Piles(LOWEST)
        for file, table in enumerate(self._keys()):
            row = np.flatnonzero(table["_key"].is_not_null().to_numpy())
            places = np.zeros(row.size, dtype=PLACE)
            places["key"], places["file"], places["row"] = table["_key"].drop_nulls().to_numpy(), file, row
            self._places.append(self._range_of(table["_bin"].drop_nulls().to_numpy()), places)
            if attainable:
                lowest = table["_least"].drop_nulls().to_numpy().astype(LOWEST)
                self._lowest.append(self._range_of(table["_least_bin"].drop_nulls().to_numpy()), lowest)

    def __len__(self) -> int:
        return int(self._firsts.size)

    def _keys(self) -> Iterator[pl.DataFrame]:
        for file in self.files:
            yield read_file(file, KEYS)

    def _histogram(self) -> tuple[Integers, Integers, Integers]:
        none = np.zeros(0, dtype=np.int64)
        tests, able = (none, none), (none, none)
        for table in self._keys():
            tests = _merged(tests, table["_bin"].drop_nulls().to_numpy())
            if self.attainable:
                able = _merged(able, table["_least_bin"].drop_nulls().to_numpy())
        (bins,), _ = tally([np.append(tests[0], able[0])])
        return bins, _at(bins, *tests), _at(bins, *able)

    def _range_of(self, bins: Integers) -> Integers:
        return np.searchsorted(self._firsts, bins, side="right") - 1

    def events(self, number: int) -> pl.DataFrame:
        """The events of one range; see `engines.bins`."""
        import polars as pl

        none = np.zeros(0, dtype=np.int64)
        tests, able = (none, none), (none, none)
        for places in self._places.read(number):
            tests = _merged(tests, places["key"])
        for lowest in self._lowest.read(number):
            able = _merged(able, lowest["key"])
        reach = reach_of(values_of(tests[0], logarithms=self.logarithms), logarithms=self.logarithms)
        columns = ("bin", "key", "tests", "able")
        rows = (
            [reach >> FINE, tests[0], tests[1], np.zeros_like(tests[1])],
            [able[0] >> FINE, able[0], np.zeros_like(able[1]), able[1]],
        )
        return pl.concat([pl.DataFrame(dict(zip(columns, some, strict=True))) for some in rows])

    def places(self, number: int) -> Iterator[Any]:
        """Where the p-values of one range are."""
        return self._places.read(number)

    def remove(self) -> None:
        """Delete the piles."""
        self._places.remove()
        self._lowest.remove()


def _merged(known: tuple[Integers, Integers], more: Integers) -> tuple[Integers, Integers]:
    """Distinct keys in ascending order and how often they occur, with more keys."""
    (keys,), number = tally([more])
    (together,), numbers = tally([np.append(known[0], keys)], np.append(known[1], number))
    return together, numbers


def _at(keys: Integers, some: Integers, number: Integers) -> Integers:
    """The numbers of some of the keys, at the places of these; 0 elsewhere."""
    found = np.zeros(keys.size, dtype=np.int64)
    found[np.searchsorted(keys, some)] = number
    return found


def q_values_on_disk(
    results: Any, columns: list[str], method: str, *, logarithms: bool, attainable: bool
) -> tuple[Any, float]:
    """The table of tests with q-values, from files to files, and the share of true nulls; see `with_q_values`."""
    folder = folder_of(results)
    if folder is None:
        folder = spooled(stream(results, TESTS_OF_RANGE), polars_types(results))
    ranges = Ranges(sorted(folder.glob("*.parquet")), logarithms=logarithms, attainable=attainable)
    counted = ranges.bins, ranges.tests, ranges.able
    plan = Bins.of(*counted, method, logarithms=logarithms, attainable=attainable)
    if not plan.m:
        ranges.remove()
        return results.select(*columns), 1.0
    bounds, share = _first_pass(ranges, plan)
    function = partial(bin_q_values, plan=plan, bounds=bounds, factor=constant(method, plan.m, share))
    found = Piles(FOUND)
    for number in range(len(ranges)):
        lookup = function(ranges.events(number)).sort("_key")
        keys, q_values = lookup["_key"].to_numpy(), lookup["q_value"].to_numpy()
        for places in ranges.places(number):
            records = np.zeros(places.size, dtype=FOUND)
            records["row"], records["q_value"] = places["row"], q_values[np.searchsorted(keys, places["key"])]
            found.append(places["file"], records)
    ranges.remove()
    return _written(ranges.files, found, columns, results), share


def _first_pass(ranges: Ranges, plan: Bins) -> tuple[Floats, float]:
    """The bound that other bins set for each bin; and the share of true nulls (1 unless the method is "storey")."""
    import polars as pl

    edges = np.array(null_share_edges(logarithms=plan.logarithms))
    above, held = np.zeros(edges.size, dtype=np.int64), []
    for number in range(len(ranges)):
        events = ranges.events(number)
        held.append(bin_bounds(events, plan=plan))
        key, tests = events["key"].to_numpy(), events["tests"].to_numpy()
        above += [int(tests[key > edge].sum()) for edge in edges]
    share = null_share_of(above, plan.m) if plan.method == "storey" else 1.0
    return bounds_of_others(pl.concat(held), plan)[0], share


def _written(files: list[Path], found: Piles, columns: list[str], results: Any) -> Any:
    """The files again, with their q-values; null where nothing was tested."""
    import polars as pl

    schema, folder = polars_types(results), scratch_folder()
    own = {name: schema[name] for name in columns}
    for number, file in enumerate(files):
        table = read_file(file)
        q_values, tested = np.zeros(table.height), np.zeros(table.height, dtype=bool)
        for records in found.read(number):
            q_values[records["row"]], tested[records["row"]] = records["q_value"], True
        column = pl.select(pl.when(pl.Series(tested)).then(pl.Series(q_values))).to_series()
        write_scratch(typed(table.with_columns(q_value=column), own), folder / file.name)
    found.remove()
    return read_spooled(folder, results)
