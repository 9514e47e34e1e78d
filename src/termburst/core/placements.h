/* The reference of a coefficient given the bursts of a term: in which documents could bursts of these sizes have been?
 *
 * Under the model without the coefficient, a burst of size c is in document j with probability ∝ P(c | n_j, x_j). The
 * statistic is the score of the coefficient, T = Σ x̃_g Δ_g(c) over the bursts, where x̃ is the column of the coefficient
 * without what the other columns explain, and Δ is how fast log P(c)/P(0) rises with the logit mean. T is a sum of
 * independent terms, so its tails follow from a saddlepoint.
 */
#ifndef TB_PLACEMENTS_H
#define TB_PLACEMENTS_H

#include "regression.h"

enum { MOST_SIZES = 64, RESULTS = 5 };

/* Classes of documents of similar length within a design cell: those of cell g are [starts[g], starts[g + 1]). */
TB_STRUCT(LengthClasses, {
    const int64_t *starts;
    const double *lengths;
    Size size;
    const double *documents;
})

/* Terms to test; `fits` are rows as of regression.h without the coefficient (column 0 held at 0). `out` receives, per
 * term of the collection, p, the signed root of the statistic (±inf if T is at an end of its range), the effective
 * number of bursts, the part of the variance that remains because two bursts cannot be in the same document, and the
 * smallest p that these bursts could have: that of T at one of its ends. */
TB_STRUCT(PlacementTask, {
    const int64_t *terms;
    Size size;
    double enough;
    const double *fits;
    double *out;
})

/* Scratch space of one thread, in numbers. */
TB_STRUCT(PlacementRoom, {
    double *numbers;
    Size size;
})

TB_KERNEL(tb_placements, const Cells *cells, const Design *design, const LengthClasses *classes,
          const PlacementTask *task, const PlacementRoom *room);

#endif
