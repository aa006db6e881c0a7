/* The least exponents of log sums (docs/numerics.md): those below, and those that are NaN, count as them. */
#ifndef ZC_RUNTIME_OPS_LOG_SUMS_H
#define ZC_RUNTIME_OPS_LOG_SUMS_H

enum { ZC_LEAST_EXPONENT_FLOAT32 = -87, ZC_LEAST_EXPONENT_FLOAT64 = -708 };

#endif
