/*
 * Prints the bits of results that compiler flags such as -ffast-math change, or a host's floating-point environment, a
 * hash a line. It computes nothing itself. Where the environment is not as it was, a line says so.
 *
 *   numbers [THREADS [HOST]]        HOST: a number of tests/support/host_floats.h; -1: as the process began
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zerocast.h>

#include "tests/support/host_floats.h"

static const double special[] = {
    0.0,    -0.0,  1.0,       -1.0,           0.1,   1.0 / 3, -2.5, 2.5,  3.5,  0.5,    -0.5,       1e-39, -1e-310,
    5e-324, 1e300, -1e300,    2.2250738e-308, 700.0, -700.0,  1e-8, 7.0,  1e38, 3.4e38, 0.99999999, 1e17,  -1e-17,
    1e-45,  100.0, 1234567.0, -3.0,           6.5e4, 2049.0,  1e-5, 6e-8,
};
enum { SPECIAL = sizeof special / sizeof *special, WITH_LIMITS = SPECIAL + 4 };

static settings entered;

static void print_bytes(const char *name, const void *from, size_t count)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    const unsigned char *bytes = from;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    printf("%s: %016llx%s\n", name, (unsigned long long)hash, get() == entered ? "" : ", in another environment");
}

static void print(const char *name, const zc_tensor *t)
{
    zc_tensor *out = NULL;
    if (t == NULL || zc_materialize(t, &out) != ZC_OK) {
        printf("%s: none\n", name);
        return;
    }
    /* NaNs are equal, whatever their bits. */
    zc_tensor *plain = NULL, *is_same = zc_equal(out, out);
    if (zc_materialize(zc_where(is_same, out, zc_astype(zc_weak_int(zc_context_of(out), 77), zc_dtype_of(out))),
                       &plain) != ZC_OK) {
        printf("%s: none\n", name);
        return;
    }
    print_bytes(name, zc_data(plain), (size_t)zc_size(plain) * zc_dtype_bytes(zc_dtype_of(plain)));
    zc_release(plain);
    zc_release(out);
}

#define UNARY(name) print(#name, zc_##name(x))

static void print_functions(const zc_tensor *x)
{
    UNARY(isnan), UNARY(isinf), UNARY(isfinite), UNARY(signbit), UNARY(exp), UNARY(exp2), UNARY(expm1), UNARY(log);
    UNARY(log2), UNARY(log10), UNARY(log1p), UNARY(sin), UNARY(cos), UNARY(tan), UNARY(asin), UNARY(acos), UNARY(atan);
    UNARY(sinh), UNARY(cosh), UNARY(tanh), UNARY(asinh), UNARY(acosh), UNARY(atanh), UNARY(erf), UNARY(gelu);
    UNARY(gelu_tanh), UNARY(sigmoid), UNARY(silu), UNARY(softplus), UNARY(round), UNARY(floor), UNARY(ceil);
    UNARY(trunc), UNARY(sqrt), UNARY(rsqrt), UNARY(cbrt), UNARY(reciprocal), UNARY(sign), UNARY(abs), UNARY(negative);
    UNARY(square), UNARY(relu);
}

static void print_pairs(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *column = zc_expand_dims(x, 1);
    print("divide", zc_divide(x, column));
    print("pow", zc_pow(x, column));
    print("remainder", zc_remainder(x, column));
    print("floor_divide", zc_floor_divide(x, column));
    print("atan2", zc_atan2(x, column));
    print("hypot", zc_hypot(x, column));
    print("fma", zc_fma(x, column, x));
    print("a * b + c", zc_add(zc_multiply(x, column), x));
    print("maximum", zc_maximum(x, column));
    print("less", zc_less(x, column));
    zc_tensor *z = zc_complex(x, zc_flip(x, ZC_ALL_AXES)), *other = zc_expand_dims(z, 1);
    print("complex multiply", zc_real(zc_multiply(z, other)));
    print("complex divide", zc_imag(zc_divide(z, other)));
    print("complex exp", zc_real(zc_exp(z)));
    print("complex sqrt", zc_imag(zc_sqrt(z)));
    print("a third", zc_multiply(x, zc_weak_float(ctx, 1.0 / 3)));
    print("full", zc_full(ctx, ZC_SHAPE(2), ZC_FLOAT16, 0.1));
    print("float16", zc_astype(x, ZC_FLOAT16));
    print("int32", zc_astype(x, ZC_INT32));
}

static void print_sums(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *long_one = zc_divide(zc_astype(zc_iota(ctx, 100001), zc_dtype_of(x)), zc_weak_float(ctx, 7));
    print("sum", zc_sum(long_one, ZC_ALL_AXES, false));
    print("var", zc_var(long_one, ZC_ALL_AXES, 0.1, false));
    print("norm", zc_vector_norm(long_one, ZC_ALL_AXES, false, 3));
    print("softmax", zc_softmax(long_one, 0));
    print("cumulative_sum", zc_cumulative_sum(long_one, 0, false));
    print("vecdot", zc_vecdot(long_one, long_one, -1));
    print("outer", zc_outer(x, x));
    print("max", zc_max(x, ZC_ALL_AXES, false));
    print("wraps", zc_multiply(zc_iota(ctx, 5), zc_weak_int(ctx, INT64_MAX)));
    print("grad", zc_grad(zc_std(zc_exp2(zc_sin(long_one)), ZC_ALL_AXES, 0.3, false), long_one));
}

/* Calls that compute at once. */
static void print_sorted(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *halved = zc_multiply(x, zc_weak_float(ctx, 0.5)), *out[2] = {NULL};
    zc_tensor *tiny = zc_multiply(zc_astype(zc_iota(ctx, 30011), zc_dtype_of(x)), zc_weak_float(ctx, 1e-42));
    const double shares[] = {0, 1e-310, 0.1, 1. / 3, 1};
    zc_tensor *q = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(5), shares, sizeof shares);
    print("sort", zc_sort(x, 0, false, &out[0]) == ZC_OK ? out[0] : NULL);
    print("sort, computed", zc_sort(zc_flip(tiny, ZC_ALL_AXES), 0, false, &out[0]) == ZC_OK ? out[0] : NULL);
    print("argsort", zc_argsort(halved, 0, true, &out[0]) == ZC_OK ? out[0] : NULL);
    print("unique", zc_unique_counts(tiny, &out[0], &out[1]) == ZC_OK ? out[0] : NULL);
    print("nonzero", zc_nonzero(halved, &out[0]) == ZC_OK ? out[0] : NULL);
    print("quantile", zc_quantile(tiny, q, ZC_ALL_AXES, false, false, &out[0]) == ZC_OK ? out[0] : NULL);
    print("median", zc_median(halved, ZC_ALL_AXES, false, true, &out[0]) == ZC_OK ? out[0] : NULL);
}

/* Numbers as text, in the program and in files, and one by one. */
static void print_texts(zc_context *ctx, const zc_tensor *x)
{
    static const char *const endings[] = {"npy", "csv"};
    char path[64], *text = NULL;
    double item = 0, items[WITH_LIMITS] = {0};
    zc_tensor *made = zc_eval(ctx, "x * 0.7 + 1e-39 - 1 / 3", ZC_NAMED(x));
    print("eval", made);
    printf("%s\n", zc_text(made, &text) == ZC_OK ? text : "no text");
    zc_text_free(ctx, text);
    const bool has_item =
        zc_item(zc_sum(zc_multiply(zc_slice(x, 0, 0, 30, 1), zc_weak_float(ctx, 1e-39)), ZC_ALL_AXES, false), &item) ==
        ZC_OK;
    print_bytes(has_item ? "item" : "none: item", &item, sizeof item);
    const bool has_items = zc_copy_to(zc_multiply(zc_slice(x, 0, 0, 30, 1), zc_weak_float(ctx, 1e-39)), ZC_FLOAT64,
                                      items, 30 * sizeof *items) == ZC_OK;
    print_bytes(has_items ? "items" : "none: items", items, sizeof items);
    for (int i = 0; i < 2; i++) {
        (void)snprintf(path, sizeof path, "/tmp/zerocast-numbers-%ld.%s", (long)getpid(), endings[i]);
        const zc_tensor *wide = zc_astype(made, ZC_FLOAT64);
        print(endings[i], zc_save(wide, path) == ZC_OK ? zc_open(ctx, path) : NULL);
        (void)unlink(path);
    }
}

static bool stop(void *user, int64_t done, int64_t total)
{
    (void)user, (void)done, (void)total;
    return false;
}

/* Calls that end early leave the environment as it was. */
static void print_failures(zc_context *ctx, const zc_tensor *x)
{
    double item = 0;
    zc_tensor *out = NULL, *many = zc_exp(zc_divide(zc_iota(ctx, 1 << 19), zc_weak_float(ctx, 7)));
    zc_set_progress(ctx, stop, NULL);
    const zc_status stopped = zc_materialize(many, &out), no_sort = zc_sort(many, 0, false, &out);
    zc_set_progress(ctx, NULL, NULL);
    const zc_status beyond = zc_item(zc_take(x, zc_weak_int(ctx, 1000), 0), &item);
    const zc_status no_item = zc_item(x, &item);
    const bool no_full = zc_full(ctx, ZC_SHAPE(2), ZC_FLOAT16, 70000) == NULL;
    const bool no_eval = zc_eval(ctx, "x * 0.1 + 1e-39 * y", "x", ZC_TENSORS(x)) == NULL;
    const int failures[] = {(int)stopped, (int)no_sort, (int)beyond, (int)no_item, no_full, no_eval};
    print_bytes("failures", failures, sizeof failures);
    for (int i = 0; i < 6; i++)
        printf("%d%s", failures[i], i < 5 ? " " : "\n");
    zc_error_clear(ctx);
}

int main(int count, char **arguments)
{
    static const uint64_t limits[] = {UINT64_C(0x7ff0000000000000), UINT64_C(0xfff0000000000000),
                                      UINT64_C(0x7ff8000000000000), UINT64_C(0x0000000000000007)};
    const int host = count > 2 ? atoi(arguments[2]) : -1;
    entered = host >= 0 && host < HOSTS ? enter(&hosts[host]) : get();
    zc_context *ctx = zc_context_new(&(zc_options){.threads = count > 1 ? atoi(arguments[1]) : 0});
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *numbers = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(SPECIAL), special, sizeof special);
    zc_tensor *others = zc_bitcast(zc_from_data(ctx, ZC_UINT64, ZC_SHAPE(4), limits, sizeof limits), ZC_FLOAT64);
    zc_tensor *x = zc_concat(ctx, 2, (const zc_tensor *const[]){numbers, others}, 0);
    for (zc_dtype dtype = ZC_FLOAT32; dtype <= ZC_BFLOAT16; dtype++) {
        zc_tensor *as = zc_astype(x, dtype);
        printf("-- %s\n", zc_dtype_name(dtype));
        print_functions(as);
        print_pairs(ctx, as);
        print_sums(ctx, as);
        print_sorted(ctx, as);
        print_texts(ctx, as);
        print_failures(ctx, as);
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
    return 0;
}
