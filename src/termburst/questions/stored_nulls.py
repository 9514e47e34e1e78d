"""The null distributions of the burstiness test at all n_i of a collection, in scratch files.

They depend on n_i and on the document lengths only. So a process that tests one group of terms after another makes them
once, and reads those that a group needs. Memory does not depend on the number of groups, nor on how many n_i there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from termburst.inference.null_distribution import PHASES, Longest, Null, PhaseNulls, PlrFunction
from termburst.inference.null_exact import States
from termburst.inference.null_tails import Curves, Moments
from termburst.models.cells import TermCells
from termburst.names import Form
from termburst.scratch import scratch_folder
from termburst.statistics.matrix import Integers

BYTES_DRAWN = 32_000_000  # memory of the draws that are made at a time; each part repeats the draws of its phase
BYTES_READ = 8_000_000  # of the draws that are read at a time
BYTES_PER_DRAW = 20  # b, Σ log (n_ij − 1)! and the sums of the score
ITEM = np.dtype(np.float64).itemsize


@dataclass(frozen=True, slots=True)
class _Phase:
    """The null distributions of one phase; the draws themselves are in two files, one row per checkpoint."""

    checkpoints: Integers
    draws: int
    files: tuple[Path, Path]
    curves: Curves
    of_plr: Moments
    of_score: Moments


class StoredNulls:
    """See the module. They are made when the first group of terms needs them, in the process that tests it.

    Parameters
    ----------
    lengths : cells of the collection, with or without terms
    longest : of all terms
    sizes : the distinct numbers of tokens to draw, up to `FREQUENT`, of all terms
    draws, seed, mu, sigma2, form : see `termburst.inference.overdispersion.burstiness`
    """

    def __init__(
        self, lengths: TermCells, longest: Longest, sizes: Integers, *, draws: int, seed: int, mu: float | None,
        sigma2: float, form: Form,
    ) -> None:  # fmt: skip
        self.lengths, self.longest, self.draws, self.seed = lengths, longest, draws, seed
        self.sizes = np.union1d(sizes, [v for v in longest.phases if v])
        self.plr = PlrFunction(lengths, mu, sigma2, form)
        self._enumerated: dict[int, States] | None = None
        self._phases: dict[int, _Phase] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Files stay here: a worker makes its own."""
        return {**self.__dict__, "_enumerated": None, "_phases": {}}

    def enumerated(self) -> dict[int, States]:
        """The distributions of λ that are enumerated, by n_i."""
        if self._enumerated is None:
            self._enumerated = self._null().enumerated(self.sizes.tolist())
        return self._enumerated

    def drawn(self, phase: int, checkpoints: Integers) -> Iterator[PhaseNulls]:
        """The distributions at the *checkpoints* of a phase, some at a time."""
        if phase not in self._phases:
            self._phases[phase] = self._made(phase)
        of = self._phases[phase]
        rows = np.searchsorted(of.checkpoints, checkpoints)
        most = max(BYTES_READ // (2 * ITEM * of.draws), 1)
        enumerated = max(self.enumerated(), default=0)
        for first in range(0, rows.size, most):
            some = rows[first : first + most]
            yield PhaseNulls(
                of.checkpoints[some],
                int(np.searchsorted(of.checkpoints[some], enumerated, side="right")),
                _read(of.files[0], some, of.draws),
                _read(of.files[1], some, of.draws),
                Curves(of.curves.x[some], of.curves.log_p[some], of.curves.size[some]),
                of.of_plr[some],
                of.of_score[some],
            )

    def _made(self, phase: int) -> _Phase:
        """Draw, sort and write the distributions of a phase, some checkpoints at a time."""
        low, high = (PHASES[phase - 1][0] if phase else 1), PHASES[phase][0]
        checkpoints = self.sizes[(low < self.sizes) & (self.sizes <= high)]
        null, folder, enumerated = self._null(), scratch_folder(), max(self.enumerated(), default=0)
        files = folder / "plr", folder / "score"
        parts, draws = [], null.draws_of(phase)
        most = max(BYTES_DRAWN // (BYTES_PER_DRAW * draws), 1)
        for first in range(0, checkpoints.size, most):
            some = checkpoints[first : first + most]
            found = null.drawn(phase, some, enumerated)
            for file, values in zip(files, (found.plr, found.score), strict=True):
                with file.open("ab") as target:
                    values[: some.size].tofile(target)
            parts.append([values[: some.size] for values in (*found.curves, found.of_plr, found.of_score)])
        *curves, of_plr, of_score = (np.concatenate(values) for values in zip(*parts, strict=True))
        return _Phase(checkpoints, draws, files, Curves(*curves), of_plr, of_score)

    def _null(self) -> Null:
        return Null(self.lengths, self.draws, self.seed, False, self.plr, self.longest)


def _read(file: Path, rows: Integers, draws: int) -> Any:
    found = np.empty((rows.size, draws))
    with file.open("rb") as source:
        for at, row in enumerate(rows.tolist()):
            source.seek(row * draws * ITEM)
            found[at] = np.fromfile(source, dtype=np.float64, count=draws)
    return found
