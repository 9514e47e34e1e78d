/* Passes over the tokens of documents for the urn with replacement matrix M: the mass behind each token, exposures, and
 * what stood before each token. */
#ifndef TB_URN_H
#define TB_URN_H

#include "core.h"

/* The documents first to last − 1: the term of each token, in order, and where each document ends among `size` tokens.
 * `powers` has r^0, r^1, …, one for each distance up to the longest document: the mass that a token added counts r^d
 * after d more tokens. */
TB_STRUCT(UrnTexts, {
    const int32_t *tokens;
    Size size;
    const int64_t *ends;
    int64_t first, last;
    int64_t terms;
    const double *powers;
    Size longest;
})

/* The urn: α, M by columns (the sources of each term), and its row sums ρ. */
TB_STRUCT(Urn, {
    const double *alpha;
    const double *gains;
    const int64_t *indptr;
    const int32_t *sources;
    const double *values;
    Size entries;
})

/* Scratch space of one thread: how often each term stood so far (with decay), the place where that was last so, and
 * one number for each token of a document (two for `tb_urn_squares`), padded to whole LANES. */
TB_STRUCT(UrnRoom, {
    double *amount;
    int64_t *place;
    double *spare;
    Size spare_size;
})

/* Σ_t C_i(<t)/Z_t of each term; then Σ_t 1/Z_t, Σ_t log Z_t. */
TB_STRUCT(UrnExposure, {
    double *exposure;
    double *sums;
})

/* Σ_t C_i(<t)/Z_t² and Σ_t C_i(<t)²/Z_t² of each term; then Σ_t 1/Z_t². */
TB_STRUCT(UrnSquares, {
    double *crossed;
    double *squared;
    double *sum;
})

/* Σ_t C_i(<t) C_k(<t)/Z_t² of each entry M[i, k]. */
TB_STRUCT(UrnProducts, {
    double *products;
})

/* For each token the mass of its term before it was drawn, and the total mass. */
TB_STRUCT(UrnMasses, {
    double *mass;
    double *total;
})

/* For each token: C of its own term, and how many other sources of it stood before. If `starts` of a token is not
 * negative, its sources are written there: their place in the column (1 is the first) and C. */
TB_STRUCT(UrnPast, {
    double *own;
    int32_t *others;
    const int64_t *starts;
    int32_t *local;
    double *amounts;
    int64_t cells;
    int64_t fills;
})

TB_KERNEL(tb_urn_exposure, const UrnTexts *texts, const Urn *urn, const UrnExposure *out, const UrnRoom *room);
TB_KERNEL(tb_urn_squares, const UrnTexts *texts, const Urn *urn, const UrnSquares *out, const UrnRoom *room);
TB_KERNEL(tb_urn_products, const UrnTexts *texts, const Urn *urn, const UrnProducts *out, const UrnRoom *room);
TB_KERNEL(tb_urn_masses, const UrnTexts *texts, const Urn *urn, const UrnMasses *out, const UrnRoom *room);
TB_KERNEL(tb_urn_past, const UrnTexts *texts, const Urn *urn, const UrnPast *out, const UrnRoom *room);

#endif
