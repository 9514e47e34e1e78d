/* Small tails of the permutation test: by enumeration of all assignments of a term's documents, or on a lattice. */
#ifndef TB_LATTICE_H
#define TB_LATTICE_H

#include "points.h"

enum {
    OUTCOMES = 2048, /* largest number of assignments that are enumerated: 11 distinct documents */
    ENUMERATED = 11,
    MARGIN = 8,           /* extra cells of the lattice, for rounding */
    CELLS = 1 << 21,      /* largest number of cells to fill for a term */
    DEEPEST = 64,         /* largest number of documents of a stratum that a lattice tracks */
    /* A lattice has up to CELLS/work + 12 + MARGIN cells in up to min(work, DEEPEST) + 1 rows. */
    SPACE = 2 * CELLS + (DEEPEST + 1) * (16 + MARGIN),
};

/* The smaller mid-p tail at t by enumeration of all assignments of the own points, at most ENUMERATED. The other points
 * of a stratum are merged into one. `w` has space for OUTCOMES numbers per stratum. */
double enumerated(double t, Points *points);

/* The smaller mid-p tail at t by convolution of the own points on a lattice. The sum of the other points of a stratum
 * is taken as normal. −1 if it would take too long. `w` has space for SPACE numbers. */
double lattice(double t, Points *points);

#endif
