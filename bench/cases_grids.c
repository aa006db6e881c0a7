/*
 * Programs on grids and sequences: stencils with boundaries, multigrid, automata, butterflies, sorting networks,
 * recurrences, sliding windows, updates in loops.
 */
#include <math.h>

#include "bench/programs.h"

/* ---- Grids ---- */

/* The four neighbors of each element inside a table. */
static zc_tensor *neighbors(const zc_tensor *u)
{
    zc_tensor *rows = bench_part(u, 0, 1, -1), *columns = bench_part(u, 1, 1, -1);
    zc_tensor *beside = zc_add(bench_part(rows, 1, 0, -2), bench_part(rows, 1, 2, ZC_NONE));
    return zc_add(zc_add(bench_part(columns, 0, 0, -2), bench_part(columns, 0, 2, ZC_NONE)), beside);
}

static zc_tensor *inner_of(const zc_tensor *u)
{
    return bench_part(bench_part(u, 0, 1, -1), 1, 1, -1);
}

/* The heat equation; the boundary stays cold. */
static bool heat(bench_work *w)
{
    static const int64_t frame[] = {1, 1};
    zc_tensor *u = zc_keep(bench_square(w->side->x));
    for (int64_t i = bench_steps(w, 100); i > 0; i--) {
        zc_tensor *inner = inner_of(u);
        zc_tensor *change = zc_subtract(neighbors(u), bench_scaled(w, inner, 4.0));
        bench_carry(&u, zc_pad(zc_add(inner, bench_scaled(w, change, 0.1)), 2, frame, frame, ZC_PAD_CONSTANT, NULL));
    }
    return bench_deliver(w, u);
}

/* Laplace's equation: what is inside is updated, the boundary stays as it is. */
static bool jacobi(bench_work *w)
{
    zc_tensor *u = zc_keep(bench_square(w->side->x)), *inside = inner_of(zc_places(u));
    for (int64_t i = bench_steps(w, 200); i > 0; i--)
        bench_carry(&u, zc_update(u, inside, bench_scaled(w, neighbors(u), 0.25), ZC_UPDATE_SET));
    return bench_deliver(w, u);
}

/* The wave equation on a torus. */
static bool wave(bench_work *w)
{
    zc_tensor *u = zc_keep(bench_square(w->side->x)), *before = zc_retain(u);
    for (int64_t i = bench_steps(w, 20); i > 0; i--) {
        zc_tensor *rows = zc_add(bench_roll(u, 0, 1), bench_roll(u, 0, -1));
        zc_tensor *around = zc_add(zc_add(rows, bench_roll(u, 1, 1)), bench_roll(u, 1, -1));
        zc_tensor *change = bench_scaled(w, zc_subtract(around, bench_scaled(w, u, 4.0)), 0.2);
        bench_carry(&before, zc_add(zc_subtract(bench_scaled(w, u, 2.0), before), change));
        zc_tensor *next = before;
        before = u;
        u = next;
    }
    zc_release(before);
    return bench_deliver(w, u);
}

static bool two_axis_sums(bench_work *w)
{
    int64_t side = bench_side_of(w->n);
    zc_tensor *y = zc_keep(bench_square(w->side->x));
    for (int axis = 0; axis < 2; axis++) {
        for (int64_t k = 1; k < side; k *= 2) {
            zc_tensor *zeros = axis == 0 ? bench_zeros(w, ZC_SHAPE(k, side)) : bench_zeros(w, ZC_SHAPE(side, k));
            const zc_tensor *parts[] = {zeros, bench_part(y, axis, 0, -k)};
            bench_carry(&y, zc_add(y, zc_concat(w->side->ctx, 2, parts, axis)));
        }
    }
    return bench_deliver(w, y);
}

static bool mandelbrot(bench_work *w)
{
    zc_tensor *a = w->side->x, *b = w->side->y;
    zc_tensor *count = zc_keep(bench_zeros(w, ZC_SHAPE(w->n)));
    zc_tensor *x = zc_retain(a), *y = zc_retain(b);
    for (int64_t i = bench_steps(w, 50); i > 0; i--) {
        zc_tensor *inside = zc_less_equal(zc_add(zc_square(x), zc_square(y)), bench_weak(w, 4.0));
        zc_tensor *next_x = zc_add(zc_subtract(zc_square(x), zc_square(y)), a);
        zc_tensor *next_y = zc_add(bench_scaled(w, zc_multiply(x, y), 2.0), b);
        bench_carry(&count, zc_add(count, inside));
        bench_carry(&x, zc_where(inside, next_x, x));
        bench_carry(&y, zc_where(inside, next_y, y));
    }
    zc_release(x);
    zc_release(y);
    return bench_deliver(w, count);
}

/* ---- Automata ---- */

static zc_tensor *small(const bench_work *w, int64_t value)
{
    return zc_full(w->side->ctx, ZC_SCALAR_SHAPE, ZC_UINT8, (double)value);
}

/* Conway's game on a torus. */
static bool life(bench_work *w)
{
    zc_tensor *g = zc_keep(bench_square(w->side->x));
    for (int64_t i = bench_steps(w, 50); i > 0; i--) {
        zc_tensor *rows = zc_add(zc_add(g, bench_roll(g, 0, 1)), bench_roll(g, 0, -1));
        zc_tensor *sum = zc_add(zc_add(rows, bench_roll(rows, 1, 1)), bench_roll(rows, 1, -1));
        zc_tensor *stays = zc_logical_and(zc_equal(sum, small(w, 4)), zc_equal(g, small(w, 1)));
        bench_carry(&g, zc_astype(zc_logical_or(zc_equal(sum, small(w, 3)), stays), ZC_UINT8));
    }
    return bench_deliver(w, g);
}

static bool rule_110(bench_work *w)
{
    zc_tensor *x = zc_retain(w->side->x);
    for (int64_t i = bench_steps(w, 200); i > 0; i--) {
        zc_tensor *left = zc_multiply(bench_roll(x, 0, 1), small(w, 4)), *own = zc_multiply(x, small(w, 2));
        zc_tensor *three = zc_add(zc_add(left, own), bench_roll(x, 0, -1));
        bench_carry(&x, zc_bitwise_and(zc_bitwise_right_shift(small(w, 110), three), small(w, 1)));
    }
    return bench_deliver(w, x);
}

/* Eratosthenes: which numbers are prime. */
static bool sieve(bench_work *w)
{
    zc_tensor *flags = zc_keep(zc_full(w->side->ctx, ZC_SHAPE(w->n), ZC_BOOL, 1)), *all = zc_places(flags);
    zc_tensor *no = zc_full(w->side->ctx, ZC_SCALAR_SHAPE, ZC_BOOL, 0);
    bench_carry(&flags, zc_update(flags, bench_part(all, 0, 0, 2), no, ZC_UPDATE_SET));
    for (int64_t p = 2; p * p < w->n; p++) {
        bool is_prime = true;
        for (int64_t d = 2; d * d <= p; d++)
            is_prime &= p % d != 0;
        if (is_prime)
            bench_carry(&flags, zc_update(flags, bench_every(all, 0, p * p, p), no, ZC_UPDATE_SET));
    }
    return bench_deliver(w, flags);
}

/* ---- Butterflies ---- */

/* A Fourier transform, from columns of one element to one column. */
static bool fourier(bench_work *w)
{
    zc_context *ctx = w->side->ctx;
    zc_tensor *y = zc_keep(zc_reshape(w->side->x, ZC_SHAPE(1, w->n)));
    for (int64_t rows = 1; rows < w->n; rows *= 2) {
        zc_tensor *angle = bench_scaled(w, zc_astype(zc_iota(ctx, rows), ZC_FLOAT64), -acos(-1.0) / (double)rows);
        zc_tensor *turn = zc_expand_dims(zc_complex(zc_cos(angle), zc_sin(angle)), 1);
        int64_t half = w->n / rows / 2;
        zc_tensor *even = bench_part(y, 1, 0, half), *odd = zc_multiply(turn, bench_part(y, 1, half, ZC_NONE));
        const zc_tensor *both[] = {zc_add(even, odd), zc_subtract(even, odd)};
        bench_carry(&y, zc_concat(ctx, 2, both, 0));
    }
    zc_tensor *flat = zc_keep(zc_reshape(y, ZC_SHAPE(w->n)));
    zc_release(y);
    return bench_deliver(w, flat);
}

/* A Walsh-Hadamard transform down to 16 elements: concats inside concats. */
static zc_tensor *hadamard_of(bench_work *w, const zc_tensor *x, int64_t n) /* recursion: as deep as n has bits */
{
    if (n == 16)
        return zc_slice(x, 0, 0, n, 1);
    zc_tensor *low = bench_part(x, 0, 0, n / 2), *high = bench_part(x, 0, n / 2, n);
    const zc_tensor *both[] = {hadamard_of(w, zc_add(low, high), n / 2), hadamard_of(w, zc_subtract(low, high), n / 2)};
    return zc_concat(w->side->ctx, 2, both, 0);
}

static bool hadamard(bench_work *w)
{
    return bench_into(w, hadamard_of(w, w->side->x, w->n));
}

/* One step of a bitonic network: pairs `by` apart, in runs of `run` that go up and down in turns. */
static zc_tensor *compare_pairs(bench_work *w, const zc_tensor *y, int64_t run, int64_t by)
{
    zc_context *ctx = w->side->ctx;
    zc_tensor *pairs = zc_reshape(y, ZC_SHAPE(-1, 2, by));
    zc_tensor *a = zc_index(pairs, 1, 0), *b = zc_index(pairs, 1, 1);
    zc_tensor *low = zc_minimum(a, b), *high = zc_maximum(a, b);
    zc_tensor *at = zc_multiply(zc_iota(ctx, w->n / (2 * by)), zc_weak_int(ctx, 2 * by));
    zc_tensor *up = zc_equal(zc_bitwise_and(at, zc_weak_int(ctx, run)), zc_weak_int(ctx, 0));
    up = zc_expand_dims(up, 1);
    const zc_tensor *both[] = {zc_where(up, low, high), zc_where(up, high, low)};
    return zc_reshape(zc_stack(ctx, 2, both, 1), ZC_SHAPE(w->n));
}

static bool bitonic(bench_work *w)
{
    zc_tensor *y = zc_retain(w->side->x);
    for (int64_t run = 2; run <= w->n; run *= 2) {
        for (int64_t by = run / 2; by > 0; by /= 2)
            bench_carry(&y, compare_pairs(w, y, run, by));
    }
    return bench_deliver(w, y);
}

/* ---- Multigrid ---- */

/* Left and right neighbors, zeros beyond the ends. */
static zc_tensor *beside(bench_work *w, const zc_tensor *u)
{
    zc_tensor *zero = bench_zeros(w, ZC_SHAPE(1));
    const zc_tensor *left[] = {zero, bench_part(u, 0, 0, -1)}, *right[] = {bench_part(u, 0, 1, ZC_NONE), zero};
    return zc_add(zc_concat(w->side->ctx, 2, left, 0), zc_concat(w->side->ctx, 2, right, 0));
}

static zc_tensor *smooth(bench_work *w, const zc_tensor *u, const zc_tensor *f, double h2)
{
    zc_tensor *next = bench_scaled(w, zc_add(beside(w, u), bench_scaled(w, f, h2)), 0.5);
    return zc_add(u, bench_scaled(w, zc_subtract(next, u), 2.0 / 3.0));
}

/* One V cycle for u'' = -f: smoothed, corrected by what a grid half as fine makes of the error, smoothed. */
static zc_tensor *v_cycle(bench_work *w, zc_tensor *u, const zc_tensor *f, int64_t n, double h2) /* recursion: log n */
{
    for (int i = 0; i < 2; i++)
        u = smooth(w, u, f, h2);
    if (n > 16) {
        zc_tensor *bent = zc_subtract(bench_scaled(w, u, 2.0), beside(w, u));
        zc_tensor *error = zc_subtract(f, bench_scaled(w, bent, 1 / h2));
        zc_tensor *coarse = bench_scaled(w, zc_add(bench_every(error, 0, 0, 2), bench_every(error, 0, 1, 2)), 0.5);
        zc_tensor *correction = v_cycle(w, bench_zeros(w, ZC_SHAPE(n / 2)), coarse, n / 2, 4 * h2);
        u = zc_add(u, zc_repeat(correction, 2, 0));
    }
    for (int i = 0; i < 2; i++)
        u = smooth(w, u, f, h2);
    return u;
}

static bool multigrid(bench_work *w)
{
    zc_tensor *u = bench_zeros(w, ZC_SHAPE(w->n));
    for (int i = 0; i < 3; i++)
        u = v_cycle(w, u, w->side->x, w->n, 1 / ((double)w->n * (double)w->n));
    return bench_into(w, u);
}

/* ---- Sequences ---- */

enum { SERIES = 200 }; /* columns of a table of series */

/* Moving averages of all series, each from the one before. */
static bool averages(bench_work *w)
{
    enum { MOST = 1000 };
    const zc_tensor *rows[MOST];
    int count = (int)(w->n / SERIES);
    zc_tensor *table = bench_table(w->side->x, SERIES);
    rows[0] = zc_index(table, 0, 0);
    for (int i = 1; i < count && i < MOST; i++)
        rows[i] = zc_add(bench_scaled(w, rows[i - 1], 0.9), bench_scaled(w, zc_index(table, 0, i), 0.1));
    return bench_into(w, zc_stack(w->side->ctx, count, rows, 0));
}

enum { WINDOW = 16 };

/* The range of each window: its largest element less its smallest. */
static bool ranges(bench_work *w)
{
    int64_t count = w->n - WINDOW + 1;
    zc_tensor *low = bench_part(w->side->x, 0, 0, count), *high = low;
    for (int64_t i = 1; i < WINDOW; i++) {
        zc_tensor *part = bench_part(w->side->x, 0, i, i + count);
        low = zc_minimum(low, part);
        high = zc_maximum(high, part);
    }
    return bench_into(w, zc_subtract(high, low));
}

enum { PIECE = 100 };

static bool many_pieces(bench_work *w)
{
    enum { MOST = 20000 };
    static const zc_tensor *pieces[MOST];
    int count = (int)(w->n / PIECE);
    for (int i = 0; i < count && i < MOST; i++)
        pieces[i] = bench_part(w->side->x, 0, w->n - (i + 1) * PIECE, w->n - i * PIECE);
    return bench_into(w, zc_concat(w->side->ctx, count, pieces, 0));
}

/* ---- The table ---- */

static int64_t windows_of(int64_t n)
{
    return n - WINDOW + 1;
}

static const int64_t grid_sizes[] = {576, 256 * 256, 0};
static const int64_t jacobi_sizes[] = {576, 200 * 200, 0};
static const int64_t wave_sizes[] = {576, 1000 * 1000, 0};
static const int64_t large_grid_sizes[] = {576, 512 * 512, 0};
static const int64_t cell_sizes[] = {500, 100000, 0};
static const int64_t sieve_sizes[] = {500, 1000000, 0};
static const int64_t transform_sizes[] = {512, 64 * KI, 0};
static const int64_t network_sizes[] = {512, 16 * KI, 0};
static const int64_t multigrid_sizes[] = {512, 128 * KI, 0};
static const int64_t series_sizes[] = {800, 200000, 0};
static const int64_t window_sizes[] = {800, 1000000, 0};
static const int64_t piece_sizes[] = {800, 2000000, 0};

#define GRID(name, function, size) BENCH_PROGRAM(name, function, size), .dtype = "float64", .result = "float64"

const bench_case grid_cases[] = {
    {GRID("heat equation, 100 steps", heat, grid_sizes)},
    {GRID("Laplace's equation by updates, 200 steps", jacobi, jacobi_sizes)},
    {GRID("wave equation on a torus, 20 steps", wave, wave_sizes)},
    {GRID("multigrid, three V cycles", multigrid, multigrid_sizes)},
    {GRID("prefix sums of two axes by doubling", two_axis_sums, large_grid_sizes)},
    {GRID("Mandelbrot's set, 50 steps", mandelbrot, grid_sizes)},
    {BENCH_PROGRAM("game of life, 50 steps", life, large_grid_sizes), .dtype = "uint8", .range = 2},
    {BENCH_PROGRAM("rule 110, 200 steps", rule_110, cell_sizes), .dtype = "uint8", .range = 2},
    {BENCH_PROGRAM("sieve by updates", sieve, sieve_sizes), .dtype = "float64", .result = "bool"},
    {BENCH_PROGRAM("Fourier transform by slices and concats", fourier, transform_sizes), .dtype = "complex128"},
    {GRID("Hadamard transform, recursive to 16", hadamard, network_sizes)},
    {GRID("bitonic sorting network", bitonic, network_sizes)},
    {GRID("moving averages, row by row", averages, series_sizes)},
    {GRID("ranges of windows of 16", ranges, window_sizes), .results = windows_of},
    {GRID("concat of n/100 pieces of 100", many_pieces, piece_sizes)},
    {.name = NULL},
};
