/*
 * Powers of blocks where no special case is needed (is_near_power_DTYPE), in passes.
 *
 * The operations of one power wait for each other, and the processor does not look far enough ahead to fill the time
 * with other elements. Passes are shorter, so there it does. They give the bits of pow_DTYPE, whose parts they are.
 */
#ifndef ZC_MATERIALIZE_KERNELS_TEMPLATES_NEAR_POWERS_H
#define ZC_MATERIALIZE_KERNELS_TEMPLATES_NEAR_POWERS_H

#include "materialize/kernels/templates/emit.h"
#include "runtime/ops/elements.h"

enum { POWER_BLOCK = 512 };

static ZC_FLATTENED void map_near_powers_float64(double *to, const double *x, const double *y, int64_t n)
{
    double k[POWER_BLOCK], high[POWER_BLOCK], low[POWER_BLOCK];
    ZC_PARALLEL
    for (int64_t i = 0; i < n; i++) {
        const pair twice = twice_long_quotient(near_split_exponent(x[i], &k[i]) - 1.0);
        high[i] = twice.high;
        low[i] = twice.low;
    }
    ZC_PARALLEL
    for (int64_t i = 0; i < n; i++) {
        const pair log_x = log_of_long_quotient(k[i], (pair){high[i], low[i]});
        high[i] = log_x.high;
        low[i] = log_x.low;
    }
    ZC_PARALLEL
    for (int64_t i = 0; i < n; i++)
        to[i] = power_of_log((pair){high[i], low[i]}, y[i]);
}

static ZC_FLATTENED void map_near_powers_float32(float *to, const float *x, const float *y, int64_t n)
{
    double exponent[POWER_BLOCK];
    ZC_PARALLEL
    for (int64_t i = 0; i < n; i++) {
        double k, f = near_split_exponent((double)x[i], &k) - 1.0;
        exponent[i] = exponent_short(k, f, (double)y[i]);
    }
    ZC_PARALLEL
    for (int64_t i = 0; i < n; i++)
        to[i] = (float)power_short(exponent[i]);
}

#endif
