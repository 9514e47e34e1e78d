#include "matrix.h"

/* Reads everything once. No index is used before it is checked. A damaged matrix is not an error here: the caller
 * raises the error with a better message. */
int32_t tb_survey(const CountBlock *counts, Survey *out) {
    int64_t least = INT64_MAX, most = INT64_MIN;
    int32_t outside = 0, descends = 0;
    out->inside = out->ascending = out->most = 0;
    out->least = 1;
    if (counts->starts[0] != 0) return TB_OK;
    for (int64_t j = 0; j < counts->rows; j++) {
        int64_t start = counts->starts[j], end = counts->starts[j + 1];
        if (end < start || end > counts->cells) return TB_OK;
        for (int64_t k = start; k < end; k++) {
            outside |= (uint32_t)counts->term[k] >= (uint32_t)counts->terms;
            least = least_int(least, counts->count[k]);
            most = most_int(most, counts->count[k]);
        }
        for (int64_t k = start + 1; k < end; k++) descends |= counts->term[k] <= counts->term[k - 1];
    }
    out->inside = !outside;
    out->ascending = !descends;
    if (counts->starts[counts->rows]) {
        out->least = least;
        out->most = most;
    }
    return TB_OK;
}

/* Whether a row contains a term twice. */
int32_t tb_repeats(const CountBlock *counts, Repeats *out) {
    out->twice = 0;
    for (int64_t j = 0; j < counts->rows; j++) {
        int64_t start = counts->starts[j], end = counts->starts[j + 1];
        if (start < 0 || end < start || end > counts->cells) return TB_BAD_INDEX;
        for (int64_t k = start; k < end; k++) {
            uint32_t i = (uint32_t)counts->term[k];
            if (i >= (uint32_t)counts->terms) return TB_BAD_INDEX;
            if (out->seen_in[i] == (int32_t)j) {
                out->twice = 1;
                return TB_OK;
            }
            out->seen_in[i] = (int32_t)j;
        }
    }
    return TB_OK;
}

int32_t tb_row_sums(const CountBlock *counts, const RowSums *out) {
    for (int64_t j = 0; j < counts->rows; j++) {
        int64_t start = counts->starts[j], end = counts->starts[j + 1];
        if (start < 0 || end < start || end > counts->cells) return TB_BAD_INDEX;
        uint64_t total = 0;
        for (int64_t k = start; k < end; k++) total += (uint64_t)counts->count[k];
        out->n_j[j] = (int64_t)total;
    }
    return TB_OK;
}

int32_t tb_totals(const CountBlock *counts, const Totals *out) {
    Row row;
    for (int64_t j = 0; j < counts->rows; j++) {
        int32_t status = checked_row(counts, j, &row);
        if (status != TB_OK) return status;
        out->n_j[j] = row.n_j;
        for (int64_t k = row.start; k < row.end; k++) {
            int32_t i = counts->term[k];
            out->n_i[i] = (int64_t)((uint64_t)out->n_i[i] + (uint64_t)counts->count[k]);
            out->b_i[i] += 1;
        }
        if (!out->wanted) continue;
        for (int64_t k = row.start; k < row.end; k++) {
            uint64_t part = (uint64_t)counts->count[k] * (uint64_t)row.n_j;
            out->length_sum[counts->term[k]] = (int64_t)((uint64_t)out->length_sum[counts->term[k]] + part);
        }
    }
    return TB_OK;
}

int32_t tb_by_term(const CountBlock *counts, const ByTerm *out) {
    for (int64_t j = 0; j < counts->rows; j++) {
        Row row;
        int32_t status = checked_row(counts, j, &row);
        if (status != TB_OK) return status;
        if (row.n_j > INT32_MAX) return TB_BAD_CELL;
        for (int64_t k = row.start; k < row.end; k++) {
            int64_t at = out->next[counts->term[k]]++;
            if (at < 0 || at >= out->room) return TB_BAD_INDEX;
            out->count[at] = (int32_t)counts->count[k];
            out->length[at] = (int32_t)row.n_j;
        }
    }
    return TB_OK;
}
