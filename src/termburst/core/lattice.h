/* The permutation test's small tails: by every way in which a term's documents can fall, or on a lattice. */
#ifndef TB_LATTICE_H
#define TB_LATTICE_H

#include "points.h"

enum {
    OUTCOMES = 2048, /* how many ways of dealing out are enumerated: those of 11 different documents */
    ENUMERATED = 11,
    MARGIN = 8,           /* cells of the lattice kept free for rounding */
    CELLS = 1 << 21,      /* that may be filled for a term */
    DEEPEST = 64,         /* documents of a stratum that are followed on a lattice */
    /* A lattice has up to CELLS/work + 12 + MARGIN cells in up to min(work, DEEPEST) + 1 rows. */
    SPACE = 2 * CELLS + (DEEPEST + 1) * (16 + MARGIN),
};

/* The smaller mid-p tail at t by every way in which the own points fall, at most ENUMERATED; the others of a stratum are
 * one point. `w` has room for OUTCOMES numbers per stratum. */
double enumerated(double t, Points *points);

/* The smaller mid-p tail at t by convolving the own points on a lattice; the rest of a stratum sums to a normal. −1
 * where that would take too long. `w` has room for SPACE numbers. */
double lattice(double t, Points *points);

#endif
