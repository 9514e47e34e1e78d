/* The distribution of the total score of a term's bursts in the first of two groups, and the p-value of a total. */
#ifndef TB_BURST_SUMS_H
#define TB_BURST_SUMS_H

#include "bursts.h"

enum {
    WAYS = 2048,        /* largest number of assignments that are enumerated: 11 distinct bursts */
    LATTICE = 8192,     /* largest number of steps of the sum of scores on a lattice */
    CROWDED = 1 << 16,  /* largest number of cells of a lattice of sums and numbers of bursts */
    FINEST = 32,        /* largest number of steps in the smallest score */
    CROWDED_FINEST = 8, /* the same if the lattice also has the numbers of bursts */
    BEYOND = 8          /* bursts that such a lattice has beyond ten standard deviations */
};

/* A p-value, and the smallest p-value that the same bursts could have. */
typedef struct {
    double p, least;
} BurstP;

/* The two-sided p of T = Σ_k score_k I_k, where P(I) ∝ Π share_k^I_k (1 − share_k)^(1 − I_k) · room->crowding[Σ I_k];
 * without `crowded` the I_k are independent. p is −1 if there is not enough space. */
BurstP burst_sum_p(const BurstRoom *room, int64_t size, int64_t groups, int crowded);

#endif
