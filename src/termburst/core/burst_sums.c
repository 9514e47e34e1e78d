#include "burst_sums.h"

#include "sorting.h"

#define CLOSE 0.05     /* in standard deviations: sums that differ by less are equal */
#define ALIKE 0.1      /* relative: tails on the two sides that differ by less are equal */

/* The distribution of a sum of scores: the number of steps, and the mean, variance, observed and largest sum. */
typedef struct {
    int64_t steps;
    double mean, variance, observed, total;
} Outcomes;

TB_INLINE double share_of(const BurstRoom *room, int64_t k, int64_t groups, int flip) {
    double share = room->shares[room->bursts[k].kind * groups];
    return flip ? 1 - share : share;
}

/* Mean and variance from the values and masses; the masses then add up to 1. */
static void set_moments(const BurstRoom *room, Outcomes *of) {
    double total = 0.0, mean = 0.0, variance = 0.0;
    for (int64_t s = 0; s < of->steps; s++) total += room->mass[s];
    for (int64_t s = 0; s < of->steps; s++) {
        room->mass[s] /= total;
        mean += room->mass[s] * room->values[s];
    }
    for (int64_t s = 0; s < of->steps; s++)
        variance += room->mass[s] * (room->values[s] - mean) * (room->values[s] - mean);
    of->mean = mean;
    of->variance = variance;
}

TB_INLINE int is_above(const BurstSum *a, const BurstSum *b) { return a->value > b->value; }

TB_SORT(sort_sums, BurstSum, is_above)

/* How many of the bursts from k on are of the same kind as k; 0 if an earlier one is. */
static int64_t alike(const Burst *bursts, int64_t size, int64_t k) {
    int64_t found = 0;
    for (int64_t s = 0; s < size; s++) {
        if (bursts[s].kind != bursts[k].kind) continue;
        if (s < k) return 0;
        found++;
    }
    return found;
}

/* All assignments, where bursts of one kind are alike: their sums to room->values, ascending, and their probabilities to
 * room->mass. 0 steps if there are too many. */
static Outcomes enumerated(const BurstRoom *room, int64_t size, int64_t groups, int crowded) {
    Outcomes found = {1, 0.0, 0.0, 0.0, 0.0};
    int64_t ways = 1;
    for (int64_t k = 0; k < size && ways <= WAYS; k++) ways *= alike(room->bursts, size, k) + 1;
    if (ways > WAYS) return (Outcomes){0};
    BurstSum *sums = room->sorted;
    sums[0] = (BurstSum){0.0, 1.0, 0};
    for (int64_t k = 0; k < size; k++) {
        double score = room->bursts[k].score, share = share_of(room, k, groups, 0), weight = 1.0;
        int64_t copies = alike(room->bursts, size, k), steps = found.steps;
        found.total += score;
        if (room->bursts[k].group == 0) found.observed += score;
        if (copies == 0) continue;
        for (int64_t x = copies; x >= 0; x--) { /* the outcomes with x = 0 last, since the others start from them */
            double power = 1.0;
            weight = 1.0;
            for (int64_t q = 0; q < copies; q++) power *= q < x ? share : 1 - share;
            for (int64_t q = 0; q < x; q++) weight *= (double)(copies - q) / (double)(q + 1);
            for (int64_t s = 0; s < steps; s++)
                sums[x * steps + s] =
                    (BurstSum){sums[s].value + (double)x * score, sums[s].mass * weight * power, sums[s].number + x};
        }
        found.steps *= copies + 1;
    }
    sort_sums(sums, sums + WAYS, found.steps);
    for (int64_t s = 0; s < found.steps; s++) {
        room->values[s] = sums[s].value;
        room->mass[s] = crowded ? sums[s].mass * room->crowding[sums[s].number] : sums[s].mass;
    }
    set_moments(room, &found);
    return found;
}

/* A lattice for the sum of the group with the smaller expected value: the width of a step, the last step, and the last
 * number of bursts. Sums and numbers beyond are hardly ever reached. `flip` is whether it is the second group. */
typedef struct {
    double step, mean, variance, observed, total;
    int64_t last, most, seen, held;
    int flip;
} Lattice;

static Lattice lattice_of(const BurstRoom *room, int64_t size, int64_t groups, int crowded) {
    const Burst *bursts = room->bursts;
    double expected = 0.0, largest = 0.0, smallest = INFINITY, number = 0.0, spread = 0.0;
    Lattice of = {0};
    for (int64_t k = 0; k < size; k++) {
        of.total += bursts[k].score;
        expected += bursts[k].score * share_of(room, k, groups, 0);
        smallest = least(smallest, bursts[k].score);
        largest = most(largest, bursts[k].score);
    }
    of.flip = expected > of.total / 2;
    for (int64_t k = 0; k < size; k++) {
        double score = bursts[k].score, share = share_of(room, k, groups, of.flip);
        of.mean += score * share;
        of.variance += score * score * share * (1 - share);
        number += share;
        spread += share * (1 - share);
        if ((bursts[k].group == 0) == of.flip) continue;
        of.observed += score;
        of.held++;
    }
    double reach = most(most(2 * of.mean - of.observed, of.observed), of.mean + 10 * sqrt(of.variance)) + largest;
    double fill = number + 10 * sqrt(spread) + BEYOND;
    reach = least(of.total, reach);
    of.most = least_int(size, most_int(of.held + 1, fill < (double)size ? (int64_t)fill : size));
    int64_t rows = crowded ? of.most + 1 : 1, cells = crowded ? CROWDED : LATTICE;
    of.step = most(smallest / (crowded ? CROWDED_FINEST : FINEST), reach / (double)most_int(cells / rows - 4, 1));
    int64_t highest = 0; /* of rounded scores, whose sum may exceed that of the scores */
    for (int64_t k = 0; k < size; k++) {
        double rounded = rint(bursts[k].score / of.step);
        if (!(rounded >= 0 && rounded <= (double)room->outcomes)) return (Lattice){.last = -1};
        if ((bursts[k].group == 0) != of.flip) of.seen += (int64_t)rounded;
        highest += (int64_t)rounded;
    }
    of.last = least_int(highest, most_int((int64_t)(reach / of.step) + 2, of.seen + 1));
    of.total = (double)highest;
    if (of.last >= room->outcomes / rows) of.last = -1;
    return of;
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

/* The distribution of the sum of independent bursts on a lattice, to room->mass; 0 steps if there is not enough space.
 */
static Outcomes on_lattice(const BurstRoom *room, int64_t size, int64_t groups) {
    Lattice of = lattice_of(room, size, groups, 0);
    Outcomes found = {0, 0.0, 0.0, (double)of.seen, of.total};
    if (of.last < 0) return found;
    double *mass = room->mass, *spare = room->values;
    int64_t filled = 0;
    mass[0] = 1.0;
    for (int64_t k = 0; k < size; k++) {
        int64_t jump = (int64_t)rint(room->bursts[k].score / of.step);
        double share = share_of(room, k, groups, of.flip);
        found.mean += (double)jump * share;
        found.variance += (double)jump * (double)jump * share * (1 - share);
        convolve(mass, spare, share, jump, filled, of.last);
        filled = least_int(filled + jump, of.last);
        double *exchanged = mass;
        mass = spare;
        spare = exchanged;
    }
    for (int64_t s = 0; s <= of.last; s++) {
        double here = s <= filled ? mass[s] : 0.0;
        room->mass[s] = here;
        room->values[s] = (double)s;
    }
    found.steps = of.last + 1;
    return found;
}

TB_INLINE int scores_more(const Burst *a, const Burst *b) { return a->score > b->score; }

TB_SORT(sort_bursts, Burst, scores_more)

/* Add a burst to a lattice with one row of sums per number of bursts. *added* bursts, none of a larger score, are
 * in it. Row x has masses only from x times the smallest *jump* to x times the largest. */
static void add_burst(double *cells, const Lattice *of, double share, int64_t added, const int64_t *jump) {
    int64_t width = of->last + 1;
    for (int64_t x = least_int(added + 1, of->most); x >= 0; x--) {
        double *row = cells + x * width, *below = row - width;
        int64_t start = least_int(x * jump[0], of->last), end = least_int(x * jump[1], of->last);
        int64_t stop = least_int(x * jump[2], of->last);
        if (x > added) end = start - 1;
        for (int64_t s = start; s <= end; s++) row[s] -= row[s] * share;
        for (int64_t s = end + 1; s <= stop; s++) row[s] = 0.0;
        if (x == 0) continue;
        start = (x - 1) * jump[0];
        end = least_int((x - 1) * jump[1], of->last);
        for (int64_t s = start; s <= least_int(end, of->last - jump[2]); s++) row[s + jump[2]] += below[s] * share;
        for (int64_t s = most_int(of->last - jump[2] + 1, start); s <= end; s++) row[of->last] += below[s] * share;
    }
}

/* The same if the number of bursts in a group changes how likely the next is, with `room->crowding`. */
static Outcomes on_crowded_lattice(const BurstRoom *room, int64_t size, int64_t groups) {
    sort_bursts(room->bursts, room->spare, size);
    Lattice of = lattice_of(room, size, groups, 1);
    Outcomes found = {0, 0.0, 0.0, (double)of.seen, of.total};
    if (of.last < 0) return found;
    double *cells = room->mass, *sums = room->values;
    int64_t width = of.last + 1, jump[3] = {0, 0, 0}; /* of the first burst, of the last one added, of the next */
    cells[0] = 1.0;
    for (int64_t k = 0; k < size; k++) {
        jump[2] = (int64_t)rint(room->bursts[k].score / of.step);
        if (k == 0) jump[0] = jump[1] = jump[2];
        add_burst(cells, &of, share_of(room, k, groups, of.flip), k, jump);
        jump[1] = jump[2];
    }
    for (int64_t s = 0; s < width; s++) sums[s] = 0.0;
    for (int64_t x = 0; x <= of.most; x++) {
        double weight = room->crowding[of.flip ? size - x : x];
        int64_t end = least_int(x * jump[1], of.last);
        for (int64_t s = least_int(x * jump[0], of.last); s <= end; s++) sums[s] += weight * cells[x * width + s];
    }
    for (int64_t s = 0; s < width; s++) {
        room->mass[s] = sums[s];
        room->values[s] = (double)s;
    }
    found.steps = width;
    set_moments(room, &found);
    return found;
}

/* The sorted outcomes: the probability of those before each, and of those from each on. */
typedef struct {
    const double *values, *before, *from;
    int64_t steps;
    double near, excess;
} Tails;

/* The first outcome of at least x. */
static int64_t first_of(const Tails *of, double x) {
    int64_t low = 0, high = of->steps;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (of->values[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The lower or upper tail at x, where outcomes about equal to x count as half. */
static double tail_at(const Tails *of, double x, int upper) {
    int64_t low = first_of(of, x - of->near), high = first_of(of, x + of->near);
    return upper ? 0.5 * (of->from[low] + of->from[high]) : 0.5 * (of->before[low] + of->before[high]);
}

/* On the other side, the number of the outcomes whose tail is at most *bound*: from the top if *upper*. */
static int64_t outcomes_within(const Tails *of, double bound, int upper) {
    int64_t low = 0, high = of->steps;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (tail_at(of, of->values[upper ? of->steps - 1 - middle : middle], upper) <= bound)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* p of the total t: of all outcomes, those that have a smaller tail, and half of those with about the same tail; but at
 * least all of these over `excess`. The other side counts from where its tail is as small (Blaker 2000). */
static double p_at(const Tails *of, double t) {
    int upper = tail_at(of, t, 1) < tail_at(of, t, 0);
    double tail = tail_at(of, t, upper), equal, further;
    int64_t low = first_of(of, t - of->near), high = first_of(of, t + of->near), steps = of->steps;
    int64_t within[2] = {outcomes_within(of, tail * (1 - ALIKE), !upper), outcomes_within(of, tail * (1 + ALIKE), !upper)};
    if (upper) {
        within[1] = least_int(within[1], low);
        within[0] = least_int(within[0], low);
        further = of->from[high] + of->before[within[0]];
        equal = of->from[low] + of->before[within[1]] - further;
    } else {
        within[1] = least_int(within[1], steps - high);
        within[0] = least_int(within[0], steps - high);
        further = of->before[low] + of->from[steps - within[0]];
        equal = of->before[high] + of->from[steps - within[1]] - further;
    }
    return least(most(further + 0.5 * equal, (further + equal) / of->excess), 1.0);
}

/* How many times its level a test of so many bursts may reach. Two or three bursts have so few outcomes that half a tie
 * would make p < 0.05 of an outcome with a probability of almost 0.1; from a dozen bursts on, half is right on average.
 */
static double excess_of(int64_t size) { return between(1.3 + 0.7 * (double)(size - 3) / 9, 1.3, 2.0); }

/* Outcomes with sums or tails that hardly differ count as equal, so that a split into almost equal halves is treated
 * like a split into equal halves. */
BurstP burst_sum_p(const BurstRoom *room, int64_t size, int64_t groups, int crowded) {
    double total = 0.0;
    for (int64_t k = 0; k < size; k++) total += room->bursts[k].score;
    if (!(total > 0 && total < INFINITY)) return (BurstP){total == 0 ? 1.0 : NAN, 1.0}; /* one outcome, or none */
    Outcomes of = enumerated(room, size, groups, crowded);
    if (of.steps == 0) of = crowded ? on_crowded_lattice(room, size, groups) : on_lattice(room, size, groups);
    if (of.steps == 0) return (BurstP){-1.0, -1.0};
    double *before = room->before, *from = room->from;
    before[0] = from[of.steps] = 0.0;
    for (int64_t s = 0; s < of.steps; s++) before[s + 1] = before[s] + room->mass[s];
    for (int64_t s = of.steps - 1; s >= 0; s--) from[s] = from[s + 1] + room->mass[s];
    int64_t lowest = 0, highest = of.steps - 1;
    while (lowest < highest && !(room->mass[lowest] > 0)) lowest++;
    while (highest > lowest && !(room->mass[highest] > 0)) highest--;
    Tails tails = {room->values, before, from, of.steps, most(CLOSE * sqrt(of.variance), 1e-9 * of.total),
                   excess_of(size)};
    double p = p_at(&tails, of.observed);
    double ends = least(p_at(&tails, room->values[lowest]), p_at(&tails, room->values[highest]));
    return (BurstP){p, least(p, ends)};
}
