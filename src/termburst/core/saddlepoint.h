/* Tails of the permutation test by a saddlepoint approximation, and by counting if T is at an end of its range. */
#ifndef TB_SADDLEPOINT_H
#define TB_SADDLEPOINT_H

#include "points.h"

/* P(T = t) if t is the smallest value of T (sign 1) or the largest (sign −1); otherwise −1. The points are sorted. */
double at_the_end(double t, double sign, const Points *points);

/* r* with P(T ≥ t) ≈ 1 − Φ(r*): independent documents, conditional on the number in the first corpus (Skovgaard). */
double saddlepoint(double t, const Points *points);

#endif
