/*
 * Programs: many operations on views of what was just computed, as loops write them. The time has recording, planning
 * and computing in it, each run in a context of its own.
 */
#include "bench/programs.h"

#include <math.h>

/* ---- What programs share ---- */

void bench_carry(zc_tensor **y, zc_tensor *next)
{
    (void)zc_keep(next);
    zc_release(*y);
    *y = next;
}

bool bench_deliver(bench_work *w, zc_tensor *y)
{
    bool ok = bench_into(w, y);
    zc_release(y);
    return ok;
}

int64_t bench_steps(const bench_work *w, int64_t most)
{
    return w->n < 1000 ? 6 : most;
}

zc_tensor *bench_part(const zc_tensor *t, int axis, int64_t start, int64_t stop)
{
    return zc_slice(t, axis, start, stop, 1);
}

zc_tensor *bench_every(const zc_tensor *t, int axis, int64_t start, int64_t step)
{
    return zc_slice(t, axis, start, ZC_NONE, step);
}

zc_tensor *bench_roll(const zc_tensor *t, int axis, int64_t shift)
{
    return zc_roll(t, 1, &shift, &axis);
}

zc_tensor *bench_zeros(const bench_work *w, int rank, const int64_t *shape)
{
    return zc_full(w->side->ctx, rank, shape, ZC_FLOAT64, 0);
}

zc_tensor *bench_scaled(const bench_work *w, const zc_tensor *t, double factor)
{
    return zc_multiply(t, bench_weak(w, factor));
}

int64_t bench_side_of(int64_t n)
{
    return (int64_t)(sqrt((double)n) + 0.5);
}

zc_tensor *bench_square(const zc_tensor *x)
{
    return bench_table(x, bench_side_of(zc_size(x)));
}

const bench_bound bench_program_bounds[] = {{0, NUMPY, 1.5, .threads = 1, .or_seconds = 2e-3}, {.most = 0}};

/* ---- The programs ---- */

/* y = y + concat(zeros, y[:-k]) for k = 1, 2, 4 ... */
static bool prefix_sum(bench_work *w)
{
    zc_tensor *y = zc_retain(w->side->x);
    for (int64_t k = 1; k < w->n; k *= 2) {
        const zc_tensor *parts[] = {zc_full(w->side->ctx, ZC_SHAPE(k), ZC_FLOAT64, 0), zc_slice(y, 0, 0, w->n - k, 1)};
        bench_carry(&y, zc_add(y, zc_concat(w->side->ctx, 2, parts, 0)));
    }
    return bench_deliver(w, y);
}

static bool ring(bench_work *w)
{
    zc_tensor *y = zc_retain(w->side->x);
    for (int64_t i = bench_steps(w, 80); i > 0; i--)
        bench_carry(&y, zc_multiply(zc_add(y, bench_roll(y, 0, 1)), bench_weak(w, 0.5)));
    return bench_deliver(w, y);
}

static bool many_rolls(bench_work *w)
{
    zc_tensor *y = zc_retain(w->side->x);
    for (int64_t i = 0; i < bench_steps(w, 40); i++) {
        zc_tensor *half = zc_multiply(bench_roll(y, 0, i % 7 + 1), bench_weak(w, 0.5));
        bench_carry(&y, zc_add(zc_multiply(y, bench_weak(w, 0.5)), half));
    }
    return bench_deliver(w, y);
}

static bool mirrored(bench_work *w)
{
    zc_tensor *y = zc_retain(w->side->x);
    for (int64_t i = bench_steps(w, 200); i > 0; i--)
        bench_carry(&y, bench_scaled(w, zc_add(y, zc_flip(y, ZC_AXES(0))), 0.5));
    return bench_deliver(w, y);
}

static zc_tensor *standard(const zc_tensor *y)
{
    return zc_divide(zc_subtract(y, zc_mean(y, ZC_ALL_AXES, false)), zc_std(y, ZC_ALL_AXES, 0, false));
}

static bool residual(bench_work *w)
{
    zc_tensor *y = zc_retain(w->side->x);
    for (int64_t i = bench_steps(w, 400); i > 0; i--)
        bench_carry(&y, zc_add(y, standard(y)));
    return bench_deliver(w, y);
}

static bool standardize(bench_work *w)
{
    return bench_into(w, standard(w->side->x));
}

static bool mirror(bench_work *w)
{
    zc_tensor *s = zc_sin(zc_sin(zc_sin(w->side->x)));
    return bench_into(w, zc_add(s, zc_flip(s, ZC_AXES(0))));
}

static bool stencil(bench_work *w)
{
    int64_t inner = bench_side_of(w->n) - 2;
    zc_tensor *h = zc_exp(zc_sin(bench_square(w->side->x))), *sum = NULL;
    for (int64_t i = 0; i < 9; i++) {
        zc_tensor *part = zc_slice(zc_slice(h, 0, i / 3, i / 3 + inner, 1), 1, i % 3, i % 3 + inner, 1);
        sum = i == 0 ? part : zc_add(sum, part);
    }
    return bench_into(w, sum);
}

static bool lazy_table(bench_work *w)
{
    zc_tensor *table = zc_exp(zc_sin(zc_slice(w->side->y, 0, 0, 1000, 1)));
    return bench_into(w, zc_take(table, w->side->x, 0));
}

enum { PIECE = 10 };

/* y = concat(exp(p), y): the pieces of x, the last one first. */
static bool prepend(bench_work *w)
{
    zc_tensor *y = zc_keep(zc_slice(w->side->x, 0, 0, PIECE, 1));
    for (int64_t at = PIECE; at < w->n; at += PIECE) {
        const zc_tensor *parts[] = {zc_exp(zc_slice(w->side->x, 0, at, at + PIECE, 1)), y};
        bench_carry(&y, zc_concat(w->side->ctx, 2, parts, 0));
    }
    return bench_deliver(w, y);
}

/* ---- The table ---- */

static int64_t inner_square(int64_t n)
{
    int64_t side = bench_side_of(n) - 2;
    return side * side;
}

static const int64_t doubling_sizes[] = {KI, 256 * KI, 0};
static const int64_t small_sizes[] = {100, 1000, 0};
static const int64_t large_sizes[] = {4 * KI, MI, 0};
static const int64_t stencil_sizes[] = {4 * KI, 1004004, 0};
static const int64_t table_sizes[] = {4 * KI, 4000000, 0};
static const int64_t prepend_sizes[] = {410, 40010, 0};

#define PROGRAM(name, function, size) BENCH_PROGRAM(name, function, size), .result = "float64"

const bench_case program_cases[] = {
    {PROGRAM("prefix sum by doubling", prefix_sum, doubling_sizes), .dtype = "float64"},
    {PROGRAM("ring: (y + roll(y, 1)) / 2, 80 steps", ring, small_sizes), .dtype = "float64"},
    {PROGRAM("y/2 + roll(y, i%7+1)/2, 40 steps", many_rolls, small_sizes), .dtype = "float64"},
    {PROGRAM("(y + y[::-1]) / 2, 200 deep", mirrored, small_sizes), .dtype = "float64"},
    {PROGRAM("y + (y - mean)/std, 400 deep", residual, small_sizes), .dtype = "float64"},
    {PROGRAM("(x - mean(x)) / std(x)", standardize, large_sizes), .dtype = "float64", .threads = true},
    {PROGRAM("s + s[::-1], s = sin(sin(sin(x)))", mirror, large_sizes), .dtype = "float64", .threads = true},
    {PROGRAM("nine slices of exp(sin(x)) summed", stencil, stencil_sizes), .dtype = "float64", .results = inner_square},
    {PROGRAM("take of a lazy table of 1000", lazy_table, table_sizes), .dtype = "int64", .y_dtype = "float64",
     .range = 1000, .threads = true},
    {PROGRAM("y = concat(exp(p), y), n/10 times", prepend, prepend_sizes), .dtype = "float64"},
    {.name = NULL},
};
