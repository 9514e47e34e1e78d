#include "bursts.h"

#include "burst_sums.h"
#include "random.h"
#include "sorting.h"
#include "special.h"

#define SPARSE 0.004 /* share of a document's chance to have the term, below which bursts hardly exclude each other */

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

int32_t tb_mid_p(const BurstRoom *room, const MidPTask *task) {
    if (room->outcomes < CROWDED || task->size > room->most) return TB_NO_ROOM;
    BurstP found = burst_sum_p(room, task->size, 2, task->crowded != 0);
    task->p_value[0] = found.p;
    task->p_value[1] = found.least;
    return found.p < 0 ? TB_NO_ROOM : TB_OK;
}

/* Score and group of each burst of a term, and the group probabilities of each kind of burst. The bursts of one size are
 * one kind, named after the first. Returns their number, or −1 if there is not enough space. */
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
                room->bursts[size] = (Burst){burst_score(c, alpha, bound, model->kappa), c, g, size};
            }
            for (int64_t copy = 0; copy < times; copy++, size++)
                room->bursts[size] = (Burst){room->bursts[alike].score, c, g, alike};
        }
    }
    return size;
}

/* How much of the chance of a burst a group has left, once 0, 1, …, size of its documents have one: (1 − x/d)^(d/e), to
 * room->left[g (most + 1) + x], relative to that at its mean number of bursts.
 *
 * d is the number of documents of the group, and e = (Σ p)²/Σ p² the number that would be as crowded if all had the same
 * chance p to have the term. In documents of one length e = d, and what is left is exactly the share of the documents
 * without a burst. Returns 0 if bursts are so few among the documents that nothing changes. */
static int crowding_of(const LengthClasses *classes, const CommonModel *model, int64_t term, int64_t size,
                       const BurstRoom *room) {
    int64_t groups = classes->groups, stride = room->most + 1;
    double alpha = model->alpha[term], alpha_0 = model->alpha_0[term], chance = 0.0, squares = 0.0;
    double *whole = room->weight + classes->size, *held = room->sums, *first = held + groups, *second = first + groups;
    log_weights(0.0, classes, alpha, alpha_0, model->mean[term], whole, room->weight);
    double beta = log_gamma(alpha_0 - alpha), whole_0 = log_gamma(alpha_0);
    for (int64_t g = 0; g < 3 * groups; g++) room->sums[g] = 0.0;
    for (int64_t k = 0; k < classes->size; k++) {
        double none = room->weight[k];
        if (!(classes->length[k] > 0)) continue;
        if (!(alpha_0 > 1e9 * classes->length[k])) none += whole_0 - beta;
        double some = between(-expm1(least(none, 0.0)), 0.0, 1.0);
        for (int64_t g = 0; g < groups; g++) {
            double documents = classes->documents[k * groups + g];
            held[g] += documents;
            first[g] += documents * some;
            second[g] += documents * some * some;
        }
    }
    for (int64_t g = 0; g < groups; g++) {
        chance += first[g];
        squares += second[g];
    }
    if (!(squares > SPARSE * chance)) return 0;
    for (int64_t g = 0; g < groups; g++) {
        double power = first[g] > 0 ? most(held[g] * second[g] / (first[g] * first[g]), 1.0) : 1.0;
        double mean = least(first[g], held[g]), usual = held[g] > mean ? pow(1 - mean / held[g], power) : 1.0;
        for (int64_t x = 0; x <= size; x++) {
            double free = held[g] > (double)x ? 1 - (double)x / held[g] : 0.0;
            room->left[g * stride + x] = pow(free, power) / most(usual, 1e-300);
        }
    }
    return 1;
}

/* The factors of P(x bursts in the first of two groups), to room->crowding: 1 if bursts were independent. */
static void set_crowding(const BurstRoom *room, int64_t size) {
    const double *left_a = room->left, *left_b = room->left + room->most + 1;
    double in_a = 0.0, in_b = 0.0, top = -INFINITY; /* sums of logarithms */
    for (int64_t x = 0; x <= size; x++) {
        room->crowding[x] = in_a;
        in_a += log(left_a[x]);
    }
    for (int64_t y = 0; y <= size; y++) {
        room->crowding[size - y] += in_b;
        in_b += log(left_b[y]);
        top = most(top, room->crowding[size - y]);
    }
    for (int64_t x = 0; x <= size; x++) room->crowding[x] = top > -INFINITY ? exp(room->crowding[x] - top) : 1.0;
}

int32_t tb_burst_reference(const Cells *cells, const LengthClasses *classes, const CommonModel *model,
                           const ReferenceTask *task, const BurstRoom *room) {
    if (room->outcomes < CROWDED) return TB_NO_ROOM;
    for (int64_t k = 0; k < task->size; k++) {
        int64_t i = task->terms[k];
        if (!is_term(cells, i)) return TB_BAD_INDEX;
        int64_t size = bursts_of(cells, classes, model, i, room);
        if (size < 0) return TB_NO_ROOM;
        double expected = 0.0;
        for (int64_t s = 0; s < size; s++) expected += room->shares[room->bursts[s].kind * classes->groups];
        if (!(least(expected, (double)size - expected) < task->enough)) continue;
        int crowded = crowding_of(classes, model, i, size, room);
        if (crowded) set_crowding(room, size);
        BurstP found = burst_sum_p(room, size, classes->groups, crowded);
        if (found.p < 0) return TB_NO_ROOM;
        task->p_value[i] = found.p;
        task->least[i] = found.least;
    }
    return TB_OK;
}

/* Q = Σ_g (S_g − E S_g)²/E S_g, where S_g is the sum of the scores in group g. */
static double distance(const double *sums, const double *mean, int64_t groups) {
    double value = 0.0;
    for (int64_t g = 0; g < groups; g++) value += (sums[g] - mean[g]) * (sums[g] - mean[g]) / most(mean[g], 1e-300);
    return value;
}

/* The group of a burst with these group probabilities, for u between 0 and their sum. */
TB_INLINE int64_t group_at(const double *shares, int64_t groups, double u) {
    int64_t g = 0;
    for (; g < groups - 1 && u > shares[g]; g++) u -= shares[g];
    return g;
}

/* Assign all bursts at random: their scores to *sums*. If *crowded*, a group has less of the chance of the next burst
 * the more bursts it already has. */
static void assign(const BurstRoom *room, int64_t size, int64_t groups, int crowded, Mersenne *random, double *sums) {
    double *chance = sums + groups;
    int64_t *held = room->held;
    for (int64_t g = 0; g < groups; g++) {
        sums[g] = 0.0;
        held[g] = 0;
    }
    for (int64_t s = 0; s < size; s++) {
        const double *shares = room->shares + room->bursts[s].kind * groups;
        double u = mersenne_uniform(random), total = 0.0;
        int64_t g;
        if (crowded) {
            for (int64_t other = 0; other < groups; other++)
                total += chance[other] = shares[other] * room->left[other * (room->most + 1) + held[other]];
            g = total > 0 ? group_at(chance, groups, u * total) : group_at(shares, groups, u);
            held[g]++;
        } else
            g = group_at(shares, groups, u);
        sums[g] += room->bursts[s].score;
    }
}

TB_INLINE int is_smaller(const Burst *a, const Burst *b) { return a->count < b->count; }

TB_SORT(sort_bursts, Burst, is_smaller)

/* (½ + #{Q* > Q} + ½ #{Q* = Q})/(draws + 1), where each draw assigns all bursts again, the largest first. */
static double drawn_p(const BurstRoom *room, int64_t size, int64_t groups, int crowded, const DrawTask *task,
                      int64_t term) {
    double *mean = room->sums, *sums = room->sums + groups, reached = 0.5;
    Mersenne random;
    mersenne_seed(&random, (uint32_t)task->seeds[term]);
    sort_bursts(room->bursts, room->spare, size); /* the draws must not depend on the order of the documents */
    for (int64_t g = 0; g < groups; g++) mean[g] = sums[g] = 0.0;
    for (int64_t s = 0; s < size; s++) {
        const double *shares = room->shares + room->bursts[s].kind * groups;
        sums[room->bursts[s].group] += room->bursts[s].score;
        for (int64_t g = 0; g < groups; g++) mean[g] += room->bursts[s].score * shares[g];
    }
    double observed = distance(sums, mean, groups), near = 1e-9 * (1 + observed);
    for (int64_t draw = 0; draw < task->draws; draw++) {
        assign(room, size, groups, crowded, &random, sums);
        double value = distance(sums, mean, groups);
        if (value >= observed - near) reached += value > observed + near ? 1.0 : 0.5;
    }
    return reached / (double)(task->draws + 1);
}

int32_t tb_burst_draws(const Cells *cells, const LengthClasses *classes, const CommonModel *model, const DrawTask *task,
                       const BurstRoom *room) {
    for (int64_t k = 0; k < task->size; k++) {
        int64_t i = task->terms[k];
        if (!is_term(cells, i)) return TB_BAD_INDEX;
        int64_t size = bursts_of(cells, classes, model, i, room);
        if (size < 0) return TB_NO_ROOM;
        int crowded = crowding_of(classes, model, i, size, room);
        task->p_value[i] = drawn_p(room, size, classes->groups, crowded, task, i);
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
    TB_FIELD(Burst, kind),
    TB_WHOLE(BurstSum),
    TB_FIELD(BurstSum, value),
    TB_FIELD(BurstSum, mass),
    TB_FIELD(BurstSum, number),
    TB_WHOLE(BurstRoom),
    TB_FIELD(BurstRoom, weight),
    TB_FIELD(BurstRoom, bursts),
    TB_FIELD(BurstRoom, spare),
    TB_FIELD(BurstRoom, shares),
    TB_FIELD(BurstRoom, sums),
    TB_FIELD(BurstRoom, left),
    TB_FIELD(BurstRoom, crowding),
    TB_FIELD(BurstRoom, held),
    TB_FIELD(BurstRoom, sorted),
    TB_FIELD(BurstRoom, values),
    TB_FIELD(BurstRoom, mass),
    TB_FIELD(BurstRoom, before),
    TB_FIELD(BurstRoom, from),
    TB_FIELD(BurstRoom, most),
    TB_FIELD(BurstRoom, outcomes),
    TB_WHOLE(ReferenceTask),
    TB_FIELD(ReferenceTask, terms),
    TB_FIELD(ReferenceTask, size),
    TB_FIELD(ReferenceTask, enough),
    TB_FIELD(ReferenceTask, p_value),
    TB_FIELD(ReferenceTask, least),
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
    TB_FIELD(MidPTask, crowded),
    TB_FIELD(MidPTask, p_value))
