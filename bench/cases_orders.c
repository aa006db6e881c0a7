/*
 * Sorting and what rests on it, searching, extremes with their places.
 */
#include "bench/bench.h"

static bool sort_of(bench_work *w)
{
    zc_tensor *out = NULL;
    zc_status status = zc_sort(w->side->x, 0, false, &out);
    return bench_hand_over(w, status, out);
}

static bool argsort(bench_work *w)
{
    zc_tensor *out = NULL;
    zc_status status = zc_argsort(w->side->x, 0, false, &out);
    return bench_hand_over(w, status, out);
}

static bool unique_of(bench_work *w)
{
    zc_tensor *out = NULL;
    zc_status status = zc_unique_values(w->side->x, &out);
    return bench_hand_over(w, status, out);
}

enum { TOP = 10, SHORT = 10, KNOWN = 10000 };

static bool top_k(bench_work *w)
{
    zc_tensor *values = NULL, *indices = NULL;
    return zc_top_k(w->side->x, TOP, 0, true, &values, &indices) == ZC_OK && bench_into(w, values);
}

static zc_tensor *short_rows(const bench_work *w)
{
    return bench_table(zc_slice(w->side->x, 0, 0, w->n / SHORT * SHORT, 1), SHORT);
}

static bool sort_short(bench_work *w)
{
    zc_tensor *out = NULL;
    zc_status status = zc_sort(short_rows(w), 1, false, &out);
    return bench_hand_over(w, status, out);
}

static bool searchsorted(bench_work *w)
{
    zc_tensor *order = zc_iota(w->side->ctx, KNOWN), *out = NULL;
    zc_tensor *numbers = zc_multiply(zc_astype(order, ZC_FLOAT32), zc_weak_float(w->side->ctx, 1.0 / KNOWN));
    zc_status status = zc_searchsorted(numbers, w->side->x, false, NULL, &out);
    return bench_hand_over(w, status, out);
}

static bool isin_of(bench_work *w)
{
    int64_t known = w->n < KNOWN ? w->n : KNOWN;
    return bench_into(w, zc_isin(w->side->x, zc_slice(w->side->y, 0, 0, known, 1)));
}

static bool argmax_rows(bench_work *w)
{
    return bench_into(w, zc_argmax(bench_table(w->side->x, bench_columns(w->n)), ZC_AXES(1), false));
}

static bool argmax_columns(bench_work *w)
{
    return bench_into(w, zc_argmax(bench_table(w->side->x, bench_columns(w->n)), ZC_AXES(0), false));
}

static bool argmax_short(bench_work *w)
{
    return bench_into(w, zc_argmax(short_rows(w), ZC_AXES(1), false));
}

/* ---- The table ---- */

static int64_t top(int64_t n)
{
    return n < TOP ? n : TOP;
}

static int64_t of_short_rows(int64_t n)
{
    return n / SHORT * SHORT;
}

static int64_t short_row_count(int64_t n)
{
    return n / SHORT;
}

static int64_t rows(int64_t n)
{
    return n / bench_columns(n);
}

static const int64_t sizes[] = {4 * KI, MI, 0};
static const int64_t table_sizes[] = {4 * KI, MI, 16 * MI, 0};
static const int64_t isin_sizes[] = {1000, 1000000, 0};

static const bench_bound sort_bounds[] = {{0, NUMPY, 1.2, .threads = 1}, {.most = 0}};
static const bench_bound peer_bounds[] = {{0, FASTER_PEER, 1.0, .threads = 1}, {.most = 0}};

#define ORDER(case_name, function, count, size, bound, type, result_type)                                              \
    {                                                                                                                  \
        .name = (case_name ", " type), .ours = (function), .results = (count), .sizes = (size), .bounds = (bound),     \
        .peer = #function, .dtype = (type), .result = (result_type), .threads = true, .slow = true                     \
    }
#define OF_THREE(case_name, function, count, size, bound, result)                                                      \
    ORDER(case_name, function, count, size, bound, "float32", result),                                                 \
        ORDER(case_name, function, count, size, bound, "float64", result),                                             \
        ORDER(case_name, function, count, size, bound, "int32", result)

const bench_case order_cases[] = {
    OF_THREE("sort", sort_of, NULL, sizes, sort_bounds, NULL),
    OF_THREE("argsort", argsort, NULL, sizes, sort_bounds, "int64"),
    OF_THREE("unique_values", unique_of, NULL, sizes, sort_bounds, NULL),
    OF_THREE("top_k, k = 10", top_k, top, sizes, sort_bounds, NULL),
    OF_THREE("sort of rows of 10", sort_short, of_short_rows, sizes, sort_bounds, NULL),
    ORDER("searchsorted in 10^4", searchsorted, NULL, sizes, peer_bounds, "float32", "int64"),
    ORDER("isin 10^4", isin_of, NULL, isin_sizes, peer_bounds, "int64", "bool"),
    OF_THREE("argmax of rows", argmax_rows, rows, table_sizes, peer_bounds, "int64"),
    OF_THREE("argmax of columns", argmax_columns, bench_columns, table_sizes, peer_bounds, "int64"),
    OF_THREE("argmax of rows of 10", argmax_short, short_row_count, sizes, peer_bounds, "int64"),
    {.name = NULL},
};
