/* The maximum over one column of the urn, all columns being independent once −log Z is bounded by a line. */
#ifndef TB_URN_COLUMNS_H
#define TB_URN_COLUMNS_H

#include "core.h"

/* What stood before the tokens of each term. Column k has the rows row_of[k] to row_of[k + 1] − 1. Row r stands for
 * weight[r] tokens, and its cells starts[r] to starts[r + 1] − 1 say which sources (their place in the column, from 1)
 * stood how often. */
TB_STRUCT(UrnRows, {
    const int64_t *row_of;
    const int64_t *starts;
    const int32_t *local;
    Size cells;
    const double *amounts;
    const double *weight;
    Size rows;
    int64_t terms;
})

/* The lines that bound −log Z: Σ 1/Z, and the exposure of the source of each entry of M by columns; and the prior:
 * count log M − rate M of each entry, alpha_count log α − alpha_rate α of each column. */
TB_STRUCT(UrnLines, {
    const int64_t *indptr;
    const double *exposure;
    Size entries;
    const double *count;
    const double *rate;
    const double *alpha_rate;
    double alpha_count;
    double inverse;
})

/* The columns first to last − 1: α and M at the start, and then at the maximum; log_mass is Σ weight log mass. */
TB_STRUCT(UrnColumns, {
    double *alpha;
    double *values;
    double *log_mass;
    int64_t first, last;
})

/* Maxima with one thing held: `local` is 0 for α or the place of an entry in its column. With `ratio` 0 it has that
 * value; with `ratio` 1 it is `value` times α. `log_likelihood` includes the lines. At the maximum α is `free_value`, and
 * the entry at the place `own` of the column is `own_value` (0 if `own` is 0, or held). */
TB_STRUCT(UrnProfiles, {
    const int64_t *column;
    Size size;
    const int32_t *local;
    const double *value;
    double *log_likelihood;
    double *free_value;
    const int32_t *own;
    double *own_value;
    int64_t ratio;
})

/* Scratch space: numbers for the largest column, as `columns_room` of urn_columns.py counts them. */
TB_STRUCT(ColumnRoom, {
    double *numbers;
    int64_t *free;
    int64_t most_rows;
    int64_t most_parameters;
})

TB_KERNEL(tb_urn_columns, const UrnRows *rows, const UrnLines *lines, const UrnColumns *out, const ColumnRoom *room);
TB_KERNEL(tb_urn_profiles, const UrnRows *rows, const UrnLines *lines, const UrnColumns *start, const UrnProfiles *out,
          const ColumnRoom *room);

#endif
