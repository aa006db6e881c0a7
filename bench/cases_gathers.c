/*
 * Elements brought together from elsewhere: rows of a table, images turned, axes by the dozen, many small pieces.
 */
#include <stdlib.h>

#include "bench/bench.h"

enum { WIDTH = 128, BAG = 16, PIECE = 8 };

static zc_tensor *rows_taken(const bench_work *w)
{
    return zc_take(bench_table(w->side->y, WIDTH), w->side->x, 0);
}

static bool embedding(bench_work *w)
{
    return bench_into(w, rows_taken(w));
}

static bool embedding_bag(bench_work *w)
{
    return bench_into(w, zc_sum(zc_reshape(rows_taken(w), ZC_SHAPE(-1, BAG, WIDTH)), ZC_AXES(1), false));
}

static bool take_any(bench_work *w)
{
    return bench_into(w, zc_take(w->side->y, w->side->x, 0));
}

static bool take_columns(bench_work *w)
{
    zc_tensor *x = zc_reshape(w->side->y, ZC_SHAPE(-1, 64)), *positions = zc_slice(w->side->x, 0, 0, 64, 1);
    return bench_into(w, zc_take(x, zc_remainder(positions, zc_weak_int(w->side->ctx, 64)), 1));
}

/* Pixels with three channels to planes of normalized floats. */
static bool planes(bench_work *w)
{
    zc_tensor *x = zc_reshape(w->side->x, ZC_SHAPE(-1, 128, 128, 3));
    zc_tensor *f = zc_multiply(zc_astype(x, ZC_FLOAT32), bench_weak(w, 1.0 / 255));
    zc_tensor *normal = zc_multiply(zc_subtract(f, bench_weak(w, 0.45)), bench_weak(w, 4));
    return bench_into(w, zc_permute_dims(normal, ZC_AXES(0, 3, 1, 2)));
}

/* As many axes of 2 as n has. */
static int axes_of(int64_t n)
{
    int rank = 0;
    while (INT64_C(1) << rank < n)
        rank++;
    return rank;
}

static zc_tensor *of_twos(const zc_tensor *x)
{
    int64_t shape[ZC_MAX_RANK];
    int rank = axes_of(zc_size(x));
    for (int i = 0; i < rank; i++)
        shape[i] = 2;
    return zc_reshape(x, rank, shape);
}

static bool reversed_axes(bench_work *w)
{
    zc_tensor *x = of_twos(w->side->x);
    int axes[ZC_MAX_RANK], rank = x != NULL ? zc_rank(x) : 0;
    for (int i = 0; i < rank; i++)
        axes[i] = rank - 1 - i;
    return bench_into(w, zc_permute_dims(x, rank, axes));
}

/* Even axes before odd ones. */
static bool parted_axes(bench_work *w)
{
    zc_tensor *x = of_twos(w->side->x);
    int axes[ZC_MAX_RANK], rank = x != NULL ? zc_rank(x) : 0;
    for (int i = 0; i < rank; i++)
        axes[i] = i < (rank + 1) / 2 ? 2 * i : 2 * (i - (rank + 1) / 2) + 1;
    return bench_into(w, zc_permute_dims(x, rank, axes));
}

/* A gate on one qubit: a matrix of 2 by 2 along the third axis. */
static bool qubit_gate(bench_work *w)
{
    char subscripts[2 * ZC_MAX_RANK + 8];
    zc_tensor *x = of_twos(w->side->x);
    int rank = x != NULL ? zc_rank(x) : 0, at = 0;
    const zc_tensor *operands[] = {zc_reshape(zc_slice(w->side->y, 0, 0, 4, 1), ZC_SHAPE(2, 2)), x};
    subscripts[at++] = 'Z';
    subscripts[at++] = 'c';
    subscripts[at++] = ',';
    for (int i = 0; i < rank; i++)
        subscripts[at++] = (char)('a' + i);
    subscripts[at++] = '-';
    subscripts[at++] = '>';
    for (int i = 0; i < rank; i++)
        subscripts[at++] = i == 2 ? 'Z' : (char)('a' + i);
    subscripts[at] = '\0';
    return bench_into(w, zc_einsum(w->side->ctx, subscripts, 2, operands));
}

typedef zc_tensor *joining(zc_context *ctx, int count, const zc_tensor *const *tensors, int axis);

static bool join(bench_work *w, joining *f)
{
    int64_t count = w->n / PIECE;
    const zc_tensor **pieces = malloc((size_t)count * sizeof *pieces);
    if (pieces == NULL)
        return false;
    for (int64_t i = 0; i < count; i++) {
        int64_t from = (count - 1 - i) * PIECE;
        pieces[i] = zc_slice(w->side->x, 0, from, from + PIECE, 1);
    }
    bool ok = bench_into(w, f(w->side->ctx, (int)count, pieces, 0));
    free(pieces);
    return ok;
}

static bool concat_pieces(bench_work *w)
{
    return join(w, zc_concat);
}

static bool stack_pieces(bench_work *w)
{
    return join(w, zc_stack);
}

/* ---- The table ---- */

static int64_t rows_of_bags(int64_t n)
{
    return n / BAG * WIDTH;
}

static int64_t rows_of_table(int64_t n)
{
    return n * WIDTH;
}

static const int64_t row_sizes[] = {256, 16 * KI, 128 * KI, 0};
static const int64_t take_sizes[] = {4 * KI, MI, 16 * MI, 0};
static const int64_t image_sizes[] = {3 * 128 * 128, 64 * 3 * 128 * 128, 0};
static const int64_t axes_sizes[] = {KI, MI, 0};
static const int64_t piece_sizes[] = {KI, 160000, 0};

static const bench_bound bounds[] = {{0, FASTER_PEER, 1.0, .threads = 1}, {.most = 0}};

#define TABLE_ROWS(case_name, function, count, type)                                                                   \
    {                                                                                                                  \
        .name = (case_name ", " type), .ours = (function), .results = (count), .sizes = row_sizes, .bounds = bounds,   \
        .peer = #function, .peer_tolerance = 1e-5, .dtype = "int64", .y_dtype = (type), .result = (type),              \
        .y_times = WIDTH, .peer_memory = 256, .threads = true, .slow = true                                            \
    }
#define MOVED(case_name, function, size, type, near)                                                                   \
    {                                                                                                                  \
        .name = (case_name ", " type), .ours = (function), .sizes = (size), .bounds = bounds, .peer = #function,       \
        .dtype = (type), .peer_tolerance = (near), .threads = true, .slow = true                                       \
    }
#define TAKEN(case_name, function, type)                                                                               \
    {                                                                                                                  \
        .name = (case_name ", " type), .ours = (function), .sizes = take_sizes, .bounds = bounds, .peer = #function,   \
        .dtype = "int64", .y_dtype = (type), .result = (type), .threads = true                                         \
    }

const bench_case gather_cases[] = {
    TABLE_ROWS("embedding, rows of 128", embedding, rows_of_table, "float32"),
    TABLE_ROWS("embedding bag, 16 rows of 128", embedding_bag, rows_of_bags, "float32"),
    TABLE_ROWS("embedding bag, 16 rows of 128", embedding_bag, rows_of_bags, "float64"),
    TAKEN("take at any positions", take_any, "float32"),
    TAKEN("take at any positions", take_any, "float64"),
    TAKEN("take of columns", take_columns, "float32"),
    {.name = "uint8 NHWC to float32 NCHW",
     .ours = planes,
     .sizes = image_sizes,
     .bounds = bounds,
     .peer = "planes",
     .peer_tolerance = 1e-5,
     .dtype = "uint8",
     .result = "float32",
     .threads = true},
    MOVED("axes of 2 reversed", reversed_axes, axes_sizes, "float32", 0),
    MOVED("axes of 2 reversed", reversed_axes, axes_sizes, "float64", 0),
    MOVED("axes of 2, even before odd", parted_axes, axes_sizes, "float32", 0),
    MOVED("axes of 2, a gate by einsum", qubit_gate, axes_sizes, "complex64", 1e-5),
    MOVED("concat of pieces of 8", concat_pieces, piece_sizes, "float64", 0),
    MOVED("stack of pieces of 8", stack_pieces, piece_sizes, "float64", 0),
    {.name = NULL},
};
