#include "comparison.h"
#include "special.h"

#define ASIDE 0.05         /* of the differences that give slopes and curvatures of the posterior */
#define FLAT 0.02          /* least curvature */
#define TIED 0.98          /* largest correlation of the two precisions */
#define LOOK 0.8           /* step of the points where the search for the mode starts */
#define CLOSE 1e-3         /* its last step */
#define UNINFORMATIVE 0.02 /* range of log L(r) below which a term says nothing */
#define FARTHEST 60.0      /* of the logarithm of a limit: beyond, it is infinite */
#define EXACT 1e-6         /* of a limit, on the scale of its quantile, before the last step of the secant method */
#define RARE 1e-4          /* share below which a binomial distribution is a Poisson distribution */
#define WIDE 1.3           /* standard errors between the points of the correction for small counts */
#define MANY_BURSTS 400.0  /* from there on the correction is below 0.01 */
#define LEAST_WORTH 0.5    /* of a group, in occurrences */
#define STEEPEST 9.0       /* z² from which on the correction for skewness stays the same */
enum { SIDE = 5, PAIRS = SIDE * SIDE, LANED = (PAIRS + LANES - 1) / LANES * LANES, ROUNDS = 40, CURVE = 11 };

/* Gauss–Hermite quadrature of the normal distribution with five points. */
static const double POINT[SIDE] = {-2.8569700138728056, -1.3556261799742659, 0.0, 1.3556261799742659, 2.8569700138728056};
static const double LOG_WEIGHT[SIDE] = {-4.4867285825487988, -1.5047359645591827, -0.6286086594223742, -1.5047359645591827,
                                        -4.4867285825487988};

/* Log prior density of both precisions, up to a constant. */
static double log_prior(const PrecisionPrior *prior, double tau_a, double tau_b) {
    double z = (tau_a - tau_b - prior->shift) / prior->spread;
    double above = prior->weight_a * tau_a + (1 - prior->weight_a) * tau_b - prior->level;
    double fall = most(above, 0.0) + log1p_of(exp(-fabs(above)));
    return -0.5 * (DEGREES + 1) * log1p_of(z * z / DEGREES) - fall;
}

/* Both groups of a term: their profiles, and the quadrature points of what is not known of the precisions. */
typedef struct {
    const SideProfile *a, *b;
    const PrecisionPrior *prior;
    double x_a[LANED], n_a[LANED], x_b[LANED], n_b[LANED], weight[LANED];
    double bend[LANED], bias[LANED];            /* the correction for skewness: bend × (z² − 1) + bias */
    double odds[LANED];                        /* log n_a/n_b */
    double x, m, y, n;                         /* means of x_a, n_a, x_b and n_b */
    double few_a, few_b;                       /* x and y, or m − x and n − y if these are smaller together */
    int rare, small;                           /* whether the share is RARE, and whether x or y is below MANY_BURSTS */
    double middle, step, choose, curve[CURVE]; /* the correction for small counts, by the log odds of a share */
} Sides;

static double log_posterior(const Sides *of, double tau_a, double tau_b) {
    return profile_at(of->a, tau_a).height + profile_at(of->b, tau_b).height + log_prior(of->prior, tau_a, tau_b);
}

typedef struct {
    double value, on_a, on_b, aa, ab, bb;
} Surface;

/* Value, slopes and curvatures by differences; the curvatures are made negative definite. */
static Surface surface_at(const Sides *of, double a, double b) {
    const double e = ASIDE;
    double here = log_posterior(of, a, b);
    double up_a = log_posterior(of, a + e, b), down_a = log_posterior(of, a - e, b);
    double up_b = log_posterior(of, a, b + e), down_b = log_posterior(of, a, b - e);
    double up = log_posterior(of, a + e, b + e), down = log_posterior(of, a - e, b - e);
    Surface at = {here, (up_a - down_a) / (2 * e), (up_b - down_b) / (2 * e), 0.0, 0.0, 0.0};
    at.aa = least((up_a - 2 * here + down_a) / (e * e), -FLAT);
    at.bb = least((up_b - 2 * here + down_b) / (e * e), -FLAT);
    double most_tied = TIED * sqrt(at.aa * at.bb);
    at.ab = between((up + down - up_a - down_a - up_b - down_b + 2 * here) / (2 * e * e), -most_tied, most_tied);
    return at;
}

static double highest_point(const SideProfile *of) {
    int64_t best = 0;
    for (int64_t k = 1; k < of->size; k++)
        if (of->height[k] > of->height[best]) best = k;
    return of->step * (double)(of->first + best);
}

static void start_from(const Sides *of, double a, double b, double *best, double *tau_a, double *tau_b) {
    double value = log_posterior(of, a, b);
    if (!(value > *best)) return;
    *best = value;
    *tau_a = a;
    *tau_b = b;
}

/* The mode: from the highest of several points, by Newton's method with halved steps. */
static Surface find_mode(const Sides *of, double *tau_a, double *tau_b) {
    const SideProfile *a = of->a, *b = of->b;
    const double shift = of->prior->shift, high_a = highest_point(a), high_b = highest_point(b);
    const double low = least(a->step * (double)a->first, b->step * (double)b->first + shift);
    const double high = most(a->step * (double)(a->first + a->size), b->step * (double)(b->first + b->size) + shift);
    double best = -INFINITY;
    start_from(of, high_a, high_b, &best, tau_a, tau_b);
    start_from(of, high_a, high_a - shift, &best, tau_a, tau_b);
    start_from(of, high_b + shift, high_b, &best, tau_a, tau_b);
    for (double tau = low; tau <= high; tau += LOOK) start_from(of, tau, tau - shift, &best, tau_a, tau_b);
    Surface at = surface_at(of, *tau_a, *tau_b);
    for (int round = 0; round < ROUNDS; round++) {
        double determinant = at.aa * at.bb - at.ab * at.ab;
        double step_a = -(at.bb * at.on_a - at.ab * at.on_b) / determinant;
        double step_b = -(at.aa * at.on_b - at.ab * at.on_a) / determinant;
        double size = most(fabs(step_a), fabs(step_b)), part = least(1.0, 1.0 / most(size, 1e-300));
        while (part * size > CLOSE && !(log_posterior(of, *tau_a + part * step_a, *tau_b + part * step_b) >= at.value))
            part /= 2;
        if (!(part * size > CLOSE)) break;
        *tau_a += part * step_a;
        *tau_b += part * step_b;
        at = surface_at(of, *tau_a, *tau_b);
    }
    return at;
}

/* P(X > x) for a binomial of x + y, y > 0: the incomplete beta function by its continued fraction. */
static double binomial_above(double x, double y, double q, double density) {
    double a = x + 1, b = y, odds = q, c = 1.0, d = 1 - (a + b) * odds / (a + 1), value;
    if (fabs(d) < 1e-300) d = 1e-300;
    value = d = 1 / d;
    for (int m = 1; m < 300; m++) {
        double k = (double)m, even = k * (b - k) * odds / ((a + 2 * k - 1) * (a + 2 * k));
        d = 1 + even * d;
        c = 1 + even / c;
        if (fabs(d) < 1e-300) d = 1e-300;
        if (fabs(c) < 1e-300) c = 1e-300;
        d = 1 / d;
        value *= d * c;
        double odd = -(a + k) * (a + b + k) * odds / ((a + 2 * k) * (a + 2 * k + 1)), change;
        d = 1 + odd * d;
        c = 1 + odd / c;
        if (fabs(d) < 1e-300) d = 1e-300;
        if (fabs(c) < 1e-300) c = 1e-300;
        d = 1 / d;
        change = d * c;
        value *= change;
        if (fabs(change - 1) < 1e-12) break;
    }
    /* I_q(x + 1, y) = q^(x + 1) (1 − q)^y value/((x + 1) B(x + 1, y)), and the density has all but y q/(x + 1) of it */
    return density * y * q / (x + 1) * value;
}

/* The standard normal quantile of p < ½, by Newton's method on log Φ from a point nearby. */
static double normal_quantile(double p, double near) {
    double log_p = log(p), z = between(near, -36.5, 0.0);
    for (int round = 0; round < 30; round++) {
        double tail = 0.5 * erfc(-z / sqrt(2.0)), step = (log_p - log(tail)) * tail * sqrt(2 * PI) * exp(z * z / 2);
        z = between(z + between(step, -1.0, 1.0), -37.0, 0.5);
        if (fabs(step) < 1e-6) break; /* it converges quadratically */
    }
    return z;
}

/* z of the mid-p of x_a given x_a + x_b, if each falls into a with probability q: P(X < x) + ½ P(X = x). Real numbers x
 * have the incomplete beta function in place of the sums. */
static double mid_root(double x, double y, double log_choose, double log_odds, double near) {
    double log_rest = -(most(log_odds, 0.0) + log1p_of(exp(-fabs(log_odds)))), log_q = log_rest + log_odds;
    double q = exp(log_q), density = exp(log_choose + x * log_q + y * log_rest);
    /* the continued fraction converges fast for the smaller tail */
    int upper = x > (x + y) * q;
    double above = upper ? (y > 0 ? binomial_above(x, y, q, density) : 0.0)
                         : (x > 0 ? binomial_above(y, x, exp(log_rest), density) : 0.0);
    double tail = above + 0.5 * density;
    if (!(tail > 1e-290)) return NAN;
    if (tail >= 0.5) return 0.0;
    return upper ? -normal_quantile(tail, -near) : normal_quantile(tail, near);
}

/* x log(x/e) + e − x ≥ 0, without cancellation where x is near e: with t = (x − e)/(x + e) it is t (x − e) +
 * 2x (t³/3 + t⁵/5 + …). */
TB_INLINE Lanes excess(Lanes x, Lanes e) {
    const Lanes tiny = lanes_of(1e-300);
    Lanes in = lanes_where(x > 0, x, tiny), gap = x - e, t = gap / (x + e + 1e-300), size = lanes_where(t > 0, t, -t);
    Lanes value = x * lanes_log(in / lanes_where(e > 0, e, tiny)) - gap;
    value = lanes_where(x > 0, value, e);
    LaneMask near = size < 0.1;
    if (!lanes_any(near)) return value;
    Lanes square = t * t, series = lanes_of(1.0 / 17);
    for (int power = 15; power > 1; power -= 2) series = series * square + 1.0 / power;
    return lanes_where(near, t * gap + 2 * x * t * square * series, value);
}

/* The signed root of the likelihood ratio of x : y against q : 1 − q, with the log odds of q. */
TB_INLINE Lanes poisson_roots(Lanes x, Lanes y, Lanes odds) {
    Lanes small = lanes_exp(lanes_where(odds > 0, -odds, odds)), total = x + y;
    Lanes more = total / (1 + small), less = more * small;
    Lanes of_x = lanes_where(odds > 0, more, less), of_y = lanes_where(odds > 0, less, more);
    Lanes root = 2 * (excess(x, of_x) + excess(y, of_y));
    for (int lane = 0; lane < LANES; lane++) root[lane] = sqrt(root[lane]);
    return lanes_where(x < of_x, -root, root);
}

/* The correction of signed roots for small counts, mid_root − poisson_root, as a function of the log odds of q, for the
 * rarer of the term and its complement. It depends on x and y, which hardly vary between the quadrature points, so it is
 * computed at a few odds, when needed. */
static void set_curve(Sides *of) {
    if (of->x + of->y > (of->m + of->n) / 2) {
        of->few_a = of->m - of->x;
        of->few_b = of->n - of->y;
    } else {
        of->few_a = of->x;
        of->few_b = of->y;
    }
    double x = of->few_a, y = of->few_b;
    of->middle = log((x + 0.5) / (y + 0.5));
    of->step = WIDE * sqrt(1 / (x + 0.5) + 1 / (y + 0.5));
    of->small = least(x, y) < MANY_BURSTS;
    of->choose = of->small ? log_choose(x + y, x) : 0.0;
    for (int k = 0; k < CURVE; k++) of->curve[k] = of->small ? NAN : 0.0;
}

static double curve_point(Sides *of, int64_t k) {
    if (!isnan(of->curve[k])) return of->curve[k];
    double odds = of->middle + of->step * (double)(k - CURVE / 2);
    double root = poisson_roots(lanes_of(of->few_a), lanes_of(of->few_b), lanes_of(odds))[0];
    double value = mid_root(of->few_a, of->few_b, of->choose, odds, root) - root;
    return of->curve[k] = isfinite(value) ? value : 0.0; /* tails below 1e-290 */
}

/* The correction at some log odds: cubic between four points, constant beyond the ends. */
static double curve_at(Sides *of, double log_odds) {
    if (!of->small) return 0.0;
    double u = between((log_odds - of->middle) / of->step + CURVE / 2, 0.0, CURVE - 1.0);
    int64_t k = between_int((int64_t)u, 1, CURVE - 3);
    double w = u - (double)k, sum = curve_point(of, k - 1) * w * (w - 1) * (w - 2) / -6;
    sum += curve_point(of, k) * (w + 1) * (w - 1) * (w - 2) / 2 - curve_point(of, k + 1) * (w + 1) * w * (w - 2) / 2;
    return sum + curve_point(of, k + 2) * (w + 1) * w * (w - 1) / 6;
}

/* How much more skewed than for independent tokens the difference of the logits is at a quadrature point, and its bias.
 *
 * v = 1/(N π̂ (1 − π̂)) is the variance of a logit, and with γ = (skew_a v_a² − skew_b v_b²)/(v_a + v_b)^1.5 z is too large by
 * the Cornish–Fisher term γ(z² − 1)/6, and by (skew_a v_a − skew_b v_b)/2 standard errors, the bias of maximum likelihood.
 * Both are right to this order in either limit: bursts of any size count as one (skew 0), and shares with a gamma
 * distribution that are known exactly (1), where π̂ is as skewed as the double of a count. */
static void set_skewness(Sides *of, int k, ProfilePoint of_a, ProfilePoint of_b) {
    Share p_a = split(of_a.omega), p_b = split(of_b.omega);
    double v_a = 1 / most(of->n_a[k] * p_a.p * p_a.rest, LEAST_WORTH);
    double v_b = 1 / most(of->n_b[k] * p_b.p * p_b.rest, LEAST_WORTH);
    double v = v_a + v_b, error = sqrt(v), a = of_a.skew * v_a, b = of_b.skew * v_b;
    of->bend[k] = (a * v_a - b * v_b) / (6 * v * error);
    of->bias[k] = (a - b) / (2 * error);
}

static double skewed(const Sides *of, int k, double z) {
    return z - of->bend[k] * (least(z * z, STEEPEST) - 1) - of->bias[k];
}

/* The quadrature points: those of the normal distribution with the mode and curvature of the posterior, each with the
 * ratio of both densities as its weight. */
static void set_points(Sides *of) {
    double tau_a = 0.0, tau_b = 0.0, top = -INFINITY, total = 0.0, height[PAIRS];
    Surface at = find_mode(of, &tau_a, &tau_b);
    double determinant = at.aa * at.bb - at.ab * at.ab;
    /* the symmetric root of the covariance: the same if a and b are exchanged */
    double v_a = -at.bb / determinant, v_b = -at.aa / determinant, v_ab = at.ab / determinant;
    double root = sqrt(v_a * v_b - v_ab * v_ab), scale = 1 / sqrt(v_a + v_b + 2 * root);
    double root_a = scale * (v_a + root), root_b = scale * (v_b + root), both = scale * v_ab;
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++) {
            int k = i * SIDE + j;
            double a = tau_a + root_a * POINT[i] + both * POINT[j], b = tau_b + both * POINT[i] + root_b * POINT[j];
            ProfilePoint of_a = profile_at(of->a, a), of_b = profile_at(of->b, b);
            height[k] = of_a.height + of_b.height + log_prior(of->prior, a, b);
            height[k] += 0.5 * (POINT[i] * POINT[i] + POINT[j] * POINT[j]) + LOG_WEIGHT[i] + LOG_WEIGHT[j];
            top = most(top, height[k]);
            of->n_a[k] = exp(of_a.log_size);
            of->n_b[k] = exp(of_b.log_size);
            of->x_a[k] = of->n_a[k] * split(of_a.omega).p;
            of->x_b[k] = of->n_b[k] * split(of_b.omega).p;
            set_skewness(of, k, of_a, of_b);
        }
    }
    for (int k = 0; k < PAIRS; k++) total += of->weight[k] = exp(height[k] - top);
    for (int k = 0; k < PAIRS; k++) {
        of->weight[k] /= total;
        of->x += of->weight[k] * of->x_a[k];
        of->m += of->weight[k] * of->n_a[k];
        of->y += of->weight[k] * of->x_b[k];
        of->n += of->weight[k] * of->n_b[k];
    }
    for (int k = PAIRS; k < LANED; k++) { /* padding */
        of->weight[k] = 0.0;
        of->n_a[k] = of->n_a[0];
        of->n_b[k] = of->n_b[0];
        of->x_a[k] = of->x_a[0];
        of->x_b[k] = of->x_b[0];
        of->bend[k] = of->bias[k] = 0.0;
    }
    of->rare = of->x + of->y < RARE * (of->m + of->n);
    for (int k = 0; k < LANED; k++) of->odds[k] = log(of->n_a[k] / of->n_b[k]);
    set_curve(of);
}

/* x log(x/(n p)) + (n − x) log((n − x)/(n (1 − p))) */
TB_INLINE Lanes deviance(Lanes x, Lanes n, Lanes p) { return excess(x, n * p) + excess(n - x, n * (1 - p)); }

static double deviance_of(double x, double n, double p) { return deviance(lanes_of(x), lanes_of(n), lanes_of(p))[0]; }

/* z of each quadrature point at a log ratio: the signed root of the binomial likelihood ratio, with corrections for
 * small counts of the rarer of the term and its complement, and for skewness. */
static void roots_at(Sides *of, double log_ratio, double *out) {
    const double ratio = exp(log_ratio);
    if (of->rare) {
        for (int k = 0; k < LANED; k += LANES) {
            Lanes odds = lanes_at(of->odds + k) + log_ratio;
            Lanes root = poisson_roots(lanes_at(of->x_a + k), lanes_at(of->x_b + k), odds);
            for (int lane = 0; lane < LANES; lane++)
                out[k + lane] = skewed(of, k + lane, root[lane] + curve_at(of, odds[lane]));
        }
        return;
    }
    for (int k = 0; k < LANED; k += LANES) {
        Lanes x_a = lanes_at(of->x_a + k), n_a = lanes_at(of->n_a + k), x_b = lanes_at(of->x_b + k);
        Lanes n_b = lanes_at(of->n_b + k), x = x_a + x_b;
        /* the shares p_a = ratio p_b that maximise the likelihood: a root of a quadratic equation (Miettinen & Nurminen
         * 1985, Statistics in Medicine 4) */
        Lanes a = ratio * (n_a + n_b), b = ratio * (n_a + x_b) + n_b + x_a, inner = b * b - 4 * a * x, p_a, p_b;
        for (int lane = 0; lane < LANES; lane++) inner[lane] = sqrt(most(inner[lane], 0.0));
        p_b = 2 * x / (b + inner);
        p_b = lanes_where(p_b < 1 - 1e-15, p_b, lanes_of(1 - 1e-15));
        p_a = ratio * p_b;
        p_a = lanes_where(p_a < 1 - 1e-15, p_a, lanes_of(1 - 1e-15));
        Lanes root = 2 * (deviance(x_a, n_a, p_a) + deviance(x_b, n_b, p_b));
        Lanes odds = lanes_log(n_a * p_a / (n_b * p_b)), others = lanes_log(n_a * (1 - p_a) / (n_b * (1 - p_b)));
        Lanes share = (n_a * p_a + n_b * p_b) / (n_a + n_b);
        for (int lane = 0; lane < LANES; lane++) {
            double r = sqrt(most(root[lane], 0.0)), skew = 1 - 2 * share[lane];
            if (x_a[lane] * n_b[lane] < ratio * x_b[lane] * n_a[lane]) r = -r;
            r += skew * curve_at(of, skew > 0 ? odds[lane] : others[lane]);
            out[k + lane] = skewed(of, k + lane, r);
        }
    }
}

typedef struct {
    double below, above;
} TailPair;

/* P(log ratio < x) and P(log ratio > x). */
static TailPair tails_at(Sides *of, double log_ratio) {
    double z[LANED];
    TailPair sum = {0.0, 0.0};
    roots_at(of, log_ratio, z);
    for (int k = 0; k < PAIRS; k++) {
        double tail = 0.5 * erfc(fabs(z[k]) / sqrt(2.0)), other = 1 - tail;
        sum.below += of->weight[k] * (z[k] > 0 ? tail : other);
        sum.above += of->weight[k] * (z[k] > 0 ? other : tail);
    }
    return sum;
}

/* About the normal quantile of P(above), from the log odds L of both tails: nearly linear in the log ratio. */
static double scale_of(TailPair at) {
    double odds = log(most(at.above, 1e-305)) - log(most(at.below, 1e-305));
    return odds / sqrt(8 / PI + fabs(odds) / 2);
}

/* The log ratio at which the scaled tails are *goal*, from a first guess; ±inf if there is none. *known* are the scaled
 * tails at a log ratio of 0. */
static double solve(Sides *of, double goal, double guess, double width, double known) {
    double low = -INFINITY, high = INFINITY, x = guess, at_low = 0.0, at_high = 0.0, last = 0.0, at_last = known - goal;
    if (at_last > 0) {
        low = 0.0;
        at_low = at_last;
    } else {
        high = 0.0;
        at_high = at_last;
    }
    if (!(x > low && x < high)) x = -at_last > 0 ? -width : width;
    for (int round = 0; round < ROUNDS; round++) {
        double value = scale_of(tails_at(of, x)) - goal, next;
        if (fabs(value) < EXACT) return value == at_last ? x : x - value * (x - last) / (value - at_last);
        if (value > 0) { /* falls with x */
            low = x;
            at_low = value;
        } else {
            high = x;
            at_high = value;
        }
        next = value == at_last ? x + width * value : x - value * (x - last) / (value - at_last);
        last = x;
        at_last = value;
        if (isfinite(low) && isfinite(high)) {
            if (high - low < 1e-10) return (low + high) / 2;
            if (!(next > low && next < high) || round > 12) next = (low * -at_high + high * at_low) / (at_low - at_high);
            if (round > 20) next = (low + high) / 2;
        } else {
            double step = next - x;
            if (!isfinite(step) || step * value <= 0) step = copysign(2 * width, value);
            next = x + between(step, -8.0, 8.0);
        }
        if (!(fabs(next) <= FARTHEST)) return copysign(INFINITY, next);
        x = next;
    }
    return x;
}

static double goal_of(double level) { return scale_of((TailPair){level / 2, 1 - level / 2}); }

static void compare_term(const CompareTask *task, int64_t k) {
    Sides of = {.a = task->profiles + 2 * k, .b = task->profiles + 2 * k + 1, .prior = task->prior};
    const int64_t levels = task->level_count;
    set_points(&of);
    TailPair at_one = tails_at(&of, 0.0);
    for (int64_t j = 0; j < task->tails; j++) {
        double log_ratio = task->log_ratios[k * task->tails + j];
        TailPair at = log_ratio == 0 ? at_one : tails_at(&of, log_ratio);
        task->below[k * task->tails + j] = at.below;
        task->above[k * task->tails + j] = at.above;
    }
    const int has_a = of.x > 0, has_b = of.y > 0;
    const double root = scale_of(at_one);
    double guess = log((of.x + 0.1) / of.m) - log((of.y + 0.1) / of.n), width = sqrt(1 / (of.x + 0.3) + 1 / (of.y + 0.3));
    double share = (of.x + of.y) / (of.m + of.n);
    task->statistic[k] = most(2 * (deviance_of(of.x, of.m, share) + deviance_of(of.y, of.n, share)), 0.0);
    task->median[k] = has_a ? (has_b ? solve(&of, 0.0, guess, width, root) : INFINITY) : -INFINITY;
    if (has_a && has_b) guess = task->median[k];
    double p = 2 * least(at_one.below, at_one.above);
    for (int64_t j = 0; j < levels; j++) {
        double *limits = task->limits + 2 * (k * levels + j), goal = goal_of(task->levels[j]);
        if (j > 0 && !(p <= task->levels[0])) break;
        limits[0] = -INFINITY;
        limits[1] = INFINITY;
        if (has_a) limits[0] = solve(&of, goal, guess - goal * width, width, root);
        if (has_b) limits[1] = solve(&of, -goal, guess + goal * width, width, root);
    }
}

int32_t tb_compare_sides(const CompareTask *task) {
    for (int64_t k = 0; k < task->size; k++) {
        const SideProfile *both = task->profiles + 2 * k;
        for (int g = 0; g < 2; g++)
            if (both[g].size < 1 || both[g].size > NODES) return TB_BAD_INDEX;
        compare_term(task, k);
    }
    return TB_OK;
}

/* The likelihood at multiples of RATIO_STEP, relative to its maximum, and e^(weight × τ + offset). */
static void relative_likelihood(const SideProfile *of, int64_t from, int64_t size, double weight, double offset,
                                double *likelihood, double *fall) {
    double top = -INFINITY;
    for (int64_t k = 0; k < size; k++) {
        double tau = RATIO_STEP * (double)(from + k);
        top = most(top, likelihood[k] = profile_at(of, tau).height);
        fall[k] = exp(weight * tau + offset);
    }
    for (int64_t k = 0; k < size; k++) likelihood[k] = exp(likelihood[k] - top);
}

/* L(r) of a term at r = RATIO_STEP × (k − RATIOS/2), scaled to a sum of 1. Returns 0 if it is about constant. */
static int likelihood_of_ratio(const LearnTask *task, const SideProfile *a, const SideProfile *b) {
    enum { FINE = 4 * NODES };
    const int64_t per_a = (int64_t)rint(a->step / RATIO_STEP), per_b = (int64_t)rint(b->step / RATIO_STEP);
    const int middle = RATIOS / 2;
    const PrecisionPrior *prior = task->prior;
    const int64_t from_a = a->first * per_a, from_b = b->first * per_b;
    const int64_t size_a = (a->size - 1) * per_a + 1, size_b = (b->size - 1) * per_b + 1;
    double at_a[FINE], at_b[FINE], fall_a[FINE], fall_b[FINE], total = 0.0, lowest = INFINITY, highest = 0.0;
    relative_likelihood(a, from_a, size_a, prior->weight_a, -prior->level, at_a, fall_a);
    relative_likelihood(b, from_b, size_b, 1 - prior->weight_a, 0.0, at_b, fall_b);
    for (int k = 0; k < RATIOS; k++) task->likelihood[k] = 0.0;
    for (int64_t i = 0; i < size_a; i++) {
        int64_t apart = from_a - from_b + i + middle; /* of j = 0 */
        int64_t low = most_int(apart - RATIOS + 1, 0), high = least_int(apart, size_b - 1);
        for (int64_t j = low; j <= high; j++)
            task->likelihood[apart - j] += at_a[i] * at_b[j] / (1 + fall_a[i] * fall_b[j]);
    }
    for (int k = 0; k < RATIOS; k++) total += task->likelihood[k];
    if (!(total > 0)) return 0;
    for (int k = 0; k < RATIOS; k++) task->likelihood[k] /= total;
    for (int k = middle - 12; k <= middle + 12; k++) {
        lowest = least(lowest, task->likelihood[k]);
        highest = most(highest, task->likelihood[k]);
    }
    return !(log(highest / most(lowest, 1e-300)) < UNINFORMATIVE);
}

int32_t tb_learn_precisions(const LearnTask *task) {
    for (int64_t k = 0; k < task->size; k++) {
        const SideProfile *a = task->profiles + 2 * k, *b = a + 1;
        if (a->size < 1 || a->size > NODES || b->size < 1 || b->size > NODES) return TB_BAD_INDEX;
        if (!likelihood_of_ratio(task, a, b)) continue;
        for (int64_t row = 0; row < task->rows; row++) {
            const double *density = task->density + row * RATIOS;
            Lanes sum = {0.0};
            for (int j = 0; j + LANES <= RATIOS; j += LANES) sum += lanes_at(density + j) * lanes_at(task->likelihood + j);
            double last = density[RATIOS - 1] * task->likelihood[RATIOS - 1];
            task->sums[row] += task->times[k] * log(most(lanes_sum(sum) + last, 1e-300));
        }
    }
    return TB_OK;
}
