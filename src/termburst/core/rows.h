/* The rows of statistics: equal cells of a term with how many documents have each, as `CountRows` of Python has them. */
#ifndef TB_ROWS_H
#define TB_ROWS_H

#include "core.h"

/* The rows of term i are [indptr[i], indptr[i + 1]), in ascending order of count, then length: count[r] occurrences in each of
 * documents[r] documents of length[r] tokens. Without lengths, `with_lengths` is 0. */
typedef struct {
    const int64_t *indptr;
    const int64_t *count;
    const int64_t *length;
    const int64_t *documents;
    int64_t terms, size, with_lengths;
} StoredRows;

/* The distinct lengths, ascending, and how many documents have each. place[n] is where the length n < `places` stands among
 * them, −1 where it does not: most lengths are short, and found so without a search. */
typedef struct {
    const int64_t *lengths;
    const int64_t *documents;
    const int32_t *place;
    int64_t size, places, total, tokens;
} LengthHistogram;

/* What the rows of every term are to add up to: n_i, b_i, Σ n_ij n_j (with lengths) and Σ n_ij². */
typedef struct {
    const int64_t *n_i;
    const int64_t *b_i;
    const int64_t *length_sum;
    const int64_t *squared_sum;
} StoredSums;

/* Room for the documents that hold a term, by length, and the term that was last; both as long as the lengths, `held_by` −1
 * to begin with. Then the first fault, one of those below, with its term and, where it is of one row, that. */
typedef struct {
    int64_t *held;
    int64_t *held_by;
    int64_t fault, term, row;
} RowFault;

/* As FAULTS of rows.py. */
enum { SOUND, BAD_RANGE, BAD_COUNT, BAD_DOCUMENTS, UNKNOWN_LENGTH, BEYOND_LENGTH, NO_ORDER, TOO_MANY, WRONG_B, WRONG_N, WRONG_SUM };

TB_API int32_t tb_check_rows(const StoredRows *rows, const LengthHistogram *lengths, const StoredSums *sums, RowFault *out);

#endif
