/* log Γ and related functions. They are our own: lgamma of libm writes to a global variable and differs by system. */
#ifndef TB_SPECIAL_H
#define TB_SPECIAL_H

#include <string.h>

#include "core.h"

#define PI 3.14159265358979323846

/* log x of four numbers above 0 that are not subnormal, to two units in the last place.
 *
 * With x = 2^e m, m between √½ and √2, and f = (m − 1)/(m + 1): log x = e log 2 + 2f(1 + f²/3 + f⁴/5 + …). */
TB_INLINE Lanes lanes_log(Lanes x) {
    LaneMask bits;
    memcpy(&bits, &x, sizeof bits);
    LaneMask exponent = (bits >> 52) | 0x4330000000000000, fraction = (bits & 0xFFFFFFFFFFFFF) | 0x3FF0000000000000;
    Lanes e, m;
    memcpy(&e, &exponent, sizeof e); /* 2^52 plus the biased exponent */
    memcpy(&m, &fraction, sizeof m);
    e -= 0x1p52 + 1023;
    LaneMask above = m > 1.4142135623730951;
    m = lanes_where(above, m * 0.5, m);
    e = lanes_where(above, e + 1, e);
    Lanes f = (m - 1) / (m + 1), s = f * f, series = lanes_of(1.0 / 21);
    series = series * s + 1.0 / 19;
    series = series * s + 1.0 / 17;
    series = series * s + 1.0 / 15;
    series = series * s + 1.0 / 13;
    series = series * s + 1.0 / 11;
    series = series * s + 1.0 / 9;
    series = series * s + 1.0 / 7;
    series = series * s + 1.0 / 5;
    series = series * s + 1.0 / 3;
    /* log 2 in two parts; e times the first part is exact */
    return e * 0x1.62e42fefa3800p-1 + (2 * f + (2 * f * s * series + e * 0x1.ef35793c76730p-45));
}

/* log(1 + x) of four finite numbers x ≥ 0, corrected for the rounding of 1 + x. */
TB_INLINE Lanes lanes_log1p(Lanes x) {
    Lanes u = 1 + x;
    return lanes_log(u) - ((u - 1) - x) / u;
}

/* e^x of four numbers x ≤ 709; 0 below −708. */
TB_INLINE Lanes lanes_exp(Lanes x) {
    Lanes clipped = lanes_where(x > -708, x, lanes_of(-708.0));
    Lanes shifted = clipped * 1.4426950408889634 + 0x1.8p52, n = shifted - 0x1.8p52; /* the nearest integer */
    Lanes r = (clipped - n * 0x1.62e42fefa3800p-1) - n * 0x1.ef35793c76730p-45, series = lanes_of(1.0 / 6227020800);
    series = series * r + 1.0 / 479001600;
    series = series * r + 1.0 / 39916800;
    series = series * r + 1.0 / 3628800;
    series = series * r + 1.0 / 362880;
    series = series * r + 1.0 / 40320;
    series = series * r + 1.0 / 5040;
    series = series * r + 1.0 / 720;
    series = series * r + 1.0 / 120;
    series = series * r + 1.0 / 24;
    series = series * r + 1.0 / 6;
    series = series * r + 1.0 / 2;
    series = series * r * r + r + 1;
    LaneMask bits;
    Lanes power;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 1023) << 52; /* the low bits of `shifted` are n */
    memcpy(&power, &bits, sizeof power);
    return lanes_where(x > -708, series * power, lanes_of(0.0));
}

/* log(1 + x) for x ≥ 0, by its series if that is short. */
TB_INLINE double log1p_of(double x) {
    if (x > 1e-3) return log1p(x);
    return x * (1 - x * (1.0 / 2 - x * (1.0 / 3 - x * (1.0 / 4 - x * (1.0 / 5)))));
}

/* log Γ(x) − [(x − ½) log x − x + ½ log 2π] for x ≥ 12, to rounding: the Stirling series. */
TB_INLINE double stirling_remainder(double x) {
    double y = 1 / (x * x);
    double series = 1.0 / 156;
    series = -691.0 / 360360 + y * series;
    series = 1.0 / 1188 + y * series;
    series = -1.0 / 1680 + y * series;
    series = 1.0 / 1260 + y * series;
    series = -1.0 / 360 + y * series;
    return (1.0 / 12 + y * series) / x;
}

/* log Γ(x) for x > 0. Below 12 by Γ(x) = Γ(x + m)/(x (x + 1) … (x + m − 1)). */
TB_INLINE double log_gamma(double x) {
    double product = 1.0;
    if (!(x > 0)) return NAN;
    if (x == 1.0 || x == 2.0) return 0.0;
    while (x < 12) {
        product *= x;
        x += 1;
    }
    double value = (x - 0.5) * log(x) - x + 0.91893853320467274178 + stirling_remainder(x);
    return product == 1.0 ? value : value - log(product);
}

TB_INLINE double log_choose(double n, double k) {
    return log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1);
}

#endif
