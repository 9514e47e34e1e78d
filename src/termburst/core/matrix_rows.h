/* From counts by document to the rows of a sparse matrix. */
#ifndef TB_MATRIX_ROWS_H
#define TB_MATRIX_ROWS_H

#include "core.h"

/* Counts of documents, and their destination: row r begins at starts[r]. The column of a node is −1 if it has none. */
TB_STRUCT(Piece, {
    const int32_t *ids;
    Size size;
    const int32_t *counts;
    const int64_t *indptr;
    const int64_t *starts;
    Size documents;
    const int32_t *columns;
    Size nodes;
})

/* The matrix to which `pieces` are written: `room` cells, column numbers below `width`. Indices go to `indices`, or to
 * `long_indices` if `is_long`. `keys` and `spare` have space for the longest row. */
TB_STRUCT(MatrixRows, {
    int64_t pieces, width;
    int32_t *indices;
    int64_t *long_indices;
    int64_t *data;
    Size room;
    int64_t is_long;
    uint64_t *keys;
    Size longest;
    uint64_t *spare;
})

TB_KERNEL(tb_write_rows, const Piece *pieces, const MatrixRows *matrix);

#endif
