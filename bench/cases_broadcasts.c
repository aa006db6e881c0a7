/*
 * What a broadcast costs: nothing as a view, the store alone when written out, the work of its base when computed with.
 */
#include <string.h>

#include "bench/hand.h"

enum { SOME = 16 };

/* ---- Written out ---- */

static bool scalar(bench_work *w)
{
    return bench_into(w, zc_broadcast_to(zc_index(w->side->x, 0, 0), ZC_SHAPE(w->n)));
}

static bool row(bench_work *w)
{
    int64_t columns = bench_columns(w->n);
    zc_tensor *base = zc_slice(w->side->x, 0, 0, columns, 1);
    return bench_into(w, zc_broadcast_to(base, ZC_SHAPE(w->n / columns, columns)));
}

static bool column(bench_work *w)
{
    int64_t columns = bench_columns(w->n), rows = w->n / columns;
    zc_tensor *base = zc_expand_dims(zc_slice(w->side->x, 0, 0, rows, 1), 1);
    return bench_into(w, zc_broadcast_to(base, ZC_SHAPE(rows, columns)));
}

/* ---- Computed with: exp of n elements, each 10^6 times, without writing any of them twice ---- */

/* Some elements of the result are looked at. */

static bool exp_of(bench_work *w, const zc_tensor *x)
{
    zc_tensor *out = NULL;
    bool ok = zc_compact(zc_exp(x), &out) == ZC_OK;
    if (ok)
        memcpy(w->ours, zc_data(out), SOME * sizeof(float));
    return ok;
}

static bool exp_of_base(bench_work *w)
{
    return exp_of(w, w->side->x);
}

static bool exp_of_broadcast(bench_work *w)
{
    return exp_of(w, zc_broadcast_to(w->side->x, ZC_SHAPE(1000000, w->n)));
}

static bool sum_of_exp(bench_work *w, int64_t times)
{
    zc_tensor *x = zc_broadcast_to(w->side->x, ZC_SHAPE(times, w->n));
    return bench_into(w, zc_sum(zc_exp(x), ZC_ALL_AXES, false));
}

static bool sum_of_exp_of_base(bench_work *w)
{
    return sum_of_exp(w, 1);
}

static bool sum_of_exp_of_broadcast(bench_work *w)
{
    return sum_of_exp(w, 1000000);
}

/* ---- Reduced along the repeated axis: 10^6 against 16 ---- */

typedef zc_tensor *reduction(const zc_tensor *x, int count, const int *axes, bool keepdims);

static bool reduce(bench_work *w, reduction *reduce_axes, int64_t times)
{
    return bench_into(w, reduce_axes(zc_broadcast_to(w->side->x, ZC_SHAPE(times, w->n)), ZC_AXES(0), false));
}

#define REDUCED(name)                                                                                                  \
    static bool name##_short(bench_work *w)                                                                            \
    {                                                                                                                  \
        return reduce(w, zc_##name, 16);                                                                               \
    }                                                                                                                  \
    static bool name##_long(bench_work *w)                                                                             \
    {                                                                                                                  \
        return reduce(w, zc_##name, 1000000);                                                                          \
    }

REDUCED(sum)
REDUCED(mean)
REDUCED(max)
REDUCED(prod)

/* ---- The table ---- */

static int64_t some(int64_t n)
{
    return n < SOME ? n : SOME;
}

static int64_t one(int64_t n)
{
    return n < 1 ? n : 1;
}

static const int64_t written_sizes[] = {64 * KI, MI, 16 * MI, 64 * MI, 0};
static const int64_t base_sizes[] = {4 * KI, 256 * KI, 0};

static const bench_bound written_bounds[] = {
    {16 * MI, SECOND, 1.05, .threads = 1}, {64 * MI, SECOND, 1.05, .threads = 1}, {.most = 0}};
/* Equal, but for the noise of two measurements. */
static const bench_bound equal[] = {{.against = FIRST, .most = 1.1}, {.most = 0}};

#define WRITTEN(case_name, expression, hand, peer_name)                                                                \
    {                                                                                                                  \
        .name = (case_name), .ours = (expression),                                                                     \
        .references = {{"ordinary stores", .run = hand},                                                               \
                       {"streaming fill", .run = hand_fill_streaming, .yardstick = true},                              \
                       {"streaming stores", .run = hand##_streaming}},                                                 \
        .sizes = written_sizes, .bounds = written_bounds, .peer = (peer_name), .threads = true                         \
    }

#define OVER_BROADCAST(what)                                                                                           \
    {                                                                                                                  \
        .name = #what " over an axis that repeats, 10^6 long", .ours = what##_long,                                    \
        .references = {{"the axis 16 long", .ours = what##_short, .yardstick = true},                                  \
                       {"what is left by hand", .run = hand_##what##_of_rows}},                                        \
        .sizes = base_sizes, .bounds = equal, .tolerance = 1e-6                                                        \
    }

const bench_case broadcast_cases[] = {
    WRITTEN("scalar written out", scalar, hand_fill, "scalar"),
    WRITTEN("row written out", row, hand_repeat_row, "row"),
    WRITTEN("column written out", column, hand_repeat_column, "column"),
    {.name = "exp of a row, 10^6 times",
     .ours = exp_of_broadcast,
     .references = {{"exp of the row", .ours = exp_of_base, .yardstick = true}, {"exp by hand", .run = hand_exp}},
     .results = some,
     .sizes = base_sizes,
     .bounds = equal,
     .tolerance = 1e-6},
    {.name = "sum of exp of a row, 10^6 times",
     .ours = sum_of_exp_of_broadcast,
     .references = {{"sum of exp of the row", .ours = sum_of_exp_of_base, .yardstick = true},
                    {"exp and sum by hand", .run = hand_sum_of_exp}},
     .results = one,
     .sizes = base_sizes,
     .bounds = equal,
     .tolerance = 1e-5},
    OVER_BROADCAST(sum),
    OVER_BROADCAST(mean),
    OVER_BROADCAST(max),
    OVER_BROADCAST(prod),
    {.name = NULL},
};
