/* The search for the highest maximum of the likelihood of a term.
 *
 * A scan of the slope of the profile over τ, from large to small α_0, brackets every maximum. Newton's method finds
 * each, and the best one above the binomial is kept. (One Newton run from one start is not enough: a term may have two
 * interior maxima, or one interior maximum and one at infinity.) The scan begins where the limit of large α_0 holds,
 * and ends where the limit of small α_0 holds: there ∂τ is `mixed`.
 *
 * A search says at which point it needs the derivatives next, so that four searches can take turns in four lanes. */
#ifndef TB_MAXIMUM_H
#define TB_MAXIMUM_H

#include "beta_binomial.h"

/* How maxima are searched. The scan begins at α_0 = e² max(longest document, (largest count − 1 + margin) n/n_i). It
 * evaluates the slope at values of τ that are `spacing` apart. ω is within `near` of its maximum, and the slope of the
 * profile is linearised from there. If that leaves its sign in doubt, ω is moved closer. */
typedef struct {
    double spacing, near, margin;
} Scan;
#define FIT_NEAR 0.05 /* for fits: the starting point decides their last digits */
#define FIT_MARGIN 1.0
#define DRAW_NEAR 0.5 /* for null draws: only the height of the maximum is needed, with half of the evaluations */
#define DRAW_MARGIN 0.0

/* A point of the scan: where, the slope of the profile there, dω/dτ along the profile with its sign turned, and how far
 * ω is from its maximum. */
typedef struct {
    double tau, omega, slope, along, aside;
} ScanPoint;

typedef struct {
    const Term *term;
    const LengthTable *table;
    const double *penalty; /* NULL if there is none */
    const Scan *scan;
    double tau, omega; /* where the derivatives are needed next */
    int phase;         /* SCAN … */
    int falling;       /* whether the slope is below 0 at the last point of the scan */
    int rounds;        /* of the profile at this τ */
    int iterations;    /* of Newton's method */
    int quiet;         /* consecutive steps that may be rounding error */
    double near;       /* of the profile */
    ScanPoint here;
    double above, slope_above; /* the point of the scan before this one */
    double low, high;          /* the bracket of Newton's method */
    double evaluations;
    FitResult best;
} Search;

/* Whether there is anything to search; otherwise `best` is the result already. *penalty* has four coefficients. */
int begin_search(Search *search, const Term *term, const LengthTable *table, const double *penalty, const Scan *scan);

/* Takes the derivatives at the point of the search. Returns whether it needs another point; otherwise `best` is the
 * result. */
int continue_search(Search *search, const Derivatives *d);

/* One search to its end. */
void fit_term(const Term *term, const LengthTable *table, const double *penalty, const Scan *scan, FitResult *best);

/* Four searches that take turns. `take` writes the next term to a lane, or returns 0 if there is none; `done` takes the
 * result of a lane. Both get the struct that `with` points to. Terms have no runs. Each can be read up to the end of the
 * longest one, where `more` or `times` is 0. */
typedef struct Four {
    Search search[LANES];
    Term term[LANES];
    int busy[LANES];
    int (*take)(struct Four *four, int lane);
    void (*done)(struct Four *four, int lane);
    void *with;
} Four;

/* Fits all terms without a penalty. A lane whose term is fitted takes the next one. */
void fit_in_lanes(Four *four, const LengthTable *table, const Scan *scan);

/* NULL if all four coefficients are 0. */
const double *none_or(const double *penalty);

#endif
