/*
 * Memory lies on huge pages where the system gives them, and is written before anything is timed. Inputs are made in
 * float64 and converted by the library: peers are handed the same bytes, so nothing rests on how it converts them.
 */
#include "bench/work.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE_BYTES = 1 << 21, PIECE = 1 << 14 };

static void *allocate(size_t bytes)
{
    size_t rounded = (bytes + HUGE_PAGE_BYTES) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    void *memory = aligned_alloc(HUGE_PAGE_BYTES, rounded);
    if (memory != NULL) {
        (void)madvise(memory, rounded, MADV_HUGEPAGE);
        memset(memory, 0, rounded);
    }
    return memory;
}

/* ---- Inputs ---- */

/* Any number from 0 to 1: the index, mixed. */
static double any(uint64_t i)
{
    i *= UINT64_C(0x9e3779b97f4a7c15);
    i = (i ^ i >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return (double)((i ^ i >> 32) >> 40) * 0x1p-24;
}

static bool is_integer(zc_dtype dtype)
{
    return dtype >= ZC_INT8 && dtype <= ZC_UINT64;
}

static bool is_complex(zc_dtype dtype)
{
    return dtype == ZC_COMPLEX64 || dtype == ZC_COMPLEX128;
}

/* Complex numbers are filled and compared as twice as many parts. */
static zc_dtype part_of(zc_dtype dtype)
{
    return dtype == ZC_COMPLEX64 ? ZC_FLOAT32 : dtype == ZC_COMPLEX128 ? ZC_FLOAT64 : dtype;
}

/* An element of the dtype from a number between 0 and 1; `below` is taken off floats. */
static double element(zc_dtype dtype, double number, double below, int64_t range)
{
    if (dtype == ZC_BOOL)
        return range == 1 || number >= 0.5;
    if (is_integer(dtype))
        return floor(number * (double)range) - (dtype == ZC_INT8 && range > 128 ? 128 : 0);
    return number - below;
}

/* In pieces, converted by the library, from float64 to the dtype or back. */
static bool convert(const void *from, zc_dtype source, void *to, zc_dtype target, int64_t n, zc_context *ctx)
{
    size_t bytes = (size_t)n * zc_dtype_bytes(source);
    zc_tensor *t = zc_import(ctx, source, 1, &n, NULL, 0, from, bytes, NULL, NULL);
    zc_tensor *converted = zc_astype(t, target);
    bool ok = zc_materialize_into(converted, to, (size_t)n * zc_dtype_bytes(target), NULL, 0) == ZC_OK;
    zc_release(converted);
    zc_release(t);
    return ok;
}

static bool fill(void *memory, zc_dtype dtype, int64_t n, uint64_t first, double below, int64_t range)
{
    zc_dtype part = part_of(dtype);
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    bool ok = ctx != NULL;
    n *= is_complex(dtype) ? 2 : 1;
    for (int64_t i = 0; ok && i < n; i += PIECE) {
        double piece[PIECE];
        int64_t count = n - i < PIECE ? n - i : PIECE;
        for (int64_t k = 0; k < count; k++)
            piece[k] = element(dtype, any(first + (uint64_t)(i + k)), below, range);
        ok = convert(piece, ZC_FLOAT64, (char *)memory + (size_t)i * zc_dtype_bytes(part), part, count, ctx);
    }
    zc_context_free(ctx);
    return ok;
}

static zc_dtype dtype_named(const char *name, zc_dtype otherwise)
{
    zc_dtype dtype = otherwise;
    if (name != NULL)
        (void)zc_dtype_from_name(name, &dtype);
    return dtype;
}

static int64_t range_of(const bench_case *c, zc_dtype dtype, int64_t n)
{
    if (c->range != 0)
        return c->range;
    return zc_dtype_bytes(dtype) == 1 ? 256 : n;
}

bool bench_make_work(bench_work *w, const bench_case *c, int64_t n)
{
    *w = (bench_work){.n = n,
                      .end = n,
                      .y_count = n * (c->y_times != 0 ? c->y_times : 1),
                      .results = c->results != NULL ? c->results(n) : n,
                      .parameter_count = PARAMETERS + 2 * (n / bench_columns(n))};
    w->x_dtype = dtype_named(c->dtype, ZC_FLOAT32);
    w->y_dtype = dtype_named(c->y_dtype, w->x_dtype);
    w->dtype = dtype_named(c->result, w->x_dtype);
    w->room = (size_t)(w->results > n ? w->results : n) * zc_dtype_bytes(w->dtype);
    w->x = allocate((size_t)n * zc_dtype_bytes(w->x_dtype));
    w->y = allocate((size_t)w->y_count * zc_dtype_bytes(w->y_dtype));
    w->parameters = allocate((size_t)w->parameter_count * sizeof(float));
    w->ours = allocate(w->room);
    w->by_hand = allocate(w->room);
    return w->x != NULL && w->y != NULL && w->parameters != NULL && w->ours != NULL && w->by_hand != NULL &&
           fill(w->x, w->x_dtype, n, 0, 0.25, range_of(c, w->x_dtype, n)) &&
           fill(w->y, w->y_dtype, w->y_count, (uint64_t)n, 0.5, range_of(c, w->y_dtype, n)) &&
           fill(w->parameters, ZC_FLOAT32, w->parameter_count, UINT64_C(1) << 40, 0, 0);
}

void bench_free_work(bench_work *w)
{
    free(w->x);
    free(w->y);
    free(w->parameters);
    free(w->ours);
    free(w->by_hand);
}

static zc_tensor *imported(zc_context *ctx, zc_dtype dtype, int64_t n, const void *memory)
{
    return zc_import(ctx, dtype, 1, &n, NULL, 0, memory, (size_t)n * zc_dtype_bytes(dtype), NULL, NULL);
}

bool bench_make_side(bench_side *side, zc_context *ctx, const bench_work *w, int64_t n)
{
    *side = (bench_side){.ctx = ctx};
    if (ctx == NULL)
        return false;
    side->x = imported(ctx, w->x_dtype, n, w->x);
    side->y = imported(ctx, w->y_dtype, n == w->n ? w->y_count : n, w->y);
    side->parameters = imported(ctx, ZC_FLOAT32, w->parameter_count, w->parameters);
    return side->x != NULL && side->y != NULL && side->parameters != NULL;
}

void bench_free_side(bench_side *side)
{
    zc_release(side->x);
    zc_release(side->y);
    zc_release(side->parameters);
}

/* ---- Running ---- */

bool bench_run(bench_work *w, const bench_side *side, bench_expression *f)
{
    w->side = side;
    zc_scope *scope = zc_scope_begin(side->ctx);
    bool ok = scope != NULL && f(w);
    zc_scope_end(scope);
    return ok;
}

bool bench_into(bench_work *w, const zc_tensor *t)
{
    return zc_materialize_into(t, w->ours, (size_t)w->results * zc_dtype_bytes(w->dtype), NULL, 0) == ZC_OK;
}

bool bench_hand_over(bench_work *w, zc_status status, const zc_tensor *t)
{
    if (status != ZC_OK || !w->wanted)
        return status == ZC_OK;
    size_t bytes = (size_t)zc_size(t) * zc_dtype_bytes(w->dtype);
    bool fits = zc_dtype_of(t) == w->dtype && zc_data(t) != NULL && bytes <= w->room;
    w->results = zc_size(t);
    if (fits)
        memcpy(w->ours, zc_data(t), bytes);
    return fits;
}

zc_tensor *bench_table(const zc_tensor *x, int64_t columns)
{
    return zc_reshape(x, ZC_SHAPE(-1, columns));
}

zc_tensor *bench_weak(const bench_work *w, double value)
{
    return zc_weak_float(w->side->ctx, value);
}

/* ---- Results ---- */

static bool are_near(const double *a, const double *b, int64_t n, double tolerance)
{
    for (int64_t i = 0; i < n; i++) {
        if (!(fabs(a[i] - b[i]) <= tolerance * (1 + fabs(b[i]))))
            return false;
    }
    return true;
}

bool bench_agree(const bench_work *w, double tolerance)
{
    zc_dtype part = part_of(w->dtype);
    size_t item = zc_dtype_bytes(part);
    int64_t n = w->results * (is_complex(w->dtype) ? 2 : 1);
    if (tolerance == 0)
        return memcmp(w->ours, w->by_hand, (size_t)n * item) == 0;
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    bool ok = ctx != NULL;
    for (int64_t i = 0; ok && i < n; i += PIECE) {
        static double ours[PIECE], theirs[PIECE];
        int64_t count = n - i < PIECE ? n - i : PIECE;
        ok = convert((char *)w->ours + (size_t)i * item, part, ours, ZC_FLOAT64, count, ctx) &&
             convert((char *)w->by_hand + (size_t)i * item, part, theirs, ZC_FLOAT64, count, ctx) &&
             are_near(ours, theirs, count, tolerance);
    }
    zc_context_free(ctx);
    return ok;
}

/* ---- What there is ---- */

/* Bytes of memory that can be had now; 0 when the system does not tell. */
static double available_bytes(void)
{
    char line[128];
    double kilobytes = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "MemAvailable:", 13) == 0)
            kilobytes = strtod(line + 13, NULL);
    }
    if (file != NULL)
        (void)fclose(file);
    return kilobytes * 1024;
}

bool bench_fits(const bench_case *c, int64_t n, int64_t arrays)
{
    size_t item = zc_dtype_bytes(dtype_named(c->dtype, ZC_FLOAT32));
    double needed = 1.1 * (double)n * (double)arrays * (double)item;
    double available = available_bytes();
    return available == 0 || needed <= available;
}
