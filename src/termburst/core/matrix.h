/* Count matrices, documents × terms, as sparse rows; or some of these rows. */
#ifndef TB_MATRIX_H
#define TB_MATRIX_H

#include "core.h"

/* The cells of row j are [starts[j], starts[j + 1]). In cell k, term[k] occurs count[k] times; n_j is their sum. */
TB_STRUCT(CountBlock, {
    const int64_t *starts;
    const int32_t *term;
    Size cells;
    const int64_t *count;
    int64_t rows, terms;
})

/* A survey of a matrix: whether all indices are valid, whether the terms of each row are sorted (so that no cell is
 * stored twice), and the smallest and largest count (1 and 0 if there are no cells). */
TB_STRUCT(Survey, {
    int64_t inside, ascending, least, most;
})

/* Scratch space for the last row in which each term was seen, initially −1; and whether a row contains a term twice. */
TB_STRUCT(Repeats, {
    int32_t *seen_in;
    int64_t twice;
})

/* n_j, one per row. */
TB_STRUCT(RowSums, {
    int64_t *n_j;
})

/* n_j, one per row. The sums of the rows are added to n_i, b_i and (if wanted) Σ_j n_ij n_j, one per term. */
TB_STRUCT(Totals, {
    int64_t *n_j;
    int64_t *n_i;
    int64_t *b_i;
    int64_t *length_sum;
    int64_t wanted;
})

/* The cells by term. `next` is the place of the next cell of each term, and is advanced. There is `room` for so many
 * cells. */
TB_STRUCT(ByTerm, {
    int64_t *next;
    int32_t *count;
    Size room;
    int32_t *length;
})

TB_KERNEL(tb_survey, const CountBlock *counts, Survey *out);
TB_KERNEL(tb_repeats, const CountBlock *counts, Repeats *out);
TB_KERNEL(tb_row_sums, const CountBlock *counts, const RowSums *out);
TB_KERNEL(tb_totals, const CountBlock *counts, const Totals *out);
TB_KERNEL(tb_by_term, const CountBlock *counts, const ByTerm *out);

/* One row: its cells [start, end), its length, and the bitwise or of its counts, an upper bound of each count. */
typedef struct {
    int64_t start, end, n_j;
    uint64_t bits;
} Row;

/* Row j, after a check that its indices are valid and its counts at least 1. */
TB_INLINE int32_t checked_row(const CountBlock *counts, int64_t j, Row *row) {
    int64_t start = counts->starts[j], end = counts->starts[j + 1];
    if (start < 0 || end < start || end > counts->cells) return TB_BAD_INDEX;
    uint64_t total = 0, bits = 0; /* unsigned: overflow is detected below, and is not undefined */
    uint32_t terms = (uint32_t)counts->terms;
    int32_t outside = 0, below = 0;
    for (int64_t k = start; k < end; k++) {
        total += (uint64_t)counts->count[k];
        bits |= (uint64_t)counts->count[k];
        outside |= (uint32_t)counts->term[k] >= terms;
        below |= counts->count[k] < 1;
    }
    if (outside) return TB_BAD_INDEX;
    if (below) return TB_BAD_CELL;
    if (bits >> 31) { /* only then can a sum of up to 2³¹ cells be too large */
        int64_t room = INT64_MAX;
        for (int64_t k = start; k < end; k++) {
            if (counts->count[k] > room) return TB_BAD_CELL;
            room -= counts->count[k];
        }
    }
    row->start = start;
    row->end = end;
    row->n_j = (int64_t)total;
    row->bits = bits;
    return TB_OK;
}

#endif
