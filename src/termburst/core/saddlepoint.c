#include "saddlepoint.h"

static const double STEP = 1.5; /* largest change of a log-odds in a Newton step, so that the curvature changes little */
enum { ROUNDS = 400 };

/* The k-th point, sorted by stratum and score; with sign −1 in reverse order of scores and of strata. The order of
 * strata does not matter. */
TB_INLINE const Point *from_the_end(const Points *points, int64_t k, double sign) {
    return points->at + (sign > 0 ? k : points->size - 1 - k);
}

/* The smallest sum of the documents taken; with sign −1 the negative of the largest sum. */
static double least_sum(double sign, const Points *points) {
    double sum = 0.0;
    for (int64_t s = 0; s < points->strata; s++) points->by[s].left = points->by[s].taken;
    for (int64_t k = 0; k < points->size; k++) {
        const Point *point = from_the_end(points, k, sign);
        Stratum *stratum = points->by + point->stratum;
        double taken = least(point->m, stratum->left);
        sum += taken * sign * point->x;
        stratum->left -= taken;
    }
    return sum;
}

double at_the_end(double t, double sign, const Points *points) {
    if (!(sign * t <= least_sum(sign, points) + SAME)) return -1.0;
    for (int64_t s = 0; s < points->strata; s++) {
        Stratum *stratum = points->by + s;
        stratum->left = stratum->need = stratum->taken;
        stratum->documents = stratum->last = stratum->tied = 0.0;
    }
    for (int64_t k = 0; k < points->size; k++) { /* documents with the last score taken are interchangeable */
        const Point *point = from_the_end(points, k, sign);
        Stratum *stratum = points->by + point->stratum;
        double m = point->m, x = sign * point->x;
        stratum->documents += m;
        if (stratum->left > 0) {
            if (stratum->tied == 0 || x > stratum->last + SAME) {
                stratum->tied = 0.0;
                stratum->last = x;
                stratum->need = stratum->left;
            }
            stratum->tied += m;
            stratum->left -= least(m, stratum->left);
        } else if (stratum->tied > 0 && x <= stratum->last + SAME) {
            stratum->tied += m;
        }
    }
    double log_p = 0.0;
    for (int64_t s = 0; s < points->strata; s++) {
        const Stratum *stratum = points->by + s;
        log_p += log_ways_of(stratum->tied, stratum->need) - log_ways_of(stratum->documents, stratum->taken);
    }
    return exp(log_p);
}

/* Whether some documents of a stratum are taken, but not all. */
TB_INLINE int divided(const Stratum *stratum) { return 0 < stratum->taken && stratum->taken < stratum->documents; }

TB_INLINE double logistic(double x) { return 1 / (1 + exp(-x)); }

/* The residual of the equation for θ, and its derivative. */
typedef struct {
    double slope, curvature;
} Lack;

/* Σ q(1 − q) x^0, 1, 2 and the residuals of the constraints at q = logistic(level + θ x); the levels are eliminated.
 * Fills `zero`, `one` and `gap` (the number still to be taken) of each stratum; slope and curvature are in θ. */
static Lack tilted(double t, double theta, const Point *point, int64_t size, Stratum *by, int64_t strata) {
    for (int64_t s = 0; s < strata; s++) {
        by[s].zero = by[s].one = 0.0;
        by[s].gap = by[s].taken;
    }
    double two = 0.0, slope = t;
    for (int64_t k = 0; k < size; k++) {
        Stratum *stratum = by + point[k].stratum;
        double x = point[k].x, m = point[k].m, q = logistic(stratum->level + theta * x), w = m * q * (1 - q);
        stratum->gap -= m * q;
        slope -= m * q * x;
        stratum->zero += w;
        stratum->one += w * x;
        two += w * x * x;
    }
    for (int64_t s = 0; s < strata; s++) {
        if (!divided(by + s)) continue;
        slope -= by[s].one / by[s].zero * by[s].gap;
        two -= by[s].one * by[s].one / by[s].zero;
    }
    return (Lack){slope, most(two, 1e-300)};
}

/* Σ KL(q ‖ p), where p is the share taken: q log(q/p) + (1 − q) log((1 − q)/(1 − p)).
 *
 * With shift = logit q − logit p, which is known, (1 − p)/(1 − q) = 1 + p(e^shift − 1): nothing large cancels. */
static double information(double theta, const Point *point, int64_t size, const Stratum *by) {
    double total = 0.0;
    for (int64_t k = 0; k < size; k++) {
        const Stratum *stratum = by + point[k].stratum;
        double x = point[k].x, share = stratum->taken / stratum->documents;
        double shift = stratum->level - stratum->start + theta * x, q = logistic(stratum->level + theta * x);
        double log_rest = shift < 600 ? log1p(share * expm1(shift)) : log(share) + shift;
        total += point[k].m * (q * shift - log_rest);
    }
    return total;
}

/* The points of divided strata, to `spare`. Other strata add a constant, which centring has made 0. Returns the number
 * of points. */
static int64_t keep_divided(const Points *points, double *largest) {
    int64_t kept = 0;
    *largest = 0.0;
    for (int64_t s = 0; s < points->strata; s++) {
        Stratum *stratum = points->by + s;
        stratum->documents = stratum->start = stratum->move = 0.0;
    }
    for (int64_t k = 0; k < points->size; k++) points->by[points->at[k].stratum].documents += points->at[k].m;
    for (int64_t s = 0; s < points->strata; s++) {
        Stratum *stratum = points->by + s;
        if (divided(stratum)) stratum->start = log(stratum->taken) - log(stratum->documents - stratum->taken);
        stratum->level = stratum->start;
    }
    for (int64_t k = 0; k < points->size; k++) {
        if (!divided(points->by + points->at[k].stratum)) continue;
        *largest = most(*largest, fabs(points->at[k].x));
        points->spare[kept++] = points->at[k];
    }
    return kept;
}

/* q = logistic(level_stratum + θ x) solves Σ q x = t and Σ_stratum q = taken. Then r²/2 is the information
 * Σ KL(q ‖ q at θ = 0), u = θ times the root of the determinants' ratio, and r* = r + log(u/r)/r. */
double saddlepoint(double t, const Points *points) {
    double theta = 0.0, curvature = 1.0, largest;
    Stratum *by = points->by;
    int64_t strata = points->strata, kept = keep_divided(points, &largest);
    for (int round = 0; round < ROUNDS; round++) {
        Lack lack = tilted(t, theta, points->spare, kept, by, strata);
        curvature = lack.curvature;
        double step = lack.slope / most(curvature, 1e-12), farthest = fabs(step) * largest;
        for (int64_t s = 0; s < strata; s++) {
            if (!divided(by + s)) continue;
            by[s].move = (by[s].gap - by[s].one * step) / by[s].zero;
            farthest = most(fabs(step) * largest + fabs(by[s].move), farthest);
        }
        double shorter = farthest > 0 ? least(1.0, STEP / farthest) : 1.0;
        theta += shorter * step;
        for (int64_t s = 0; s < strata; s++) by[s].level += shorter * by[s].move;
        if (!(farthest >= 1e-5)) break; /* the error after this step is of the order of the square */
    }
    double r = sqrt(most(2 * information(theta, points->spare, kept, by), 0.0));
    if (r < 0.005) return t; /* log(u/r)/r would be only rounding, and p is almost 1 */
    double log_ratio = log(curvature);
    for (int64_t s = 0; s < strata; s++) {
        double taken = by[s].taken, documents = by[s].documents;
        if (divided(by + s)) log_ratio += log(by[s].zero) - log(taken * (1 - taken / documents));
    }
    return copysign(r + (log(fabs(theta)) + 0.5 * log_ratio - log(r)) / r, theta);
}
