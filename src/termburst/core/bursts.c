#include "bursts.h"
#include "random.h"
#include "special.h"

enum {
    ENUMERATED = 11, /* largest number of documents for which all 2^b assignments are enumerated */
    LATTICE = 8192,  /* largest number of steps of the sum of scores on a lattice */
    FINEST = 32      /* largest number of steps in the smallest score */
};
#define CLOSE 0.05 /* in standard deviations: distances from the mean that differ by less are equal */

/* log n (n − 1) … (n − c + 1) of four lengths. */
static Lanes log_falling(Lanes length, double c) {
    if (c > 8) return lanes_log_gamma(length + 1) - lanes_log_gamma(length - c + 1);
    Lanes sum = {0.0};
    for (double q = 0; q < c; q += 1) sum += lanes_log(length - q);
    return sum;
}

/* log P(c | n_j) of all length classes, without summands that do not depend on n_j, to *weight*; −inf if the burst is
 * longer than the documents. Returns the largest. *whole* has log Γ(n_j + α_0), shared by all bursts of a term. */
static double log_weights(double c, const LengthClasses *classes, double alpha, double alpha_0, double mean,
                          const double *whole, double *weight) {
    double top = -INFINITY;
    for (int64_t k = 0; k < classes->size; k += LANES) {
        Lanes own = lanes_at(classes->length + k);
        LaneMask fits = own >= c;
        Lanes length = lanes_where(fits, own, lanes_of(c)), value = log_falling(length, c);
        if (alpha_0 > 1e9 * classes->length[k]) /* almost the binomial */
            value += (length - c) * log1p(-mean);
        else
            value += lanes_log_gamma(length - c + (alpha_0 - alpha)) - lanes_at(whole + k);
        value = lanes_where(fits, value, lanes_of(-INFINITY));
        for (int lane = 0; lane < LANES; lane++) {
            weight[k + lane] = value[lane];
            if (classes->length[k + lane] > 0) top = most(top, value[lane]);
        }
    }
    return top;
}

/* log Γ(n_j + α_0) of all classes, to *whole*; not used if α_0 is so large that the binomial replaces it. */
static void log_whole(const LengthClasses *classes, double alpha_0, double *whole) {
    for (int64_t k = 0; k < classes->size; k += LANES) {
        Lanes value = lanes_of(0.0);
        if (!(alpha_0 > 1e9 * classes->length[k])) value = lanes_log_gamma(lanes_at(classes->length + k) + alpha_0);
        for (int lane = 0; lane < LANES; lane++) whole[k + lane] = value[lane];
    }
}

/* The probability that a burst of size c falls into each group, to *out*. Returns E[n_j/(α_0 + n_j) | c], which
 * `burst_score` needs. */
static double group_shares(double c, const LengthClasses *classes, double alpha, double alpha_0, double mean,
                           const double *whole, double *weight, double *out) {
    int64_t groups = classes->groups, last = classes->size - 1;
    double top = log_weights(c, classes, alpha, alpha_0, mean, whole, weight), bound = 0.0, total = 0.0;
    for (int64_t g = 0; g < groups; g++) out[g] = 0.0;
    if (top == -INFINITY) { /* the burst is longer than the mean of the longest class, so it must be in that class */
        while (last > 0 && classes->length[last] == 0) last--;
        for (int64_t g = 0; g < groups; g++) total += out[g] = classes->documents[last * groups + g];
        for (int64_t g = 0; g < groups; g++) out[g] /= total;
        return c / (alpha_0 + c);
    }
    for (int64_t k = 0; k < classes->size; k += LANES) {
        Lanes length = lanes_at(classes->length + k), relative = lanes_exp(lanes_at(weight + k) - top);
        Lanes taken = length / (alpha_0 + length);
        for (int lane = 0; lane < LANES; lane++) {
            const double *documents = classes->documents + (k + lane) * groups;
            for (int64_t g = 0; g < groups; g++) {
                double here = documents[g] * relative[lane];
                out[g] += here;
                total += here;
                bound += here * taken[lane];
            }
        }
    }
    for (int64_t g = 0; g < groups; g++) out[g] /= total;
    return bound / total;
}

/* c (1 − κ E[n_j/(α_0 + n_j)]) − (1 − κ) Σ_{q<c} q/(α + q): the derivative of log P(c) in log π.
 *
 * The part of documents without the term is left out, because it is constant. At κ = 0 the score tends to 1 for a burst
 * of any size as α → 0, and to c as α → ∞. */
static double burst_score(int64_t c, double alpha, double bound, double kappa) {
    double repeats = 0.0;
    for (int64_t q = 1; q < c; q++) repeats += (double)q / (alpha + (double)q);
    return (double)c * (1 - kappa * bound) - (1 - kappa) * repeats;
}

int32_t tb_burst(const LengthClasses *classes, const BurstTask *task) {
    double *whole = task->weight + classes->size;
    log_whole(classes, task->alpha_0, whole);
    double bound = group_shares((double)task->count, classes, task->alpha, task->alpha_0, task->mean, whole,
                                task->weight, task->shares);
    *task->score = burst_score(task->count, task->alpha, bound, task->kappa);
    return TB_OK;
}

/* The distribution of the sum of scores in the first group: the number of steps, and its mean, variance and observed
 * value in steps. */
typedef struct {
    int64_t steps;
    double mean, variance, observed;
} Outcomes;

/* All 2^b assignments: their sums to room->values, their probabilities to room->mass. */
static Outcomes enumerated(const BurstRoom *room, int64_t size, int64_t groups) {
    Outcomes found = {1, 0.0, 0.0, 0.0};
    double *values = room->values, *mass = room->mass;
    values[0] = 0.0;
    mass[0] = 1.0;
    for (int64_t k = 0; k < size; k++) {
        double score = room->bursts[k].score, share = room->shares[k * groups];
        found.mean += score * share;
        found.variance += score * score * share * (1 - share);
        if (room->bursts[k].group == 0) found.observed += score;
        for (int64_t s = 0; s < found.steps; s++) {
            values[found.steps + s] = values[s] + score;
            mass[found.steps + s] = mass[s] * share;
            mass[s] *= 1 - share;
        }
        found.steps *= 2;
    }
    return found;
}

/* Add one burst: with probability *share* it raises the sum by *jump*, but not above *last*. *filled* is the last step
 * with positive mass so far. */
static void convolve(const double *mass, double *moved, double share, int64_t jump, int64_t filled, int64_t last) {
    int64_t stay = least_int(filled, last);
    for (int64_t s = 0; s <= stay; s++) moved[s] = mass[s] - mass[s] * share;
    for (int64_t s = stay + 1; s <= least_int(filled + jump, last); s++) moved[s] = 0.0;
    for (int64_t s = 0; s <= least_int(filled, last - jump); s++) moved[s + jump] += mass[s] * share;
    for (int64_t s = most_int(last - jump + 1, 0); s <= filled; s++) moved[last] += mass[s] * share;
}

/* The distribution of the sum on a lattice, to room->mass; 0 steps if there is not enough space.
 *
 * It is the sum of the group with the smaller expected value. It is cut off at a value that it hardly ever reaches; the
 * mass above is put there. */
static Outcomes on_lattice(const BurstRoom *room, int64_t size, int64_t groups) {
    const Burst *bursts = room->bursts;
    double total = 0.0, expected = 0.0, largest = 0.0, smallest = INFINITY;
    for (int64_t k = 0; k < size; k++) {
        total += bursts[k].score;
        expected += bursts[k].score * room->shares[k * groups];
        smallest = least(smallest, bursts[k].score);
        largest = most(largest, bursts[k].score);
    }
    int flip = expected > total / 2;
    double mean = 0.0, variance = 0.0, observed = 0.0;
    for (int64_t k = 0; k < size; k++) {
        double score = bursts[k].score, share = flip ? 1 - room->shares[k * groups] : room->shares[k * groups];
        mean += score * share;
        variance += score * score * share * (1 - share);
        if ((bursts[k].group == 0) != flip) observed += score;
    }
    double reach = least(total, most(most(2 * mean - observed, observed), mean + 10 * sqrt(variance)) + largest);
    double step = most(smallest / FINEST, reach / LATTICE);
    Outcomes found = {0, 0.0, 0.0, 0.0};
    int64_t seen = 0, highest = 0; /* of rounded scores, whose sum may exceed that of the scores */
    for (int64_t k = 0; k < size; k++) {
        double share = flip ? 1 - room->shares[k * groups] : room->shares[k * groups];
        double rounded = rint(bursts[k].score / step);
        if (!(rounded >= 0 && rounded <= (double)room->outcomes)) return found;
        found.mean += rounded * share;
        found.variance += rounded * rounded * share * (1 - share);
        if ((bursts[k].group == 0) != flip) seen += (int64_t)rounded;
        highest += (int64_t)rounded;
    }
    found.observed = (double)seen;
    int64_t last = least_int(highest, most_int((int64_t)(reach / step) + 2, seen + 1)), filled = 0;
    if (last >= room->outcomes) return found;
    double *mass = room->mass, *spare = room->values;
    mass[0] = 1.0;
    for (int64_t k = 0; k < size; k++) {
        int64_t jump = (int64_t)rint(bursts[k].score / step);
        convolve(mass, spare, flip ? 1 - room->shares[k * groups] : room->shares[k * groups], jump, filled, last);
        filled = least_int(filled + jump, last);
        double *exchanged = mass;
        mass = spare;
        spare = exchanged;
    }
    for (int64_t s = 0; s <= last; s++) {
        double here = s <= filled ? mass[s] : 0.0;
        room->mass[s] = here;
        room->values[s] = (double)s;
    }
    found.steps = last + 1;
    return found;
}

/* Two-sided mid-p of T = Σ_k score_k I_k, I_k ~ Bernoulli(share_k) independent: P(|T − E T| > |t − E T|) + ½ P(|T − E
 * T| = |t − E T|). All assignments are enumerated if there are few; otherwise scores are rounded to a lattice.
 * Distances that hardly differ count as equal, so that a split into almost equal halves is treated like a split into
 * equal halves. −1 if there is not enough space. */
static double mid_p(const BurstRoom *room, int64_t size, int64_t groups) {
    double total = 0.0;
    for (int64_t k = 0; k < size; k++) total += room->bursts[k].score;
    if (!(total > 0 && total < INFINITY)) return total == 0 ? 0.5 : NAN; /* one outcome, or none */
    Outcomes of = size <= ENUMERATED ? enumerated(room, size, groups) : on_lattice(room, size, groups);
    if (of.steps == 0) return -1.0;
    double near = CLOSE * sqrt(of.variance), distance = fabs(of.observed - of.mean), equal = 0.0, further = 0.0;
    for (int64_t s = 0; s < of.steps; s++) {
        double other = fabs(room->values[s] - of.mean);
        if (other > distance + near)
            further += room->mass[s];
        else if (other >= distance - near)
            equal += room->mass[s];
    }
    return least(further + 0.5 * equal, 1.0);
}

int32_t tb_mid_p(const BurstRoom *room, const MidPTask *task) {
    if (room->outcomes < 1 << ENUMERATED || task->size > room->most) return TB_NO_ROOM;
    *task->p_value = mid_p(room, task->size, 2);
    return *task->p_value < 0 ? TB_NO_ROOM : TB_OK;
}

/* Score, group probabilities and group of each burst of a term. Returns their number, or −1 if there is not enough
 * space. */
static int64_t bursts_of(const Cells *cells, const LengthClasses *classes, const CommonModel *model, int64_t term,
                         const BurstRoom *room) {
    int64_t size = 0, groups = classes->groups;
    double alpha = model->alpha[term], *whole = room->weight + classes->size;
    log_whole(classes, model->alpha_0[term], whole);
    for (int64_t g = 0; g < groups; g++) {
        const int64_t *range = range_of(cells, g, term);
        for (int64_t j = range[0]; j < range[1]; j++) {
            int64_t c = cells->count[j], alike = 0;
            double weight = weight_of(cells, j);
            if (!(weight >= 0 && weight <= (double)(room->most - size))) return -1;
            int64_t times = (int64_t)weight;
            if (times == 0) continue;
            while (alike < size && room->bursts[alike].count != c) alike++; /* a term has few distinct burst sizes */
            if (alike == size) {
                double bound = group_shares((double)c, classes, alpha, model->alpha_0[term], model->mean[term], whole,
                                            room->weight, room->shares + size * groups);
                room->bursts[size] = (Burst){burst_score(c, alpha, bound, model->kappa), c, g};
            }
            for (int64_t copy = 0; copy < times; copy++, size++) {
                room->bursts[size] = (Burst){room->bursts[alike].score, c, g};
                for (int64_t other = 0; other < groups; other++)
                    room->shares[size * groups + other] = room->shares[alike * groups + other];
            }
        }
    }
    return size;
}

int32_t tb_burst_reference(const Cells *cells, const LengthClasses *classes, const CommonModel *model,
                           const ReferenceTask *task, const BurstRoom *room) {
    if (room->outcomes < 1 << ENUMERATED) return TB_NO_ROOM;
    for (int64_t k = 0; k < task->size; k++) {
        int64_t i = task->terms[k];
        if (!is_term(cells, i)) return TB_BAD_INDEX;
        int64_t size = bursts_of(cells, classes, model, i, room);
        if (size < 0) return TB_NO_ROOM;
        double expected = 0.0;
        for (int64_t s = 0; s < size; s++) expected += room->shares[s * classes->groups];
        if (!(least(expected, (double)size - expected) < task->enough)) continue;
        double p = mid_p(room, size, classes->groups);
        if (p < 0) return TB_NO_ROOM;
        task->p_value[i] = p;
    }
    return TB_OK;
}

/* Q = Σ_g (S_g − E S_g)²/E S_g, where S_g is the sum of the scores in group g. */
static double distance(const double *sums, const double *mean, int64_t groups) {
    double value = 0.0;
    for (int64_t g = 0; g < groups; g++) value += (sums[g] - mean[g]) * (sums[g] - mean[g]) / most(mean[g], 1e-300);
    return value;
}

/* (½ + #{Q* > Q} + ½ #{Q* = Q})/(draws + 1), where each draw assigns all bursts again. */
static double drawn_p(const BurstRoom *room, int64_t size, int64_t groups, int64_t seed, int64_t draws) {
    double *mean = room->sums, *sums = room->sums + groups, reached = 0.5;
    Mersenne random;
    mersenne_seed(&random, (uint32_t)seed);
    for (int64_t g = 0; g < groups; g++) mean[g] = sums[g] = 0.0;
    for (int64_t s = 0; s < size; s++) {
        sums[room->bursts[s].group] += room->bursts[s].score;
        for (int64_t g = 0; g < groups; g++) mean[g] += room->bursts[s].score * room->shares[s * groups + g];
    }
    double observed = distance(sums, mean, groups), near = 1e-9 * (1 + observed);
    for (int64_t draw = 0; draw < draws; draw++) {
        for (int64_t g = 0; g < groups; g++) sums[g] = 0.0;
        for (int64_t s = 0; s < size; s++) {
            const double *shares = room->shares + s * groups;
            double u = mersenne_uniform(&random);
            int64_t g = 0;
            for (; g < groups - 1 && u > shares[g]; g++) u -= shares[g];
            sums[g] += room->bursts[s].score;
        }
        double value = distance(sums, mean, groups);
        if (value >= observed - near) reached += value > observed + near ? 1.0 : 0.5;
    }
    return reached / (double)(draws + 1);
}

int32_t tb_burst_draws(const Cells *cells, const LengthClasses *classes, const CommonModel *model, const DrawTask *task,
                       const BurstRoom *room) {
    for (int64_t k = 0; k < task->size; k++) {
        int64_t i = task->terms[k];
        if (!is_term(cells, i)) return TB_BAD_INDEX;
        int64_t size = bursts_of(cells, classes, model, i, room);
        if (size < 0) return TB_NO_ROOM;
        task->p_value[i] = drawn_p(room, size, classes->groups, task->seeds[i], task->draws);
    }
    return TB_OK;
}

/* clang-format off */
TB_LAYOUT(bursts,
    TB_WHOLE(LengthClasses),
    TB_FIELD(LengthClasses, length),
    TB_FIELD(LengthClasses, documents),
    TB_FIELD(LengthClasses, size),
    TB_FIELD(LengthClasses, groups),
    TB_WHOLE(CommonModel),
    TB_FIELD(CommonModel, alpha),
    TB_FIELD(CommonModel, alpha_0),
    TB_FIELD(CommonModel, mean),
    TB_FIELD(CommonModel, terms),
    TB_FIELD(CommonModel, kappa),
    TB_WHOLE(Burst),
    TB_FIELD(Burst, score),
    TB_FIELD(Burst, count),
    TB_FIELD(Burst, group),
    TB_WHOLE(BurstRoom),
    TB_FIELD(BurstRoom, weight),
    TB_FIELD(BurstRoom, bursts),
    TB_FIELD(BurstRoom, shares),
    TB_FIELD(BurstRoom, sums),
    TB_FIELD(BurstRoom, values),
    TB_FIELD(BurstRoom, mass),
    TB_FIELD(BurstRoom, most),
    TB_FIELD(BurstRoom, outcomes),
    TB_WHOLE(ReferenceTask),
    TB_FIELD(ReferenceTask, terms),
    TB_FIELD(ReferenceTask, size),
    TB_FIELD(ReferenceTask, enough),
    TB_FIELD(ReferenceTask, p_value),
    TB_WHOLE(DrawTask),
    TB_FIELD(DrawTask, terms),
    TB_FIELD(DrawTask, size),
    TB_FIELD(DrawTask, seeds),
    TB_FIELD(DrawTask, draws),
    TB_FIELD(DrawTask, p_value),
    TB_WHOLE(BurstTask),
    TB_FIELD(BurstTask, count),
    TB_FIELD(BurstTask, alpha),
    TB_FIELD(BurstTask, alpha_0),
    TB_FIELD(BurstTask, mean),
    TB_FIELD(BurstTask, kappa),
    TB_FIELD(BurstTask, weight),
    TB_FIELD(BurstTask, shares),
    TB_FIELD(BurstTask, score),
    TB_WHOLE(MidPTask),
    TB_FIELD(MidPTask, size),
    TB_FIELD(MidPTask, p_value))
