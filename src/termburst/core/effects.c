#include "effects.h"
#include "special.h"

#define CLOSE 1e-4      /* last step on a curve: a parabola gives the rest of the way to the maximum */
#define FLAT 1e-7       /* slope of the log-likelihood along a curve that is as good as none */
#define EXACT 1e-6      /* relative error of a root */
#define FARTHEST 400.0  /* of levels: beyond, there is no limit */
#define SMALL 1e-2      /* up to which series are summed instead of differences */
#define EVEN 5.0        /* log α beyond which a term is nearly as even as a binomial */
#define BINOMIAL 1e11   /* α_0 over the length, from which on reuse is the binomial's */
#define STRIDE 1.0      /* along a curve, in search of another maximum */
#define VALLEY 12.0     /* of gains: the search ends where the likelihood is so much lower; the cheaper one of the burst ratio goes on */
#define NEARLY 2.0      /* of gains: as high as that, a maximum may be higher where it is found precisely */
enum { ROUNDS = 80, FAR = 8, LOOKS = 3, TERMS = 9, STRIDES = 30, FEW_DOCUMENTS = 8 };
static const double NODE[2] = {0.3399810435848563, 0.8611363115940526};
static const double NODE_WEIGHT[2] = {0.6521451548625461, 0.34785484513745385};

/* The logit of reuse, and its derivatives in τ and ω. */
typedef struct {
    double level, on_tau, on_omega;
} Reuse;

/* log(1 + x) − x and log(1 + x) − x/(1 + x), by their series if subtracting would cancel. */
static Pair logs_less(double x) {
    if (x > SMALL) return (Pair){log1p(x) - x, log1p(x) - x / (1 + x)};
    double less = 0.0, less_share = 0.0; /* Σ (−x)^k / k with the sign turned, and times 1 − k: x² is taken out */
    for (int k = TERMS; k > 1; k--) {
        less = -x * less - 1.0 / k;
        less_share = -x * less_share + (double)(k - 1) / k;
    }
    return (Pair){x * x * less, x * x * less_share};
}

/* e^x − 1 − x for x ≥ 0. */
static double expm1_less(double x) {
    if (x > SMALL) return expm1(x) - x;
    double rest = 0.0;
    for (int k = TERMS; k > 1; k--) rest = (1 + rest) * x / k;
    return rest * x;
}

/* D(z) = ψ(z + L) − ψ(z), which is Σ 1/(z + k) over k < L if L is whole; D(z) + z D′(z); and D(z) − L/z. All have small
 * relative errors even if z is far larger than L: powers of 1/z and 1/(z + L) are not subtracted but factored. */
typedef struct {
    double rise, turned, less;
} Rise;

static Rise digamma_rise(double z, double length) {
    double rise = 0.0, fall = 0.0, start = z;
    for (int k = 0; k < FAR && z < FAR; k++) { /* ψ(z) = ψ(z + 1) − 1/z */
        double a = 1 / z, b = 1 / (z + length);
        rise += length * a * b;
        fall += length * a * b * (a + b);
        z += 1;
    }
    double a = 1 / z, b = 1 / (z + length), x = length * a, drop = x * b, sum = a + b; /* drop: a − b */
    double a_2 = a * a, b_2 = b * b, ab = a * b, squares = a_2 + b_2, fourth = a_2 * a_2 + ab * ab + b_2 * b_2;
    double more = 1.0 / 2 + sum * (1.0 / 12 - squares / 120 + fourth / 252);
    double by_z = sum / 2 + (squares + ab) / 6 - (a_2 * squares + b_2 * b_2 + ab * squares) / 30 +
                  (squares * (fourth - ab * ab) + ab * fourth) / 42;
    Pair logs = logs_less(x);
    double turned = z == start ? logs[1] : logs[1] + (z - start) * drop; /* log(1 + x) − start (a − b) */
    double above = rise; /* of the first steps */
    rise += x + (logs[0] + drop * more);
    double less = z == start ? logs[0] + drop * more : above + logs[0] + drop * more + x - length / start;
    return (Rise){rise, turned + above - start * fall + drop * (more - start * by_z), less};
}

/* The integral E = −log P(N = 0) = ∫ D(z) dz from α_¬ to α_0, its derivative in τ, and E − q with q = P(N = 1)/P(N = 0)
 * = Lα/(α_¬ + L − 1). */
typedef struct {
    double e, e_tau, less;
} NoneAtAll;

static NoneAtAll none_at_all(double tau, double alpha_not, double delta, double length) {
    int64_t panels = (int64_t)least(delta / 0.2, 5000.0) + 1;
    double half = delta / (double)(2 * panels), last = alpha_not + length - 1;
    NoneAtAll found = {0};
    for (int64_t k = 0; k < panels; k++) {
        for (int g = 0; g < 4; g++) {
            double offset = half * ((double)(2 * k + 1) + (g < 2 ? NODE[g] : -NODE[g - 2]));
            double z = exp(tau - delta + offset), weight = NODE_WEIGHT[g & 1] * half * z;
            Rise rise = digamma_rise(z, length);
            found.e += weight * rise.rise;
            found.e_tau += weight * rise.turned;
            found.less += weight * (rise.less + length * (length - 1 - alpha_not * expm1(offset)) / (z * last));
        }
    }
    return found;
}

/* With s = P(N ≥ 1)/P(N = 1) = (e^E − 1)/q, the odds of reuse are s − 1 = (E − q + e^E − 1 − E)/q. */
static Reuse reuse_at(double tau, double omega, double length) {
    Share share = split(omega);
    double alpha_0 = exp(tau), more = length - 1;
    double e, e_tau, e_omega, odds, by_tau, by_omega; /* by: of 1/q */
    if (!(alpha_0 < BINOMIAL * length)) {
        double one = share.p / share.rest; /* log P(N = 0) = −L log(1 + one), and q = L one */
        e = length * log1p_of(one);
        e_tau = by_tau = 0.0;
        e_omega = length * share.p;
        odds = (logs_less(one)[0] * length + expm1_less(least(e, 600.0))) / (length * one);
        by_omega = -1.0;
    } else {
        double alpha = alpha_0 * share.p, alpha_not = alpha_0 * share.rest, delta = log1p_of(alpha / alpha_not);
        NoneAtAll none = none_at_all(tau, alpha_not, delta, length);
        e = none.e;
        e_tau = none.e_tau;
        e_omega = digamma_rise(alpha_not, length).rise * alpha * share.rest;
        odds = (none.less + expm1_less(least(e, 600.0))) * (alpha_not + more) / (length * alpha);
        by_tau = -more / (alpha_not + more);
        by_omega = -alpha * share.rest / (alpha_not + more) - share.rest;
    }
    odds = most(odds, 1e-300);
    double not_zero = -expm1(-e), steep = (odds + 1) / odds;
    Reuse found = {log(odds), steep * (e_tau / not_zero + by_tau), steep * (e_omega / not_zero + by_omega)};
    return found;
}

/* The point of a curve on which an effect has a given level: τ and ω, their first and second derivatives along the curve,
 * in its parameter s, and their derivatives in the level at fixed s.
 *
 * For the burst ratio s = τ. For reuse s = log α: the odds of reuse are almost proportional to (α + 1)/(α_0 + 1) for a
 * rare term, so that with α fixed the level determines α_0, bursty or not. */
typedef struct {
    double tau, omega, d_tau, d_omega, dd_tau, dd_omega, tau_level, omega_level;
} Curve;

static Curve ratio_curve(double level, double s) {
    double e = exp(-fabs(s)), grown = most(s, 0.0) + log1p_of(e), share = (s > 0 ? 1.0 : e) / (1 + e);
    Curve curve = {.tau = s, .omega = between(-level - grown, -700.0, 36.0), .d_tau = 1.0, .d_omega = -share,
                   .dd_omega = -share * (1 - share), .omega_level = -1.0};
    return curve;
}

/* τ with that reuse at log α = s, from a first guess, and the derivatives except for the second ones. */
static Curve reuse_point(double level, double s, double tau, double length) {
    Curve curve = {.tau = most(tau, s + 1e-6)};
    for (int round = 0; round < ROUNDS; round++) {
        double rest = -expm1(s - curve.tau);
        curve.omega = between(s - curve.tau - log(rest), -700.0, 36.0);
        Reuse at = reuse_at(curve.tau, curve.omega, length);
        double fall = least(at.on_tau - at.on_omega / rest, -1e-3), step = between((level - at.level) / fall, -2.0, 2.0);
        curve.tau_level = 1 / fall;
        curve.omega_level = -curve.tau_level / rest;
        curve.d_tau = -at.on_omega / (rest * fall);
        curve.d_omega = (1 - curve.d_tau) / rest;
        if (!(fabs(step) > 1e-7)) break;
        curve.tau = most(least(curve.tau + step, LARGEST + 20), (s + curve.tau) / 2);
    }
    return curve;
}

static Curve reuse_curve(double level, double s, double tau, double length) {
    const double aside = 1e-3;
    Curve curve = reuse_point(level, s, tau, length);
    Curve next = reuse_point(level, s + aside, curve.tau + aside * curve.d_tau, length);
    curve.dd_tau = (next.d_tau - curve.d_tau) / aside;
    curve.dd_omega = (next.d_omega - curve.d_omega) / aside;
    return curve;
}

/* Moves *best* to the maximum of the likelihood where the effect has the level, from its s and τ. */
void best_on(const Profile *of, double level, Best *best) {
    const int ratio = of->effect == OF_RATIO;
    double low = ratio ? SMALLEST : -60.0, high = ratio ? LARGEST : LARGEST - 10, more = 0.0;
    double s = between(best->s, low, ratio ? high : EVEN), tau = best->tau; /* farther out, slopes vanish */
    const double n = of->table->tokens, *table = of->table->coefficients;
    Curve at = {0};
    for (int round = 0; round < ROUNDS; round++) {
        at = ratio ? ratio_curve(level, s) : reuse_curve(level, s, tau, of->length);
        Derivatives d = derivatives(at.tau, at.omega, of->term, n, table, NULL);
        double on_tau = d.tau_tau * at.d_tau + d.tau_omega * at.d_omega;
        double on_omega = d.tau_omega * at.d_tau + d.omega_omega * at.d_omega;
        double slope = d.tau * at.d_tau + d.omega * at.d_omega;
        double bend = on_tau * at.d_tau + on_omega * at.d_omega + d.tau * at.dd_tau + d.omega * at.dd_omega;
        double step = bend < 0 ? -slope / bend : copysign(1.0, slope);
        double across = on_tau * at.tau_level + on_omega * at.omega_level;
        best->off = bend < 0 ? step : 0.0;
        best->slope = d.tau * at.tau_level + d.omega * at.omega_level + across * best->off;
        best->turn = bend < 0 ? -across / bend : 0.0;
        best->bend = bend < 0 ? d.omega_omega - across * across / bend : NAN;
        more = slope * best->off / 2;
        tau = at.tau;
        if (!(fabs(slope) > FLAT) || fabs(step) < best->close) break;
        if (!ratio && s > EVEN && slope > 0 && fabs(step - 1) < 0.01) break; /* slope ∝ 1/α: the binomial is best */
        if (slope > 0)
            low = s;
        else
            high = s;
        more = best->off = 0.0;
        if (!(high - low > best->close)) break;
        step = between(step, -2.0, 2.0);
        if (!(low < s + step && s + step < high)) step = (low + high) / 2 - s;
        s += step;
        tau += at.d_tau * step;
    }
    best->s = s;
    best->tau = at.tau;
    best->gain = gain(at.tau, at.omega, of->term, n, table) + more;
}

/* The end of a curve of reuse, the binomial with that reuse: moves *best* there if the likelihood is higher. */
static void or_binomial(const Profile *of, double level, Best *best) {
    const double n_i = of->term->n_i, n = of->table->tokens;
    double omega = level - log((of->length - 1) / 2), rise = 1.0; /* the odds of reuse are (L − 1)p/2 if p is small */
    for (int round = 0; round < ROUNDS; round++) {
        Reuse at = reuse_at(INFINITY, omega = between(omega, -700.0, 36.0), of->length);
        double step = (level - at.level) / (rise = most(at.on_omega, 1e-3));
        if (!(fabs(step) > 1e-9)) break;
        omega += between(step, -2.0, 2.0);
    }
    Share share = split(omega);
    double there = binomial_gain(share.p, share.rest, n_i, n);
    if (!(there > best->gain)) return;
    best->gain = there;
    best->slope = (n_i * share.rest - (n - n_i) * share.p) / rise;
    best->turn = 0.0;
}

/* √(2(ℓ̂ − ℓ)) at a level, where ℓ̂ has the gain *top*. The search for the maximum starts at *best*. */
static double fall_at(const Profile *of, double level, double top, Best *best) {
    best_on(of, level, best);
    if (of->effect == OF_REUSE) or_binomial(of, level, best);
    return sqrt(most(2 * (top - best->gain), 0.0));
}

/* Whether the likelihood is higher at another maximum of the curve of a level than at *best*, which then moves there. If
 * one document has most of the occurrences of a term, there may be two: one explains that document, the other the rest. */
static int higher_elsewhere(const Profile *of, double level, Best *best) {
    const int ratio = of->effect == OF_RATIO;
    const double n = of->table->tokens, *table = of->table->coefficients, own = best->s;
    Best highest = *best;
    for (int side = -1; side <= 1; side += 2) {
        const double step = side * STRIDE;
        Curve at = ratio ? ratio_curve(level, own) : reuse_point(level, own, best->tau, of->length);
        double last = best->gain;
        Best peak = {.gain = -INFINITY, .close = CLOSE};
        int rising = 0;
        for (int k = 1; k <= STRIDES; k++) {
            double s = own + k * step, here = -INFINITY;
            if (s > SMALLEST && s < LARGEST - 10) {
                at = ratio ? ratio_curve(level, s) : reuse_point(level, s, at.tau + step * at.d_tau, of->length);
                here = gain(at.tau, at.omega, of->term, n, table);
            }
            if ((rising && here < last) || here < highest.gain - (ratio ? 4 * VALLEY : VALLEY)) break;
            rising = here > last;
            if (rising) peak = (Best){.s = s, .tau = at.tau, .gain = here, .close = CLOSE};
            last = here;
        }
        if (!(peak.gain > highest.gain - NEARLY)) continue;
        best_on(of, level, &peak);
        if (peak.gain > highest.gain + EXACT) highest = peak;
    }
    int moved = highest.gain > best->gain;
    *best = highest;
    return moved;
}

/* The level beyond *inside*, in the direction of *step*, where the fall equals *root*, along the maximum that *best* is
 * near; ±inf if there is none. */
static double limit_near(const Profile *of, double inside, double step, double top, double root, Best *from) {
    Best best = *from;
    const double side = copysign(1.0, step);
    double level = inside + step, outside = copysign(INFINITY, step), before = inside;
    best.s += between(best.turn * step, -2.0, 2.0);
    for (int round = 0; round < ROUNDS; round++) {
        if (!(fabs(level) <= FARTHEST)) return copysign(INFINITY, step);
        double fall = fall_at(of, level, top, &best);
        if (!(fabs(fall - root) > EXACT * root) || fabs(outside - inside) < 1e-9) break;
        if (fall < root)
            inside = level;
        else
            outside = level;
        double rise = -best.slope / most(fall, 1e-3); /* of the fall with the level */
        double move = side * rise > 0 ? (root - fall) / rise : 0.0;
        if (!(side * move > 0) && fall < root) move = 2 * (level - before) + step / 4;
        move = between(move, -4.0, 4.0);
        before = level;
        level += move;
        if (!(side * (level - inside) > 0 && side * (outside - level) > 0))
            level = isfinite(outside) ? (inside + outside) / 2 : inside + side * most(fabs(step), 0.5);
        best.s += between(best.turn * (level - before), -2.0, 2.0);
    }
    *from = best;
    return level;
}

/* The same along the highest maximum. In random collections a second one mattered for lower limits of the burst ratio,
 * and for reuse of terms in up to three documents; the search takes time, so it is not made for the others. */
static double limit(const Profile *of, double inside, double step, double top, double root, Best best) {
    const int looks = of->effect == OF_RATIO ? step < 0 : of->term->documents <= FEW_DOCUMENTS;
    for (int look = 0; look < LOOKS; look++) {
        inside = limit_near(of, inside, step, top, root, &best);
        if (!looks || !isfinite(inside) || !higher_elsewhere(of, inside, &best)) break;
        step = copysign(0.1, step);
    }
    return inside;
}

/* The upper limit of the burst ratio if the fit is the binomial. The first trial is where the limit would be if the
 * likelihood were normal: its information on ρ is Σ_j n_j (n_j − 1)/2. The likelihood may have a second maximum, so the
 * search looks again farther out. */
static double limit_of_binomial(const Profile *of, double omega, double top, double root) {
    double level = log(root / sqrt(most(of->table->pairs, 1.0))) - omega, found = level;
    Best best = {.s = most(log(expm1(least(most(-omega - level, 1e-3), 36.0))), -5.0), .close = CLOSE};
    double start = level - 1.0;
    for (int look = 0; look < LOOKS; look++) {
        found = limit(of, start, 1.0, top, root, best);
        if (!isfinite(found)) break;
        int again = 0;
        for (double ahead = 1.0; ahead < 6.0 && !again; ahead *= 2) {
            Best there = best;
            again = fall_at(of, found + ahead, top, &there) < root;
            if (again) {
                start = found + ahead;
                best = there;
            }
        }
        if (!again) break;
    }
    return found;
}

static Roots limits_of(const Profile *of, double tau, double omega, double top, Roots roots) {
    Roots found = {NAN, NAN};
    double level, within = between(tau, SMALLEST + 5, LARGEST);
    Best best = {.s = within, .tau = within, .close = CLOSE};
    if (of->effect == OF_REUSE) {
        level = reuse_at(within, omega, of->length).level;
        best.s = least(within + log(split(omega).p), EVEN);
        best.tau = best.s - log(split(omega).p);
    } else if (tau > LARGEST) {
        if (roots.high > 0) found.high = limit_of_binomial(of, omega, top, roots.high);
        return found;
    } else {
        level = -omega - (most(tau, 0.0) + log1p_of(exp(-fabs(tau))));
    }
    int has_one = of->effect == OF_RATIO && !(2 * top > roots.low * roots.low); /* R = 1 is the binomial, with gain 0 */
    if (roots.low > 0) found.low = has_one ? -INFINITY : limit(of, level, -0.5, top, roots.low, best);
    if (roots.high > 0) found.high = limit(of, level, 0.5, top, roots.high, best);
    return found;
}

int32_t tb_effect_limits(const Cells *cells, const LengthTable *table, const EffectTask *task, const Room *room) {
    Term term;
    for (int64_t k = 0; k < task->size; k++) {
        int64_t i = task->terms[k], used = 0;
        if (!is_term(cells, i)) return TB_BAD_INDEX;
        const int64_t *range = range_of(cells, 0, i);
        int32_t status = gather(cells, range[0], range[1], room, &used, &term);
        if (status != TB_OK) return status;
        const Profile of = {&term, table, task->length, task->effect};
        task->out[i] = limits_of(&of, task->tau[i], task->omega[i], task->gain[i], task->roots[i]);
    }
    return TB_OK;
}

int32_t tb_reuse(const ReuseTask *task) {
    for (int64_t k = 0; k < task->size; k++)
        task->out[k] = reuse_at(task->tau[k], task->omega[k], task->length).level;
    return TB_OK;
}
