#include "length_table.h"

/* w − log(1 + w), by its series if the difference would cancel. */
static double log1p_shortfall(double w, double log1p_w) {
    if (w > 0.05) return w - log1p_w;
    double term = w * w, total = 0.0, sign = 1.0;
    for (int m = 2; m < 16; m++) {
        total += sign * term / m;
        term *= w;
        sign = -sign;
    }
    return total;
}

static double square(double x) { return x * x; }

/* The sums of k/(z + k) and of zk/(z + k)² over one run [a, b) of equal C_k, by the Euler–Maclaurin formula. */
void run_sum(double z, double a, double b, double *value, double *slope) {
    double at_a = 1 / (z + a), at_b = 1 / (z + b);
    double a_2 = square(at_a), b_2 = square(at_b);
    double w = (b - a) * at_a, log_ratio = log1p(w);
    double shortfall = log1p_shortfall(w, log_ratio);
    double run = shortfall / at_a + a * log_ratio + 0.5 * (a * at_a - b * at_b);
    run += z * ((b_2 - a_2) / 12 - (b_2 * b_2 - a_2 * a_2) / 120 + (b_2 * b_2 * b_2 - a_2 * a_2 * a_2) / 252);
    /* of the slope: ∫ zk/(z+k)² dk = z [log(z+k) + z/(z+k)], rearranged so that nothing cancels */
    double integral = z * (w * b * at_b - shortfall);
    double ends_half = 0.5 * z * (a * a_2 - b * b_2);
    double first = z * ((z - b) * b_2 * at_b - (z - a) * a_2 * at_a) / 12;
    double third = z * ((18 * z - 6 * b) * b_2 * b_2 * at_b - (18 * z - 6 * a) * a_2 * a_2 * at_a) / 720;
    *value = run;
    *slope = integral + ends_half + first - third;
}

/* The sum of log(1 + k/z) over one run [a, b), by the same formula: log Γ(z + b)/Γ(z + a) − (b − a) log z without
 * cancellation. */
double run_log_sum(double z, double a, double b) {
    double at_a = 1 / (z + a), at_b = 1 / (z + b), w = (b - a) * at_a, log_ratio = log1p(w);
    double integral = (b - a) * log1p(a / z) + (w * log_ratio - log1p_shortfall(w, log_ratio)) / at_a;
    double cubes = at_b * square(at_b) - at_a * square(at_a);
    return integral - 0.5 * log_ratio - (b - a) * at_a * at_b / 12 - cubes / 360;
}

int32_t tb_length_sums(const LengthCounts *counts, const LengthSums *out) {
    for (int64_t i = 0; i < out->size; i++) {
        double z = exp(out->log_z[i]);
        Lanes values = {0.0}, slopes = {0.0}, q = {0.0, 1.0, 2.0, 3.0};
        for (int64_t k = 0; k < counts->direct; k += LANES) {
            Lanes inverse = 1 / (z + q), part = lanes_at(counts->longer + k) * (q * inverse);
            values += part;
            slopes += part * (z * inverse);
            q += 4.0;
        }
        double value = lanes_sum(values), slope = lanes_sum(slopes), run, run_slope;
        for (int64_t r = 0; r < counts->runs; r++) {
            run_sum(z, (double)counts->edges[r], (double)counts->edges[r + 1], &run, &run_slope);
            value += counts->run_longer[r] * run;
            slope += counts->run_longer[r] * run_slope;
        }
        out->value[i] = value;
        out->slope[i] = slope;
    }
    return TB_OK;
}

int32_t tb_look_up(const LengthTable *table, const LengthSums *out) {
    for (int64_t i = 0; i < out->size; i++) {
        Pair pair = look_up(table->coefficients, out->log_z[i]);
        out->value[i] = pair[0];
        out->slope[i] = pair[1];
    }
    return TB_OK;
}
