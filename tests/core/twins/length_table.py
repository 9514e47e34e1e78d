"""The computations of core/length_table.c in plain Python."""

from __future__ import annotations

import math

DEGREE = 10  # of the polynomial on each panel
WIDTH = 0.5  # of a panel, in log z
LOWEST = math.log(1e-12)
PANELS = 130  # up to log z = 37.4; above, and below LOWEST, the limits are used

# K is analytic in log z where |Im log z| < π, so a polynomial of degree 10 on a panel of width ½ has an error below
# (π/¼ + …)^−11 ≈ 1e-15 of it.


def length_sums(t_values, longer, starts, ends, run_longer, out):
    """K(z) = Σ_k C_k k/(z + k) and z Σ_k C_k k/(z + k)² = −dK/d log z, at each log z.

    C_k (`longer`) is given one by one for small k. For larger k it is constant between the distinct lengths, and each
    such run [start, end) is summed by the Euler–Maclaurin formula.
    """
    for i in range(t_values.size):
        z = math.exp(t_values[i])
        value = slope = 0.0
        for k in range(longer.size - 1, 0, -1):
            share = k / (z + k)
            value += longer[k] * share
            slope += longer[k] * share * (z / (z + k))
        for r in range(starts.size):
            a, b = float(starts[r]), float(ends[r])
            at_a, at_b = 1 / (z + a), 1 / (z + b)
            w = (b - a) * at_a
            log_ratio = math.log1p(w)
            shortfall = _log1p_shortfall(w, log_ratio)
            run = shortfall / at_a + a * log_ratio + 0.5 * (a * at_a - b * at_b)
            run += z * ((at_b**2 - at_a**2) / 12 - (at_b**4 - at_a**4) / 120 + (at_b**6 - at_a**6) / 252)
            # of the slope: ∫ zk/(z+k)² dk = z [log(z+k) + z/(z+k)], rearranged so that nothing cancels
            integral = z * (w * b * at_b - shortfall)
            ends_half = 0.5 * z * (a * at_a**2 - b * at_b**2)
            first = z * ((z - b) * at_b**3 - (z - a) * at_a**3) / 12
            third = z * ((18 * z - 6 * b) * at_b**5 - (18 * z - 6 * a) * at_a**5) / 720
            value += run_longer[r] * run
            slope += run_longer[r] * (integral + ends_half + first - third)
        out[i, 0] = value
        out[i, 1] = slope


def _log1p_shortfall(w, log1p_w):
    """w − log(1 + w), by its series if the difference would cancel."""
    if w > 0.05:
        return w - log1p_w
    term, total, sign = w * w, 0.0, 1.0
    for m in range(2, 16):
        total += sign * term / m
        term *= w
        sign = -sign
    return total


def look_up(table, t):
    """(K(z), −dK/d log z) at log z = t, from the polynomials of the table."""
    position = (t - LOWEST) / WIDTH
    if position < 0:  # K is flat, and its slope falls with z
        panel, u, shrink_value, shrink_slope = 0, -1.0, 1.0, math.exp(t - LOWEST)
    elif position >= PANELS:  # both fall with 1/z
        panel, u = PANELS - 1, 1.0
        shrink_value = shrink_slope = math.exp(LOWEST + PANELS * WIDTH - t)
    else:
        panel = int(position)
        u = 2 * (position - panel) - 1
        shrink_value = shrink_slope = 1.0
    value = slope = 0.0
    for k in range(DEGREE, -1, -1):
        value = value * u + table[panel, k, 0]
        slope = slope * u + table[panel, k, 1]
    return value * shrink_value, slope * shrink_slope
