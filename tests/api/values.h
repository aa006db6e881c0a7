/*
 * Values in and out of tensors, for tests of the public interface: as doubles, or as int64 where those do not suffice.
 */
#ifndef ZC_TESTS_API_VALUES_H
#define ZC_TESTS_API_VALUES_H

#include "tests/support/zc_test.h"
#include "zerocast.h"

/* A tensor of rank 1 and that dtype from a list of doubles. */
#define OF(ctx, dtype, ...)                                                                                            \
    values_of(ctx, dtype, sizeof((const double[]){__VA_ARGS__}) / sizeof(double), (const double[]){__VA_ARGS__})

/* Element i of t, computed. NaN, with the error in the context, when that failed. */
double value_at(const zc_tensor *t, int64_t i);
int64_t integer_at(const zc_tensor *t, int64_t i);

zc_tensor *values_of(zc_context *ctx, zc_dtype dtype, size_t count, const double *values);

/* A context and a scope for one test; end with finish(). */
typedef struct bench {
    zc_context *ctx;
    zc_scope *scope;
} bench;

bench begin(void);
bench begin_with(zc_options options);

/* Ends both; nothing may be left. */
void finish(bench b);

#endif
