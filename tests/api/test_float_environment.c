/*
 * The host's floating-point environment: results have the bits of the default one whatever the host has set, in every
 * thread and by both executors, and the host finds its own settings and flags again.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/api/values.h"
#include "tests/support/host_floats.h"
#include "tests/support/random.h"

/* ---- What is computed ---- */

enum { MOST = 350, ROOM = 56 << 20 };

/* The bytes of the results, one after the other, and where each ends. */
typedef struct results {
    int count, n; /* elements of an operand */
    size_t end[MOST];
    bool failed;
    char why[256];
    char bytes[ROOM];
} results;

static void keep(results *r, const void *from, size_t bytes)
{
    const size_t used = r->count > 0 ? r->end[r->count - 1] : 0;
    if (r->count == MOST || used + bytes > ROOM) {
        r->failed = true;
        return;
    }
    memcpy(r->bytes + used, from, bytes);
    r->end[r->count++] = used + bytes;
}

static void keep_tensor(results *r, zc_tensor *t)
{
    zc_tensor *out = NULL;
    if (t == NULL || zc_materialize(t, &out) != ZC_OK) {
        r->failed = true;
        return;
    }
    keep(r, zc_data(out), (size_t)zc_size(out) * zc_dtype_bytes(zc_dtype_of(out)));
    zc_release(out);
}

/* Fractions of all sizes, many of them subnormal: from their bits, so that nothing is computed here. */
static zc_tensor *fractions(zc_context *ctx, zc_dtype dtype, int n)
{
    const bool is_double = dtype == ZC_FLOAT64;
    zc_tensor *i = zc_multiply(zc_iota(ctx, n), zc_weak_int(ctx, 2654435761));
    zc_tensor *bits = zc_astype(i, is_double ? ZC_UINT64 : ZC_UINT32);
    if (is_double)
        bits = zc_multiply(bits, zc_constant(ctx, ZC_UINT64, &(uint64_t){UINT64_C(0x9e3779b97f4a7c15)}));
    const uint64_t wide = UINT64_C(0x800fffffffffffff), ordinary = UINT64_C(0x3fb0000000000000);
    const uint32_t narrow = 0x807fffff, usual = 0x3d800000;
    const zc_dtype unsigned_dtype = is_double ? ZC_UINT64 : ZC_UINT32;
    zc_tensor *small =
        zc_bitwise_and(bits, zc_constant(ctx, unsigned_dtype, is_double ? (void *)&wide : (void *)&narrow));
    zc_tensor *large =
        zc_bitwise_or(small, zc_constant(ctx, unsigned_dtype, is_double ? (void *)&ordinary : (void *)&usual));
    zc_tensor *is_small = zc_equal(zc_remainder(zc_iota(ctx, n), zc_weak_int(ctx, 3)), zc_weak_int(ctx, 0));
    zc_tensor *out = NULL;
    return zc_materialize(zc_bitcast(zc_where(is_small, small, large), dtype), &out) == ZC_OK ? out : NULL;
}

static void compute_elementwise(results *r, zc_context *ctx, const zc_tensor *x)
{
    static zc_tensor *(*const functions[])(const zc_tensor *) = {
        zc_exp,  zc_exp2,  zc_expm1, zc_sin,     zc_cos,      zc_tan,    zc_atan,      zc_sinh,
        zc_tanh, zc_erf,   zc_gelu,  zc_sigmoid, zc_sqrt,     zc_log,    zc_log1p,     zc_cbrt,
        zc_silu, zc_round, zc_ceil,  zc_sign,    zc_isfinite, zc_square, zc_reciprocal};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        keep_tensor(r, functions[i](x));
    const double numbers[] = {0.5, 1e-39, 0.7, 1e-310, 1. / 3};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        keep_tensor(r, zc_multiply(x, zc_weak_float(ctx, numbers[i])));
        keep_tensor(r, zc_add(x, zc_weak_float(ctx, numbers[i])));
        keep_tensor(r, zc_full(ctx, ZC_SHAPE(3), zc_dtype_of(x), numbers[i]));
        keep_tensor(r, zc_full(ctx, ZC_SHAPE(3), ZC_FLOAT16, numbers[i]));
        keep_tensor(r, zc_arange(ctx, numbers[i], 1, 0.1, zc_dtype_of(x)));
        keep_tensor(r, zc_linspace(ctx, -0.7, numbers[i], 7, true, zc_dtype_of(x)));
    }
    keep_tensor(r, zc_divide(zc_iota(ctx, r->n), zc_weak_int(ctx, 7)));
    keep_tensor(r, zc_pow(x, x));
    keep_tensor(r, zc_hypot(x, x));
    keep_tensor(r, zc_fma(x, x, x));
    keep_tensor(r, zc_greater(x, zc_weak_int(ctx, 0)));
    keep_tensor(r, zc_logical_not(x));
    for (zc_dtype dtype = ZC_BOOL; dtype <= ZC_COMPLEX128; dtype++)
        keep_tensor(r, zc_astype(zc_multiply(x, zc_weak_float(ctx, 100)), dtype));
    zc_tensor *z = zc_complex(x, zc_flip(x, ZC_ALL_AXES));
    keep_tensor(r, zc_multiply(z, z));
    keep_tensor(r, zc_divide(z, zc_weak_complex(ctx, 0.1, 1e-39)));
    keep_tensor(r, zc_abs(z));
}

static void compute_sums(results *r, zc_context *ctx, const zc_tensor *x)
{
    const zc_tensor *matrix = zc_reshape(x, ZC_SHAPE(100, r->n / 100));
    keep_tensor(r, zc_sum(x, ZC_ALL_AXES, false));
    keep_tensor(r, zc_mean(matrix, ZC_AXES(0), false));
    keep_tensor(r, zc_mean(matrix, ZC_AXES(1), false));
    keep_tensor(r, zc_prod(matrix, ZC_AXES(1), false));
    keep_tensor(r, zc_max(matrix, ZC_AXES(1), false));
    keep_tensor(r, zc_argmin(matrix, ZC_AXES(0), false));
    keep_tensor(r, zc_any(matrix, ZC_AXES(1), false));
    keep_tensor(r, zc_count_nonzero(x, ZC_ALL_AXES, false));
    keep_tensor(r, zc_var(matrix, ZC_AXES(1), 0.1, false));
    keep_tensor(r, zc_std(matrix, ZC_AXES(0), 1. / 3, false));
    keep_tensor(r, zc_vector_norm(matrix, ZC_AXES(1), false, 3));
    keep_tensor(r, zc_vector_norm(matrix, ZC_AXES(1), false, 1e-310));
    keep_tensor(r, zc_logsumexp(matrix, ZC_AXES(1), false));
    keep_tensor(r, zc_softmax(matrix, 0));
    keep_tensor(r, zc_cumulative_sum(matrix, 1, false));
    keep_tensor(r, zc_cumulative_prod(matrix, 0, true));
    keep_tensor(r, zc_matmul(matrix, zc_matrix_transpose(matrix)));
    keep_tensor(r, zc_matmul(zc_astype(matrix, ZC_FLOAT16), zc_astype(zc_matrix_transpose(matrix), ZC_FLOAT16)));
    keep_tensor(r, zc_grad(zc_mean(zc_gelu_tanh(zc_log2(zc_abs(x))), ZC_ALL_AXES, false), x));
    keep_tensor(r, zc_grad(zc_std(zc_exp2(x), ZC_ALL_AXES, 0.3, false), x));
    double into[3] = {0};
    r->failed |=
        zc_materialize_into(zc_sum(matrix, ZC_ALL_AXES, false), into, zc_dtype_bytes(zc_dtype_of(x)), NULL, 0) != ZC_OK;
    keep(r, into, sizeof into);
    (void)ctx;
}

static void keep_results(results *r, zc_status status, int count, zc_tensor **out)
{
    r->failed |= status != ZC_OK;
    for (int i = 0; status == ZC_OK && i < count; i++) {
        keep_tensor(r, out[i]);
        zc_release(out[i]);
    }
}

/* Calls that compute at once. */
static void compute_eagerly(results *r, zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *out[4] = {NULL}, *halved = zc_multiply(x, zc_weak_float(ctx, 0.5));
    keep_results(r, zc_sort(halved, 0, false, &out[0]), 1, out);
    keep_results(r, zc_argsort(halved, 0, true, &out[0]), 1, out);
    keep_results(r, zc_sort(x, 0, false, &out[0]), 1, out);
    keep_results(r, zc_top_k(x, 100, 0, false, &out[0], &out[1]), 2, out);
    keep_results(r, zc_unique_all(x, &out[0], &out[1], &out[2], &out[3]), 4, out);
    keep_results(r, zc_unique_counts(zc_astype(x, ZC_FLOAT16), &out[0], &out[1]), 2, out);
    keep_results(r, zc_nonzero(x, out), 1, out);
    zc_tensor *sorted = NULL;
    r->failed |= zc_sort(x, 0, false, &sorted) != ZC_OK;
    keep_results(r, zc_searchsorted(sorted, x, false, NULL, &out[0]), 1, out);
    zc_release(sorted);
    const double shares[] = {0, 1e-310, 0.1, 1. / 3, 1};
    zc_tensor *q = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(5), shares, sizeof shares);
    keep_results(r, zc_quantile(x, q, ZC_ALL_AXES, false, false, &out[0]), 1, out);
    keep_results(r, zc_median(halved, ZC_ALL_AXES, true, true, &out[0]), 1, out);
}

static void keep_text(results *r, zc_context *ctx, zc_status status, char **text)
{
    r->failed |= status != ZC_OK;
    if (*text != NULL)
        keep(r, *text, strlen(*text));
    zc_text_free(ctx, *text);
}

/* Numbers that are written as text, in the program and in files, and that are read one by one. */
static void compute_texts(results *r, zc_context *ctx, const zc_tensor *x)
{
    static const char *const endings[] = {"npy", "csv", "safetensors"};
    zc_tensor *halved = zc_multiply(x, zc_weak_float(ctx, 0.5));
    char path[64], *text = NULL;
    double items[4] = {0};
    zc_tensor *sum = zc_add(zc_full(ctx, ZC_SHAPE(3), ZC_FLOAT64, 0.1), zc_astype(zc_iota(ctx, 3), ZC_FLOAT64));
    keep_text(r, ctx, zc_explain(sum, ZC_JSON, &text), &text);
    keep_text(r, ctx, zc_text(x, &text), &text);
    keep_text(r, ctx, zc_text(zc_slice(x, 0, 0, 40, 1), &text), &text);
    keep_tensor(r, zc_eval(ctx, "x * 0.7 + 1e-39 - 1 / 3", ZC_NAMED(x)));
    zc_tensor *three = zc_slice(halved, 0, 0, 3, 1);
    r->failed |= zc_item(zc_sum(three, ZC_ALL_AXES, false), &items[0]) != ZC_OK ||
                 zc_copy_to(three, ZC_FLOAT64, items + 1, 3 * sizeof *items) != ZC_OK;
    keep(r, items, sizeof items);
    for (int i = 0; i < 3; i++) {
        (void)snprintf(path, sizeof path, "float_environment-%ld.%s", (long)getpid(), endings[i]);
        r->failed |= zc_save(zc_slice(halved, 0, 0, 200, 1), path) != ZC_OK;
        keep_tensor(r, zc_open(ctx, path));
        (void)unlink(path);
    }
}

static bool stop(void *user, int64_t done, int64_t total)
{
    (void)user, (void)done, (void)total;
    return false;
}

/* Calls that end early, whose host's settings and flags are compared as those of all. */
static void fail_often(results *r, zc_context *ctx, const zc_tensor *x)
{
    double item = 0;
    zc_tensor *out = NULL, *many = zc_exp(zc_divide(zc_iota(ctx, 1 << 18), zc_weak_float(ctx, 7)));
    zc_set_progress(ctx, stop, NULL);
    r->failed |= zc_materialize(many, &out) != ZC_CANCELLED || zc_sort(many, 0, false, &out) != ZC_CANCELLED;
    zc_set_progress(ctx, NULL, NULL);
    r->failed |= zc_item(zc_take(x, zc_weak_int(ctx, r->n), 0), &item) != ZC_ERROR_INDEX ||
                 zc_item(x, &item) == ZC_OK || zc_full(ctx, ZC_SHAPE(2), ZC_FLOAT16, 70000) != NULL ||
                 zc_eval(ctx, "x * 0.1 + 1e-39 * y", ZC_NAMED(x)) != NULL;
    zc_error_clear(ctx);
}

static void compute(results *r, zc_options options)
{
    r->n = options.executor == ZC_EXECUTOR_REFERENCE ? 1000 : 40000;
    r->count = 0;
    r->failed = false;
    zc_context *ctx = zc_context_new(&options);
    zc_scope *scope = zc_scope_begin(ctx);
    for (zc_dtype dtype = ZC_FLOAT32; dtype <= ZC_FLOAT64; dtype++) {
        zc_tensor *x = fractions(ctx, dtype, r->n);
        compute_elementwise(r, ctx, x);
        compute_sums(r, ctx, x);
        compute_eagerly(r, ctx, x);
        compute_texts(r, ctx, x);
        fail_often(r, ctx, x);
        zc_release(x);
    }
    (void)snprintf(r->why, sizeof r->why, "%d results: %s", r->count, zc_error_text(ctx));
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* ---- The tests ---- */

/* The first result that differs, or -1. */
static int find_difference(const results *a, const results *b)
{
    for (int i = 0; i < a->count; i++) {
        const size_t first = i > 0 ? a->end[i - 1] : 0;
        if (i >= b->count || a->end[i] != b->end[i] ||
            memcmp(a->bytes + first, b->bytes + first, a->end[i] - first) != 0)
            return i;
    }
    return a->count == b->count ? -1 : a->count;
}

static void compare_hosts(zc_options options)
{
    static results usual, other;
    leave();
    compute(&usual, options);
    cr_assert_not(usual.failed, "%s", usual.why);
    for (int h = 0; h < HOSTS; h += zc_test_long_step(3)) {
        const settings before = enter(&hosts[h]);
        compute(&other, options);
        const settings after = get();
        leave();
        cr_expect_eq(before, after, "%s: the host's settings or flags are others", hosts[h].name);
        const int at = other.failed ? 0 : find_difference(&usual, &other);
        cr_expect_eq(at, -1, "%s, %d threads: result %d differs", hosts[h].name, options.threads, at);
    }
}

Test(float_environment, of_the_host_changes_no_bits)
{
    zc_skip_of_one_thread();
    compare_hosts((zc_options){.threads = 1});
}

Test(float_environment, of_the_host_changes_no_bits_in_two_threads)
{
    compare_hosts((zc_options){.threads = 2});
}

/* All numbers of threads between, in the long run: tests/install/mixtures.sh. */
Test(float_environment, of_the_host_changes_no_bits_in_seven_threads)
{
    compare_hosts((zc_options){.threads = 7});
}

Test(float_environment, of_the_host_changes_no_bits_of_the_reference)
{
    zc_skip_of_one_thread();
    compare_hosts((zc_options){.threads = 2, .executor = ZC_EXECUTOR_REFERENCE});
}

/* Threads that were begun in one environment serve calls from another. */
Test(float_environment, of_threads_is_theirs)
{
    for (int first = 0; first < HOSTS; first++) {
        for (int then = 0; then < HOSTS; then++) {
            zc_options options = {.threads = 3};
            zc_context *ctx = zc_context_new(&options);
            zc_tensor *tiny = zc_constant(ctx, ZC_FLOAT64, &(double){3e-310}),
                      *x = zc_broadcast_to(tiny, ZC_SHAPE(1 << 18));
            zc_tensor *held = NULL, *wanted = zc_constant(ctx, ZC_FLOAT64, &(double){1e-310}), *out = NULL;
            zc_tensor *third = zc_weak_float(ctx, 3), *copy = zc_copy(x), *share = NULL, *same = NULL;
            (void)enter(&hosts[first]);
            zc_status status = zc_materialize(copy, &held);
            (void)enter(&hosts[then]);
            share = zc_divide(held, third);
            same = zc_equal(share, wanted);
            zc_tensor *all = zc_all(same, ZC_ALL_AXES, false);
            status = status == ZC_OK ? zc_materialize(all, &out) : status;
            leave();
            cr_assert_eq(status, ZC_OK);
            cr_expect(*(const uint8_t *)zc_data(out) != 0, "%s, then %s", hosts[first].name, hosts[then].name);
            zc_tensor *const ended[] = {tiny, x, held, wanted, out, third, copy, share, same, all};
            for (size_t i = 0; i < sizeof ended / sizeof *ended; i++)
                zc_release(ended[i]);
            zc_context_free(ctx);
        }
    }
}

static bool round_upward(void *user, int64_t done, int64_t total)
{
    (void)done, (void)total;
    ++*(int *)user;
    return fesetround(FE_UPWARD) == 0;
}

/* The host's environment comes back where a function of the host's that the call runs has set another one: what x86
 * rounds vectors by, and what it rounds the x87 by, which fegetround() tells. */
Test(float_environment, of_a_callback_ends_with_the_call)
{
    int calls = 0;
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    zc_set_progress(ctx, round_upward, &calls);
    zc_tensor *ones = zc_broadcast_to(zc_weak_float(ctx, 1), ZC_SHAPE(1 << 20)), *out = NULL;
    const settings before = get();
    cr_assert_eq(fegetround(), FE_TONEAREST);
    cr_expect_eq(zc_materialize(zc_exp(ones), &out), ZC_OK);
    const int rounding = fegetround();
    const settings after = get();
    (void)fesetround(FE_TONEAREST);
    cr_expect_gt(calls, 0);
    cr_expect_eq(rounding, FE_TONEAREST);
    cr_expect_eq(after, before);
    zc_scope_end(scope);
    zc_context_free(ctx);
}
