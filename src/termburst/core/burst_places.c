#include "burst_places.h"

#include "special.h"

enum { LARGEST_COUNT = 4096 };
#define NEAR_NOTHING 1e-4 /* −log(1 − p) up to which a difference is a derivative, to rounding */
#define NOWHERE 1e-7 /* share of the bursts, below which none can be in a design cell: a covariate rules it out there */
#define NO_TOKEN (-23.0) /* log of the expected tokens in a design cell, from which on its share is far below that */

/* log Γ(z + n)/Γ(z) − n log z as a function of n: the parts that depend on z alone. */
typedef struct {
    double z, log_z, log_gamma_z;
} Rising;

static Rising rising_from(double z) {
    if (z > 1e4) return (Rising){z, 0.0, 0.0};
    return (Rising){z, log(z), log_gamma(z)};
}

static double rising(const Rising *of, double n) {
    if (of->z > 1e4) return run_log_sum(of->z, 0.0, n);
    return log_gamma(of->z + n) - of->log_gamma_z - n * of->log_z;
}

/* The distribution of counts in the documents of one design cell, without their length. */
typedef struct {
    double alpha_0, alpha, alpha_not, log_rest, on_alpha, on_not;
} CellModel;

static CellModel model_of(Tied own, double omega) {
    Share share = split(omega);
    double alpha_0 = exp(own.tau), alpha = alpha_0 * share.p, alpha_not = alpha_0 * share.rest;
    return (CellModel){alpha_0,
                       alpha,
                       alpha_not,
                       log1p(-share.p),
                       alpha * (share.rest + own.slope),
                       alpha_not * (own.slope - share.p)};
}

int collect_bursts(const Cells *cells, int64_t term, Bursts *of) {
    const int64_t *range = range_of(cells, 0, term);
    of->count = 0;
    of->bursts = of->tokens = 0.0;
    for (int64_t j = range[0]; j < range[1]; j++) {
        double size = cells->count[j], times = weight_of(cells, j);
        int64_t k = 0;
        if (size > LARGEST_COUNT) return 0;
        of->bursts += times;
        of->tokens += size * times;
        while (k < of->count && of->sizes[k] < size) k++;
        if (k < of->count && of->sizes[k] == size) {
            of->times[k] += times;
            continue;
        }
        if (of->count == MOST_SIZES) return 0;
        for (int64_t m = of->count; m > k; m--) {
            of->sizes[m] = of->sizes[m - 1];
            of->times[m] = of->times[m - 1];
        }
        of->sizes[k] = size;
        of->times[k] = times;
        of->count++;
    }
    for (int64_t k = 0; k < of->count; k++) of->lifts[k] = exp(of->sizes[k]);
    return of->count > 0;
}

/* log Γ(z + n)/Γ(z) − n log z of four n, for z ≥ 12, by Stirling's series: no large numbers are subtracted. */
static Lanes rising_of_four(double z, Lanes n) {
    Lanes sum = z + n, y = 1 / (sum * sum), series = lanes_of(1.0 / 1188);
    series = -1.0 / 1680 + y * series;
    series = 1.0 / 1260 + y * series;
    series = -1.0 / 360 + y * series;
    series = (1.0 / 12 + y * series) / sum;
    return (sum - 0.5) * lanes_log1p(n / z) - n + (series - stirling_remainder(z));
}

/* The difference of that between z e^−δ and z, for a small δ: δ Σ k/(z + k) at the middle, with one logarithm. Σ k/(z + k)
 * over k < n is n − z (ψ(z + n) − ψ(z)). */
static Lanes rising_difference(double z, double delta, Lanes n) {
    double middle = z * (1 - delta / 2), one = 1 / middle, square = one * one;
    Lanes sum = 1 / (middle + n), y = sum * sum, series = lanes_of(-1.0 / 240);
    series = 1.0 / 252 + y * series;
    series = -1.0 / 120 + y * series;
    series = (1.0 / 12 + y * series) * y + sum / 2;
    double at_middle = (1.0 / 12 + square * (-1.0 / 120 + square * (1.0 / 252 - square / 240))) * square + one / 2;
    return delta * (n - middle * (lanes_log1p(n * one) - series + at_middle));
}

/* `add_class` of four classes at once. Returns 0, with nothing added, if a number might leave the range of doubles. */
static int add_four(Bursts *of, int64_t groups, int64_t g, Lanes n, Lanes documents, const CellModel *model) {
    double largest = of->sizes[of->count - 1];
    if (model->alpha_not < 12 || largest > 100) return 0;
    Lanes risen = -model->log_rest < NEAR_NOTHING
                      ? rising_difference(model->alpha_0, -model->log_rest, n)
                      : rising_of_four(model->alpha_not, n) - rising_of_four(model->alpha_0, n);
    Lanes none = lanes_exp(n * model->log_rest + risen);
    if (lanes_any(none < 1e-100)) return 0;
    Lanes product = none * documents, rise = lanes_of(0.0), held[MOST_SIZES], rises[MOST_SIZES];
    int64_t k = 0;
    for (double q = 0; k < of->count; q++) {
        Lanes left = n - q, below = model->alpha_not + left - 1 + 1e-9;
        LaneMask fits = left > 0;
        double above = model->alpha + q;
        below = lanes_where(fits, below, lanes_of(1.0));
        product = lanes_where(fits, product * left * above / ((q + 1) * below), lanes_of(0.0));
        rise += model->on_alpha / above - model->on_not / below;
        if (lanes_any(product > 1e200) || lanes_any((product < 1e-200) & (product > 0))) return 0;
        if (q + 1 < of->sizes[k]) continue;
        held[k] = product * of->lifts[k];
        rises[k] = held[k] * rise;
        k++;
    }
    for (k = 0; k < of->count; k++) {
        of->share[k * groups + g] += lanes_sum(held[k]);
        of->rise[k * groups + g] += lanes_sum(rises[k]);
    }
    return 1;
}

/* Adds the documents of one length class to the places of the bursts: weights (not yet normalised) and Δ times weight.
 * e^c keeps the weights of large bursts from underflowing. */
static void add_class(Bursts *of, int64_t groups, int64_t g, double n, double documents, const CellModel *model) {
    const Rising rest = rising_from(model->alpha_not), all = rising_from(model->alpha_0);
    double log_p = n * model->log_rest + rising(&rest, n) - rising(&all, n), product = 1.0, rise = 0.0;
    double none = exp(log_p); /* the probability of no burst, without what `product` has given away */
    int64_t k = 0;
    for (double q = 0; k < of->count; q++) {
        if (!(n - q > 0)) return;
        double below = model->alpha_not + n - q - 1 + 1e-9, above = model->alpha + q;
        product *= (n - q) * above / ((q + 1) * below);
        rise += model->on_alpha / above - model->on_not / below;
        if (product < 1e-200 || product > 1e200) {
            log_p += log(product);
            product = 1.0;
            none = 0.0;
        }
        if (q + 1 < of->sizes[k]) continue;
        double weight = none > 1e-100 && of->sizes[k] < 200 ? documents * none * product * of->lifts[k]
                                      : documents * exp(log_p + log(product) + of->sizes[k]);
        of->share[k * groups + g] += weight;
        of->rise[k * groups + g] += weight * rise;
        k++;
    }
}

/* All documents of a design cell. */
static void add_classes(Bursts *of, const LengthClasses *classes, int64_t groups, int64_t g, const CellModel *model) {
    int64_t last = classes->starts[g + 1];
    for (int64_t m = classes->starts[g]; m < last; m += LANES) {
        Lanes n, documents;
        for (int64_t k = 0; k < LANES; k++) {
            n[k] = classes->lengths[least_int(m + k, last - 1)];
            documents[k] = m + k < last ? classes->documents[m + k] : 0.0;
        }
        if (add_four(of, groups, g, n, documents, model)) continue;
        for (int64_t k = m; k < least_int(m + LANES, last); k++)
            add_class(of, groups, g, classes->lengths[k], classes->documents[k], model);
    }
}

int find_places(const Cells *cells, const Design *design, const LengthClasses *classes, int64_t term,
                const double *fit, Bursts *of) {
    int64_t groups = design->groups, columns = design->columns;
    const int64_t *range = range_of(cells, 0, term);
    double n = 0.0, *absent = of->column;
    for (int64_t g = 0; g < groups; g++) absent[g] = 1.0;
    for (int64_t j = range[0]; j < range[1]; j++) absent[design->group[j]] = 0.0;
    for (int64_t k = 0; k < of->count * groups; k++) of->share[k] = of->rise[k] = 0.0;
    for (int64_t g = 0; g < groups; g++) n += design->tokens[g];
    double overall = between(of->tokens / n, 1e-300, 1 - 1e-16), middle = log(overall) + log1p(-overall);
    for (int64_t g = 0; g < groups; g++) {
        double omega = 0.0;
        for (int64_t c = 1; c < columns; c++) omega += design->rows[g * columns + c] * fit[c];
        omega = between(omega, -60.0, 30.0);
        if (absent[g] != 0 && omega + log(most(design->tokens[g], 1.0)) < NO_TOKEN) continue;
        double tau = fit[columns] + design->offsets[g];
        const CellModel model = model_of(tied(design->kappa, middle, tau, omega), omega);
        add_classes(of, classes, groups, g, &model);
    }
    of->documents = 0.0;
    for (int64_t g = 0; g < groups; g++) {
        of->expected[g] = of->held[g] = 0.0;
        for (int64_t m = classes->starts[g]; m < classes->starts[g + 1]; m++) of->held[g] += classes->documents[m];
        of->documents += of->held[g];
    }
    for (int64_t k = 0; k < of->count; k++) {
        double *share = of->share + k * groups, *rise = of->rise + k * groups, total = 0.0;
        for (int64_t g = 0; g < groups; g++) total += share[g];
        if (!(total > 0 && total < INFINITY)) return 0;
        for (int64_t g = 0; g < groups; g++) {
            rise[g] = share[g] > 0 ? rise[g] / share[g] : 0.0;
            share[g] /= total;
            of->expected[g] += of->times[k] * share[g];
        }
    }
    return 1;
}

void leave_out(const Cells *cells, const Design *design, int64_t term, Bursts *of) {
    int64_t groups = design->groups;
    const int64_t *range = range_of(cells, 0, term);
    for (int64_t g = 0; g < groups; g++) of->column[g] = of->expected[g] < NOWHERE * of->bursts;
    for (int64_t j = range[0]; j < range[1]; j++) of->column[design->group[j]] = 0.0;
    for (int64_t g = 0; g < groups; g++) {
        if (of->column[g] == 0) continue;
        of->expected[g] = 0.0;
        of->documents -= of->held[g];
        for (int64_t k = 0; k < of->count; k++) of->share[k * groups + g] = of->rise[k * groups + g] = 0.0;
    }
    for (int64_t k = 0; k < of->count; k++) { /* the rest is all there is: near its mean, T's saddlepoint shows if not */
        double *share = of->share + k * groups, total = 0.0;
        for (int64_t g = 0; g < groups; g++) total += share[g];
        for (int64_t g = 0; g < groups && total > 0; g++) share[g] /= total;
    }
}
