/* Where the bursts of a term may be, under the model without a coefficient; for the kernel of placements.c. */
#ifndef TB_BURST_PLACES_H
#define TB_BURST_PLACES_H

#include "placements.h"

/* The bursts of a term: distinct sizes in ascending order, with the number of bursts of each; and for each size and
 * design cell the probability of a burst of that size to be there, and its Δ. */
typedef struct {
    double sizes[MOST_SIZES], times[MOST_SIZES], lifts[MOST_SIZES]; /* lifts: e^size */
    int64_t count;
    double *share, *rise; /* count × groups */
    double *column;       /* x̃ of each design cell */
    double *expected;     /* bursts of each design cell */
    double *held;         /* documents of each design cell */
    double *matrix, *vector;
    double bursts, tokens, documents;
} Bursts;

/* The sizes of a term's bursts. Returns 0 if there are too many different ones. */
int collect_bursts(const Cells *cells, int64_t term, Bursts *of);

/* Where bursts of each size may be, with the coefficients and τ of *fit*: nowhere in design cells that lack the term and
 * in which it is so improbable that `leave_out` would remove them. Returns 0 if a burst can be nowhere. */
int find_places(const Cells *cells, const Design *design, const LengthClasses *classes, int64_t term,
                const double *fit, Bursts *of);

/* Leaves out design cells in which the model without the coefficient has no bursts, and that have none. There a logit is
 * far out, and how far is rounding: neither x̃ nor the farthest T may depend on it. */
void leave_out(const Cells *cells, const Design *design, int64_t term, Bursts *of);

#endif
