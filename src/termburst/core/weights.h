/* The weights of the cells of a count matrix, one kernel per scheme; termburst.weights has the formulas. */
#ifndef TB_WEIGHTS_H
#define TB_WEIGHTS_H

#include "matrix.h"

/* The output: one weight per cell. */
TB_STRUCT(Weights, {
    double *weight;
})

/* λ_ij = per_count_i (n_ij − 1) + once_i + per_length_i n_j + log (n_ij − 1)!, and whether 1/(1 + exp(−λ_ij)) is
 * wanted. per_length, once and per_count of term i begin at packed[4i], followed by an unused number, so that a cell
 * needs one cache line. The table of log-factorials has TABLED numbers. */
enum { TABLED = 256 };
TB_STRUCT(ShareTerms, {
    const double *packed;
    const double *log_factorial;
    int64_t sigmoid;
})

/* a and the rarity of term i are pairs[2i] and pairs[2i + 1]. A document of n_j tokens has the relative length
 * 1 − share + share n_j/mean; with share = 0 length has no influence. */
TB_STRUCT(DiscountTerms, {
    const double *pairs;
    double share;
    double mean;
})

/* The rows of term i are [starts[i], starts[i + 1]): `documents` documents contain it `count` times. */
TB_STRUCT(TermRows, {
    const int64_t *starts;
    const int64_t *count;
    Size rows;
    const int64_t *documents;
    const double *a;
    Size terms;
    double *sum;
})

/* n_ij (k + 1)/(n_ij + k L_j) times the rarity of the term, with k = `saturation` and relative lengths L_j as above. */
TB_STRUCT(SaturatedTerms, {
    const double *rarity;
    double share;
    double mean;
    double saturation;
})

/* (1 + log n_ij) times the rarity. */
TB_STRUCT(SublinearTerms, {
    const double *rarity;
})

/* The fit of each term: α, α_0 and p. */
TB_STRUCT(FitTerms, {
    const double *alpha;
    const double *alpha_0;
    const double *mean;
})

/* n_i (0 for a term that never occurred), and n. */
TB_STRUCT(TailTerms, {
    const double *n_i;
    double tokens;
})

TB_KERNEL(tb_share_weights, const CountBlock *counts, const ShareTerms *terms, const Weights *out);
TB_KERNEL(tb_discounted_weights, const CountBlock *counts, const DiscountTerms *terms, const Weights *out);
TB_KERNEL(tb_discounted_squares, const TermRows *rows);
TB_KERNEL(tb_saturated_weights, const CountBlock *counts, const SaturatedTerms *terms, const Weights *out);
TB_KERNEL(tb_sublinear_weights, const CountBlock *counts, const SublinearTerms *terms, const Weights *out);
TB_KERNEL(tb_pearson_weights, const CountBlock *counts, const FitTerms *terms, const Weights *out);
TB_KERNEL(tb_deviance_weights, const CountBlock *counts, const FitTerms *terms, const Weights *out);
TB_KERNEL(tb_tail_weights, const CountBlock *counts, const TailTerms *terms, const Weights *out);

#endif
