#include "urn_columns.h"

#include "cholesky.h"
#include "special.h"

/* One column in natural units: u_j = θ_j E_j, the number of tokens that parameter j explains. Parameter 0 is α.
 *
 * Maximised is F(u) = Σ_r w_r log η_r + Σ_j c_j log u_j − Σ_j u_j with η_r = Σ_j u_j x_rj/E_j + held_value x_r,held: it is
 * concave. With a ratio held, x_r0 = 1 + ratio x_r,held. */
typedef struct {
    const UrnRows *rows;
    int64_t first, last, size;
    int64_t held; /* −1: nothing */
    double held_value, ratio;
    double *eta, *scale, *count, *u, *trial, *gradient, *step, *hessian;
    int64_t *free;
} Problem;

enum { MOST_STEPS = 200, MOST_HALVINGS = 60, NO_GAIN = -1 };
#define TINY 1e-10 /* tokens */
#define ENOUGH 1e-11
#define CLOSE 1e-6

/* The design of parameter 0 and the held part of a row. */
TB_INLINE void row_parts(const Problem *p, int64_t r, double *first, double *held) {
    *first = 1.0;
    *held = p->held == 0 ? p->held_value : 0.0;
    if (p->held <= 0) return;
    for (int64_t s = p->rows->starts[r]; s < p->rows->starts[r + 1]; s++)
        if (p->rows->local[s] == p->held) {
            *first = 1 + p->ratio * p->rows->amounts[s];
            *held = p->held_value * p->rows->amounts[s];
        }
}

/* F(u), with η of each row; −∞ if a row has no mass. */
static double objective(const Problem *p, const double *u) {
    double total = 0.0;
    for (int64_t r = p->first; r < p->last; r++) {
        double first, eta;
        row_parts(p, r, &first, &eta);
        eta += u[0] * p->scale[0] * first;
        for (int64_t s = p->rows->starts[r]; s < p->rows->starts[r + 1]; s++) {
            int32_t j = p->rows->local[s];
            eta += u[j] * p->scale[j] * p->rows->amounts[s];
        }
        if (!(eta > 1e-300)) return -INFINITY;
        p->eta[r - p->first] = eta;
        total += p->rows->weight[r] * log(eta);
    }
    for (int64_t j = 0; j < p->size; j++) {
        if (p->count[j] > 0) total += p->count[j] * log(u[j]);
        total -= u[j];
    }
    return total;
}

/* The gradient and the lower triangle of −(second derivatives); η is that of the last `objective`. */
static void derivatives(const Problem *p) {
    int64_t n = p->size;
    for (int64_t j = 0; j < n; j++) {
        double share = p->count[j] > 0 ? p->count[j] / p->u[j] : 0.0;
        p->gradient[j] = share - 1;
        for (int64_t l = 0; l < n; l++) p->hessian[j * n + l] = 0.0;
        p->hessian[j * n + j] = p->count[j] > 0 ? share / p->u[j] : 0.0;
    }
    for (int64_t r = p->first; r < p->last; r++) {
        double first, held, eta = p->eta[r - p->first], w = p->rows->weight[r] / eta;
        row_parts(p, r, &first, &held);
        first *= p->scale[0];
        p->gradient[0] += w * first;
        p->hessian[0] += w * first * (first / eta);
        for (int64_t s = p->rows->starts[r]; s < p->rows->starts[r + 1]; s++) {
            int32_t j = p->rows->local[s];
            double x = p->rows->amounts[s] * p->scale[j], y = x / eta * w;
            p->gradient[j] += w * x;
            p->hessian[j * n] += y * first;
            for (int64_t q = p->rows->starts[r]; q <= s; q++) { /* places ascend */
                int32_t l = p->rows->local[q];
                p->hessian[j * n + l] += y * (p->rows->amounts[q] * p->scale[l]);
            }
        }
    }
}

/* Newton's direction among the parameters that are not held at 0; returns g·d, twice the gain that it promises. */
static double newton_step(const Problem *p) {
    int64_t n = p->size, free = 0;
    double promised = 0.0;
    for (int64_t j = 0; j < n; j++) {
        p->step[j] = 0.0;
        if (!(p->scale[j] > 0) || (p->u[j] <= TINY && p->gradient[j] <= 0)) continue;
        if (p->hessian[j * n + j] > 0) {
            p->free[free++] = j;
        } else if (p->gradient[j] < 0) { /* a source that never stood before the term */
            p->step[j] = -p->u[j];
            promised += p->step[j] * p->gradient[j];
        }
    }
    for (int64_t a = 0; a < free; a++) {
        for (int64_t b = 0; b <= a; b++) p->hessian[a * free + b] = p->hessian[p->free[a] * n + p->free[b]];
        p->trial[a] = p->gradient[p->free[a]];
    }
    if (!cholesky(p->hessian, free, 1e-14)) return NAN;
    solve(p->hessian, free, p->trial);
    for (int64_t a = 0; a < free; a++) {
        p->step[p->free[a]] = p->trial[a];
        promised += p->trial[a] * p->gradient[p->free[a]];
    }
    return promised;
}

/* One step along *step*, cut at 0, halved until F grows enough. Returns how often, or NO_GAIN; cut steps count as halved. */
static int line_search(const Problem *p, double *value) {
    double length = 1.0;
    for (int k = 0; k < MOST_HALVINGS; k++, length /= 2) {
        double expected = 0.0;
        int cut = 0;
        for (int64_t j = 0; j < p->size; j++) {
            double lowest = p->count[j] > 0 ? 0.1 * p->u[j] : 0.0;
            p->trial[j] = most(p->u[j] + length * p->step[j], lowest);
            cut |= p->u[j] + length * p->step[j] < lowest;
            expected += p->gradient[j] * (p->trial[j] - p->u[j]);
        }
        double reached = objective(p, p->trial);
        if (expected > 0 && reached >= *value + 1e-4 * expected) {
            for (int64_t j = 0; j < p->size; j++) p->u[j] = p->trial[j];
            *value = reached;
            return k + cut;
        }
    }
    return NO_GAIN;
}

/* The closed step of the EM algorithm, u_j ← u_j (gradient_j + 1): it never lowers F. */
static void multiply(const Problem *p, double *value) {
    for (int64_t j = 0; j < p->size; j++) p->trial[j] = p->scale[j] > 0 ? p->u[j] * (p->gradient[j] + 1) : p->u[j];
    double reached = objective(p, p->trial);
    if (!(reached > *value)) return;
    for (int64_t j = 0; j < p->size; j++) p->u[j] = p->trial[j];
    *value = reached;
}

/* Returns the largest F; −∞ if no mass can be behind some row. η is that of the maximum.
 *
 * −F is self-concordant, because weights are at least 1: after a whole step that promised λ², the next one would promise
 * less than (λ/(1 − λ))⁴. So one step that promises less than CLOSE is the last. What is promised cannot be told from
 * rounding if it is below some 1e-14 of F: to go on would only repeat sums over the rows. */
static double maximise(const Problem *p) {
    double value = objective(p, p->u);
    for (int k = 0; k < MOST_STEPS && value > -INFINITY; k++) {
        derivatives(p);
        double promised = newton_step(p), before = value;
        if (promised < ENOUGH + 1e-13 * fabs(value)) return value;
        int halved = promised > 0 ? line_search(p, &value) : NO_GAIN;
        if (halved == 0 && promised < CLOSE) return value;
        if (halved != NO_GAIN) continue;
        multiply(p, &value);
        if (!(value > before + 1e-12)) break;
    }
    return objective(p, p->u);
}

/* Puts the column of term k into the problem; 0 if an index is out of range, −1 if the room is too small. */
static int prepare(Problem *p, const UrnRows *rows, const UrnLines *lines, const ColumnRoom *room, int64_t k) {
    int64_t from = lines->indptr[k], to = lines->indptr[k + 1], n;
    p->rows = rows;
    p->first = rows->row_of[k];
    p->last = rows->row_of[k + 1];
    if (from < 0 || to < from || to > lines->entries || p->first < 0 || p->last < p->first || p->last > rows->rows)
        return 0;
    p->size = n = to - from + 1;
    if (n > room->most_parameters || p->last - p->first > room->most_rows) return -1;
    for (int64_t r = p->first; r < p->last; r++) {
        if (rows->starts[r] < 0 || rows->starts[r + 1] < rows->starts[r] || rows->starts[r + 1] > rows->cells) return 0;
        for (int64_t s = rows->starts[r]; s < rows->starts[r + 1]; s++)
            if (rows->local[s] < 1 || rows->local[s] >= n) return 0;
    }
    double *at = room->numbers;
    p->eta = at;
    at += room->most_rows;
    double **parts[] = {&p->scale, &p->count, &p->u, &p->trial, &p->gradient, &p->step};
    for (int i = 0; i < 6; i++, at += room->most_parameters) *parts[i] = at;
    p->hessian = at;
    p->free = room->free;
    p->held = -1;
    p->held_value = p->ratio = 0.0;
    p->scale[0] = 1 / (lines->inverse + lines->alpha_rate[k]);
    p->count[0] = lines->alpha_count;
    for (int64_t j = 1; j < n; j++) {
        double rate = lines->exposure[from + j - 1] + lines->rate[from + j - 1];
        p->scale[j] = rate > 0 ? 1 / rate : 0.0;
        p->count[j] = rate > 0 ? lines->count[from + j - 1] : 0.0;
    }
    return 1;
}

/* u from the masses; a parameter with a prior, and α, begin above 0. */
static void begin(const Problem *p, double alpha, const double *values, double least_alpha) {
    p->u[0] = p->scale[0] > 0 ? most(alpha / p->scale[0], most(least_alpha, 1e-3 * p->count[0])) : 0.0;
    for (int64_t j = 1; j < p->size; j++) {
        p->u[j] = p->scale[j] > 0 ? most(values[j - 1] / p->scale[j], 0.0) : 0.0;
        if (p->count[j] > 0) p->u[j] = most(p->u[j], 1e-3 * p->count[j]);
    }
}

int32_t tb_urn_columns(const UrnRows *rows, const UrnLines *lines, const UrnColumns *out, const ColumnRoom *room) {
    Problem p;
    if (out->first < 0 || out->last > rows->terms) return TB_BAD_INDEX;
    for (int64_t k = out->first; k < out->last; k++) {
        int ready = prepare(&p, rows, lines, room, k);
        if (ready <= 0) return ready ? TB_NO_ROOM : TB_BAD_INDEX;
        double *values = out->values + lines->indptr[k], total = 0.0;
        begin(&p, out->alpha[k], values, 0.0);
        if (!(maximise(&p) > -INFINITY)) return TB_BAD_CELL;
        out->alpha[k] = p.u[0] * p.scale[0];
        for (int64_t j = 1; j < p.size; j++) values[j - 1] = p.u[j] * p.scale[j];
        for (int64_t r = p.first; r < p.last; r++) total += rows->weight[r] * log(p.eta[r - p.first]);
        out->log_mass[k] = total;
    }
    return TB_OK;
}

int32_t tb_urn_profiles(
    const UrnRows *rows, const UrnLines *lines, const UrnColumns *start, const UrnProfiles *out, const ColumnRoom *room) {
    Problem p;
    for (int64_t i = 0; i < out->size; i++) {
        int64_t k = out->column[i], held = out->local[i], own = out->own[i];
        if (k < 0 || k >= rows->terms) return TB_BAD_INDEX;
        int ready = prepare(&p, rows, lines, room, k);
        if (ready <= 0) return ready ? TB_NO_ROOM : TB_BAD_INDEX;
        if (held < 0 || held >= p.size || own < 0 || own >= p.size || (out->ratio && held == 0)) return TB_BAD_INDEX;
        double exposure = held ? lines->exposure[lines->indptr[k] + held - 1] : lines->inverse, weight = 0.0;
        for (int64_t r = p.first; r < p.last; r++) weight += rows->weight[r];
        p.held = held;
        if (out->ratio) {
            p.ratio = out->value[i];
            p.scale[0] = 1 / (lines->inverse + p.ratio * exposure);
        } else {
            p.held_value = out->value[i];
        }
        begin(&p, start->alpha[k], start->values + lines->indptr[k], 1e-3 * weight);
        p.scale[held] = p.u[held] = p.count[held] = 0.0;
        if (held == 0 && !(p.held_value > 0)) { /* all of the mass must come from sources */
            for (int64_t j = 1; j < p.size; j++) p.u[j] = p.scale[j] > 0 ? most(p.u[j], 1e-3 * weight) : 0.0;
        }
        double total = maximise(&p) > -INFINITY ? -p.held_value * exposure : -INFINITY;
        for (int64_t r = p.first; r < p.last && total > -INFINITY; r++) total += rows->weight[r] * log(p.eta[r - p.first]);
        for (int64_t j = 0; j < p.size; j++) total -= p.u[j];
        out->log_likelihood[i] = total;
        out->free_value[i] = p.u[0] * p.scale[0];
        out->own_value[i] = own > 0 ? p.u[own] * p.scale[own] : 0.0;
    }
    return TB_OK;
}
