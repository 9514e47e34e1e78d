/* log Γ and its kin. Our own: libm's lgamma writes to a global variable, and differs from one system to the next. */
#ifndef TB_SPECIAL_H
#define TB_SPECIAL_H

#include "core.h"

static const double PI = 3.14159265358979323846;

/* log Γ(x) − [(x − ½) log x − x + ½ log 2π] for x ≥ 12, to rounding: Bernoulli's series. */
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
