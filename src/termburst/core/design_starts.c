#include "design_starts.h"

#include "cholesky.h"

#define NOTHING 1e-9    /* fall of a likelihood that is rounding */
#define LIGHT 1e-8      /* weight of a logit that may be anywhere far out */
#define IMPROBABLE 6.0  /* −log of the expected tokens in a design cell without the term, from which it is far out */
#define FARTHER 30.0    /* the same where it is put: far below NEGLIGIBLE, so that it is left out */

/* The logit that a design cell should have, and the weight of it. */
typedef struct {
    double logit, weight;
} Aim;

static Aim far_out(const Problem *of, int64_t g) {
    return (Aim){-FARTHER - log(most(of->design->tokens[g], 1.0)), LIGHT};
}

static Aim observed_aim(const Problem *of, int64_t g) {
    const Term *term = term_in(of, g);
    if (term == NULL) return far_out(of, g);
    return (Aim){log(term->n_i / most(of->design->tokens[g] - term->n_i, LIGHT)), most(term->documents, LIGHT)};
}

static int is_improbable(const Problem *of, int64_t g) {
    return term_in(of, g) == NULL && of->points[g].omega < -IMPROBABLE - log(most(of->design->tokens[g], 1.0));
}

static Aim nearest_aim(const Problem *of, int64_t g) {
    return is_improbable(of, g) ? far_out(of, g) : (Aim){of->points[g].omega, 1.0};
}

int somewhere_improbable(const Problem *of) {
    for (int64_t g = 0; g < of->design->groups; g++)
        if (is_improbable(of, g)) return 1;
    return 0;
}

static void least_squares(const Problem *of, Aim (*aim_of)(const Problem *, int64_t), double *x) {
    int64_t columns = of->design->columns, size = columns + 1;
    double largest = 0.0;
    clear_slopes(of);
    for (int64_t g = 0; g < of->design->groups; g++) {
        Aim aim = aim_of(of, g);
        if (of->held) aim.logit -= of->rows[g * of->width] * x[0];
        add_row(of, g, aim.weight * aim.logit, aim.weight);
    }
    for (int64_t k = 0; k < size; k++) {
        of->step[k] = of->gradient[k];
        for (int64_t l = 0; l <= k; l++) of->factor[k * size + l] = of->hessian[k * of->width + l];
    }
    of->factor[size * size - 1] = 1.0;
    for (int64_t k = mean_columns(of->design); k < columns; k++) {
        of->factor[k * (size + 1)] = 1.0;
        of->step[k] = x[k];
    }
    if (of->held) {
        for (int64_t k = 0; k < columns; k++) of->factor[k * size] = 0.0;
        of->factor[0] = 1.0;
        of->step[0] = x[0];
    }
    for (int64_t k = 0; k < columns; k++) largest = most(largest, of->factor[k * size + k]);
    if (!cholesky(of->factor, size, 1e-15 * largest)) return;
    solve(of->factor, size, of->step);
    for (int64_t k = 0; k < columns; k++) x[k] = of->step[k];
}

void observed_start(const Problem *of, double *x) { least_squares(of, observed_aim, x); }

void nearest_start(const Problem *of, double *x) { least_squares(of, nearest_aim, x); }

/* Whether a design cell is on its way out, but still counts, or nearly so. */
static int is_leaving(const Problem *of) {
    for (int64_t g = 0; g < of->design->groups; g++)
        if (is_improbable(of, g) && of->points[g].omega > of->points[g].ends - 3) return 1;
    return 0;
}

void put_far_out(const Problem *of, double *fit) {
    int64_t size = of->design->columns + 1;
    double *x = of->trial;
    value_at(of, fit);
    if (!is_leaving(of)) return;
    for (int64_t k = 0; k < size; k++) x[k] = fit[k];
    nearest_start(of, x);
    double value = value_at(of, x);
    if (!(value >= fit[size] - NOTHING)) return;
    for (int64_t k = 0; k < size; k++) fit[k] = x[k];
    fit[size] = value;
}
