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

/* Element i of t, computed; of a complex one the real part. NaN, with the error in the context, when that failed. */
double value_at(const zc_tensor *t, int64_t i);
int64_t integer_at(const zc_tensor *t, int64_t i);

/* Assigns, which has to be done; tells whether that wrote into the tensor that there was. */
bool writes_at_once(zc_tensor **x, const zc_tensor *places, const zc_tensor *values);

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

/* Makes 0, 1 ... size-1 of that dtype in memory, which nothing but the caller's reference leads to. */
zc_tensor *numbers_in_memory(bench b, zc_dtype dtype, int64_t size);

/* 0, 1, 2 ... of that shape. */
zc_tensor *count_to(bench b, int rank, const int64_t *shape);

/* The sum over all axes. */
zc_tensor *sum_of_all(const zc_tensor *t);

/* The result of zc_materialize(), which has to succeed. */
zc_tensor *result_of(const zc_tensor *t);

/* ---- What is expected of a result ---- */

/* The elements of t are these. */
#define EXPECT(t, ...)                                                                                                 \
    expect_values(t, sizeof((const double[]){__VA_ARGS__}) / sizeof(double), (const double[]){__VA_ARGS__})

void expect_values(const zc_tensor *t, size_t count, const double *wanted);
void expect_shape(const zc_tensor *t, int rank, const int64_t *shape);

/* Nothing came, for that reason. */
void expect_refused(bench b, const zc_tensor *t, zc_status status, const char *sentence);

/* Cost of computing t. */
zc_cost cost_of(const zc_tensor *t);

/* ---- Lists ---- */

#define TENSORS(...)                                                                                                   \
    (int)(sizeof((const zc_tensor *const[]){__VA_ARGS__}) / sizeof(zc_tensor *)), (const zc_tensor *const[])           \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define LENGTHS(...) ((const int64_t[]){__VA_ARGS__})

#endif
