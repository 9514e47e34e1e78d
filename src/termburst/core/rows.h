/* The rows of statistics: the distinct cells of a term and how many documents have each, like `CountRows` in Python. */
#ifndef TB_ROWS_H
#define TB_ROWS_H

#include "core.h"

/* The rows of term i are [indptr[i], indptr[i + 1]), sorted by count, then length: count[r] occurrences in each of
 * documents[r] documents of length[r] tokens. `with_lengths` is 0 if there are no lengths. */
TB_STRUCT(StoredRows, {
    const int64_t *indptr;
    const int64_t *count;
    Size size;
    const int64_t *length;
    const int64_t *documents;
    int64_t terms, with_lengths;
})

/* The sorted distinct lengths, and how many documents have each. place[n] is the position of the length n < `places`
 * among them, or −1. Most lengths are short, so this avoids most searches. */
TB_STRUCT(LengthHistogram, {
    const int64_t *lengths;
    Size size;
    const int64_t *documents;
    const int32_t *place;
    Size places;
    int64_t total, tokens;
})

/* The required sums of the rows of each term: n_i, b_i, Σ n_ij n_j (with lengths) and Σ n_ij². */
TB_STRUCT(StoredSums, {
    const int64_t *n_i;
    const int64_t *b_i;
    const int64_t *length_sum;
    const int64_t *squared_sum;
})

/* Scratch space, one entry per length: the number of documents with a term, and which term that was (`held_by`,
 * initially −1). Then the first fault, one of those below, with its term and, if it concerns one row, that row. */
TB_STRUCT(RowFault, {
    int64_t *held;
    int64_t *held_by;
    int64_t fault, term, row;
})

/* As FAULTS in rows.py. */
enum { SOUND, BAD_RANGE, BAD_COUNT, BAD_DOCUMENTS, UNKNOWN_LENGTH, BEYOND_LENGTH, NO_ORDER, TOO_MANY, WRONG_B, WRONG_N, WRONG_SUM };

TB_KERNEL(tb_check_rows, const StoredRows *rows, const LengthHistogram *lengths, const StoredSums *sums, RowFault *out);

#endif
