/* The permutation test's tails by the saddlepoint, and by counting where T is at an end of its range. */
#ifndef TB_SADDLEPOINT_H
#define TB_SADDLEPOINT_H

#include "points.h"

/* P(T = t) where t is the least that T can be with sign 1, the largest with −1; −1 elsewhere. The points are sorted. */
double at_the_end(double t, double sign, const Points *points);

/* r* with P(T ≥ t) ≈ 1 − Φ(r*): independent documents given how many fall in the first corpus (Skovgaard). */
double saddlepoint(double t, const Points *points);

#endif
