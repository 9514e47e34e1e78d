"""What the twins of grouped fits and of bursts take."""

import numpy as np

from termburst.models.length_table import LengthTable


class Plain:
    """The arrays that the twin takes, of collections over the same terms."""

    def __init__(self, groups):
        offset = np.cumsum([0, *(g.count.size for g in groups[:-1])])
        self.indptr = np.stack([g.indptr for g in groups]) + offset[:, None]
        self.count = np.concatenate([g.count for g in groups])
        self.length = np.concatenate([g.length for g in groups])
        self.weight = np.concatenate([np.broadcast_to(g.weight, g.count.shape) for g in groups])
        tables = [LengthTable.of(g.lengths, g.length_documents) for g in groups]
        self.tables = np.stack([table.coefficients for table in tables])
        self.tokens = np.array([float(table.tokens) for table in tables])
        self.longest = max(table.longest for table in tables)
        self.n_i = np.stack([g.n_i for g in groups], axis=1)

    @property
    def cells(self):
        return self.indptr, self.count, self.length, self.weight, self.tokens, self.tables
