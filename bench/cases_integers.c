/*
 * Integers and bools: powers and quotients by a constant, questions to bools, and what is counted along short rows.
 */
#include "bench/bench.h"

static bool square_of(bench_work *w)
{
    return bench_into(w, zc_pow(w->side->x, zc_weak_int(w->side->ctx, 2)));
}

static bool seventh(bench_work *w)
{
    return bench_into(w, zc_floor_divide(w->side->x, zc_weak_int(w->side->ctx, 7)));
}

static bool any_of(bench_work *w)
{
    return bench_into(w, zc_any(w->side->x, ZC_ALL_AXES, false));
}

static bool all_of(bench_work *w)
{
    return bench_into(w, zc_all(w->side->x, ZC_ALL_AXES, false));
}

static bool count_of(bench_work *w)
{
    return bench_into(w, zc_count_nonzero(w->side->x, ZC_ALL_AXES, false));
}

static bool nonzero(bench_work *w)
{
    zc_tensor *out = NULL;
    zc_status status = zc_nonzero(w->side->x, &out);
    return bench_hand_over(w, status, out);
}

static bool cumulative_sum(bench_work *w)
{
    return bench_into(w, zc_cumulative_sum(w->side->x, 0, false));
}

static bool cumulative_short(bench_work *w)
{
    return bench_into(w, zc_cumulative_sum(bench_table(w->side->x, 4), 1, false));
}

/* ---- The table ---- */

static int64_t one(int64_t n)
{
    return n < 1 ? n : 1;
}

static const int64_t sizes[] = {4 * KI, MI, 16 * MI, 0};

static const bench_bound bounds[] = {{0, FASTER_PEER, 1.0, .threads = 1}, {.most = 0}};

#define OF(case_name, function, count, type, result_type, near)                                                        \
    {                                                                                                                  \
        .name = (case_name ", " type), .ours = (function), .results = (count), .sizes = sizes, .bounds = bounds,       \
        .peer = #function, .dtype = (type), .result = (result_type), .peer_tolerance = (near), .threads = true         \
    }
#define OF_BOOLS(case_name, function, count, all_true, result_type)                                                    \
    {                                                                                                                  \
        .name = (case_name), .ours = (function), .results = (count), .sizes = sizes, .bounds = bounds,                 \
        .peer = #function, .dtype = "bool", .result = (result_type), .range = (all_true), .threads = true              \
    }

const bench_case integer_cases[] = {
    OF("x**2", square_of, NULL, "int8", NULL, 0),
    OF("x**2", square_of, NULL, "uint8", NULL, 0),
    OF("x**2", square_of, NULL, "int32", NULL, 0),
    OF("x // 7", seventh, NULL, "int8", NULL, 0),
    OF("x // 7", seventh, NULL, "uint8", NULL, 0),
    OF("x // 7", seventh, NULL, "int32", NULL, 0),
    OF_BOOLS("any of bools, half of them true", any_of, one, 0, NULL),
    OF_BOOLS("all of bools, half of them true", all_of, one, 0, NULL),
    OF_BOOLS("all of bools, all of them true", all_of, one, 1, NULL),
    OF_BOOLS("count_nonzero of bools", count_of, one, 0, "int64"),
    OF_BOOLS("nonzero of bools", nonzero, NULL, 0, "int64"),
    OF("cumulative_sum", cumulative_sum, NULL, "float64", NULL, 1e-9),
    OF("cumulative_sum of rows of 4", cumulative_short, NULL, "float32", NULL, 1e-5),
    OF("cumulative_sum of rows of 4", cumulative_short, NULL, "float64", NULL, 1e-12),
    {.name = NULL},
};
