#include "materialize/execute/reducer.h"
#include "runtime/memory/heap.h"
#include "views/shape.h"

#include <string.h>

/* Leaves whose results are made by one kernel call. */
enum { DIGIT_AT_ONCE = 4, LEAVES_AT_ONCE = 1 << DIGIT_AT_ONCE };

static size_t lane_bytes(zc_reduction reduction, size_t item, int64_t columns)
{
    size_t lanes = zc_reduction_is_index(reduction) ? 1 : ZC_LANES;
    return zc_align_data(lanes * (size_t)columns * item);
}

size_t zc_reducer_bytes(zc_reduction reduction, zc_dtype dtype, int64_t columns, int64_t count)
{
    size_t item = zc_dtype_bytes(zc_reduction_partial(reduction, dtype)), width = (size_t)columns;
    size_t lanes = lane_bytes(reduction, item, columns);
    if (zc_reduction_is_index(reduction))
        return lanes + zc_align_data(width * sizeof(int64_t));
    /* As groups, one that is not full counts as a leaf. */
    return lanes + zc_align_data((size_t)zc_counter_levels(count / ZC_LEAF + 1) * width * item);
}

size_t zc_reducer_state_bytes(zc_reduction reduction, zc_dtype dtype, int64_t columns, int64_t count)
{
    return zc_align_data(sizeof(zc_reducer)) + zc_align_data(zc_reducer_bytes(reduction, dtype, columns, count));
}

/* Tells a product whose lanes cannot begin with padding. Elsewhere padding joins without effect, so the first element
 * of a lane stands for itself, and lanes that no element comes to are left out; but 1 + 0i changes the sign of a zero
 * that it is multiplied with. */
static bool is_complex_product(zc_reduction reduction, zc_dtype dtype)
{
    return reduction == ZC_REDUCTION_PROD && zc_dtype_is_complex(dtype);
}

static int64_t count_lanes(zc_reduction reduction, zc_dtype dtype, int64_t count)
{
    return is_complex_product(reduction, dtype) ? ZC_LANES : zc_smaller(count, ZC_LANES);
}

zc_map_kernel *zc_reducer_join(const zc_kernels *kernels, zc_reduction reduction, zc_dtype dtype)
{
    return zc_reduction_has_log_sums(reduction) ? kernels->log_sums[dtype].join
                                                : kernels->map[zc_reduction_describe(reduction)->combine][dtype];
}

void zc_reducer_init(zc_reducer *reducer, const zc_kernels *kernels, zc_reduction reduction, zc_dtype dtype,
                     int64_t columns, int64_t count, void *memory)
{
    const zc_dtype partial = zc_reduction_partial(reduction, dtype);
    *reducer = (zc_reducer){.kernels = kernels,
                            .reduction = reduction,
                            .dtype = dtype,
                            .partial = partial,
                            .element = zc_dtype_bytes(dtype),
                            .item = zc_dtype_bytes(partial),
                            .padding = zc_reduction_padding(reduction, partial),
                            .columns = columns,
                            .lane_count = count_lanes(reduction, dtype, count),
                            .lanes = memory};
    char *levels = reducer->lanes + lane_bytes(reduction, reducer->item, columns);
    reducer->counter = (zc_counter){
        .join = zc_reducer_join(kernels, reduction, dtype), .levels = levels, .width = columns, .item = reducer->item};
    reducer->number = (int64_t *)(void *)levels;
}

static char *lane_of(const zc_reducer *reducer, int64_t lane)
{
    return reducer->lanes + (size_t)(lane * reducer->columns) * reducer->item;
}

/* Fills the lanes with what joins without effect, unless elements came to them already. */
static void fill_lanes(zc_reducer *reducer)
{
    if (reducer->held[0] != NULL)
        return;
    reducer->kernels->pack[reducer->partial](reducer->lanes, reducer->padding.bytes, 0,
                                             reducer->lane_count * reducer->columns);
    for (int64_t lane = 0; lane < reducer->lane_count; lane++)
        reducer->held[lane] = lane_of(reducer, lane);
}

static void begin_leaf(zc_reducer *reducer)
{
    memset(reducer->held, 0, sizeof reducer->held);
    reducer->is_elsewhere = false;
    if (is_complex_product(reducer->reduction, reducer->dtype))
        fill_lanes(reducer);
}

void zc_reducer_begin(zc_reducer *reducer, int64_t columns, int64_t first)
{
    reducer->columns = reducer->counter.width = columns;
    reducer->first = first;
    reducer->count = reducer->counter.leaves = 0;
    reducer->is_alone = reducer->has_rest = false;
    if (!zc_reduction_is_index(reducer->reduction))
        begin_leaf(reducer);
}

/* into = left joined with right, n elements; into may be either. */
static void combine(const zc_reducer *reducer, void *into, const void *left, const void *right, int64_t n)
{
    reducer->counter.join(into, left, right, NULL, n);
}

/* Joins n elements to as many lanes side by side. */
static void take_in(const zc_reducer *reducer, void *into, const void *lanes, const void *elements, int64_t n)
{
    if (zc_reduction_has_log_sums(reducer->reduction))
        reducer->kernels->log_sums[reducer->dtype].absorb(into, lanes, elements, NULL, n);
    else
        combine(reducer, into, lanes, elements, n);
}

static void push_leaf(zc_reducer *reducer, const void *leaf)
{
    zc_counter_push(&reducer->counter, leaf, 0);
}

/* Joins lane `half` to lane 0, the next one to lane 1, and so on up to the lanes that are left: at once where all of
 * them are side by side. */
static void fold_half(zc_reducer *reducer, int64_t half, int64_t left)
{
    if (!reducer->is_elsewhere) {
        combine(reducer, reducer->lanes, reducer->lanes, lane_of(reducer, half), (left - half) * reducer->columns);
        return;
    }
    for (int64_t lane = 0; lane < left - half; lane++) {
        combine(reducer, lane_of(reducer, lane), reducer->held[lane], reducer->held[lane + half], reducer->columns);
        reducer->held[lane] = lane_of(reducer, lane);
    }
}

/* Joins the lanes and returns the result: at least one element came. */
static const char *fold_lanes(zc_reducer *reducer)
{
    int64_t left = 1;
    while (left < ZC_LANES && reducer->held[left] != NULL)
        left++;
    for (int64_t half = ZC_LANES / 2; half > 0; half /= 2) {
        if (left > half) {
            fold_half(reducer, half, left);
            left = half;
        }
    }
    return reducer->held[0];
}

static void end_leaf_when_full(zc_reducer *reducer)
{
    if (reducer->count % ZC_LEAF != 0)
        return;
    push_leaf(reducer, fold_lanes(reducer));
    begin_leaf(reducer);
}

/* ---- Runs ---- */

/* Adds whole leaves, while no element of the next one is in the lanes. */
static int64_t add_leaves(zc_reducer *reducer, const char *elements, int64_t n)
{
    _Alignas(ZC_DATA_ALIGNMENT) char results[LEAVES_AT_ONCE * sizeof(zc_scalar)];
    int64_t leaves = zc_smaller(n / ZC_LEAF, LEAVES_AT_ONCE);
    reducer->kernels->rows[reducer->reduction][reducer->dtype](results, elements, ZC_LEAF, leaves,
                                                               reducer->padding.bytes);
    reducer->count += leaves * ZC_LEAF;
    zc_tree_kernel *tree = reducer->kernels->tree[reducer->reduction][reducer->dtype];
    if (tree != NULL && leaves == LEAVES_AT_ONCE && reducer->counter.leaves % LEAVES_AT_ONCE == 0) {
        tree(results, leaves);
        zc_counter_push(&reducer->counter, results, DIGIT_AT_ONCE);
        return leaves * ZC_LEAF;
    }
    for (int64_t i = 0; i < leaves; i++)
        push_leaf(reducer, results + (size_t)i * reducer->item);
    return leaves * ZC_LEAF;
}

/* Up to the end of the leaf: single elements to a whole round of lanes, then rounds, then single ones. */
static int64_t add_part_of_leaf(zc_reducer *reducer, const char *elements, int64_t n)
{
    int64_t lane = reducer->count % ZC_LANES;
    int64_t taken = zc_smaller(n, ZC_LEAF - reducer->count % ZC_LEAF);
    fill_lanes(reducer);
    if (lane == 0 && taken >= ZC_LANES) {
        taken = taken / ZC_LANES * ZC_LANES;
        reducer->kernels->run[reducer->reduction][reducer->dtype](reducer->lanes, elements, taken);
    } else {
        taken = zc_smaller(taken, ZC_LANES - lane);
        char *first = reducer->lanes + (size_t)lane * reducer->item;
        take_in(reducer, first, first, elements, taken);
    }
    reducer->count += taken;
    end_leaf_when_full(reducer);
    return taken;
}

static bool is_nan(const zc_reducer *reducer, const void *x)
{
    uint8_t same = 1;
    reducer->kernels->map[ZC_OP_EQUAL][reducer->dtype](&same, x, x, NULL, 1);
    return same == 0;
}

/* Tells whether an extreme comes before the one at hand: beyond it, or the first NaN. */
static bool comes_before(const zc_reducer *reducer, const void *extreme, const void *best)
{
    zc_op beyond = reducer->reduction == ZC_REDUCTION_ARGMIN ? ZC_OP_LESS : ZC_OP_GREATER;
    uint8_t takes = 0;
    reducer->kernels->map[beyond][reducer->dtype](&takes, extreme, best, NULL, 1);
    return takes != 0 || (is_nan(reducer, extreme) && !is_nan(reducer, best));
}

/* Finds the extreme of up to a leaf of elements, and its number only when that matters. */
static void extreme_of_run(zc_reducer *reducer, const char *elements, int64_t n)
{
    zc_scalar extreme;
    reducer->kernels->rows[reducer->reduction][reducer->dtype](extreme.bytes, elements, n, 1, reducer->padding.bytes);
    if (reducer->count == 0 || comes_before(reducer, extreme.bytes, reducer->lanes)) {
        memcpy(reducer->lanes, extreme.bytes, reducer->item);
        reducer->number[0] =
            reducer->first + reducer->count + reducer->kernels->find[reducer->dtype](elements, extreme.bytes, n);
    }
    reducer->count += n;
}

/* ---- Reductions with the same bits in any order ---- */

static bool is_truth(zc_reduction reduction)
{
    return reduction == ZC_REDUCTION_ANY || reduction == ZC_REDUCTION_ALL;
}

/* Tells whether the first true bool is found, or the first false one. */
static bool is_found(const zc_reducer *reducer)
{
    return reducer->dtype == ZC_BOOL && reducer->columns == 1 && reducer->count > 0 &&
           (reducer->lanes[0] != 0) == (reducer->reduction == ZC_REDUCTION_ARGMAX);
}

bool zc_reducer_is_decided(const zc_reducer *reducer)
{
    if (zc_reduction_is_index(reducer->reduction))
        return is_found(reducer);
    return reducer->is_alone && is_truth(reducer->reduction) && reducer->lanes[0] != (char)reducer->padding.bytes[0];
}

bool zc_reducer_has_no_order(const zc_reducer *reducer)
{
    return is_truth(reducer->reduction);
}

static void begin_alone(zc_reducer *reducer)
{
    if (!reducer->is_alone)
        memcpy(reducer->lanes, reducer->padding.bytes, reducer->item);
    reducer->is_alone = true;
}

/* Looks for an element that does not join without effect: it is the result. */
static void decide(zc_reducer *reducer, const char *elements, int64_t n)
{
    enum { AT_ONCE = 8 * ZC_LEAF };
    const char other = reducer->padding.bytes[0] == 0;
    begin_alone(reducer);
    for (int64_t at = 0, length; at < n && !zc_reducer_is_decided(reducer); at += length) {
        length = zc_smaller(n - at, AT_ONCE);
        const int64_t truths = reducer->kernels->count(elements + at, length);
        if (truths != (other != 0 ? 0 : length))
            reducer->lanes[0] = other;
    }
    reducer->count += n;
}

void zc_reducer_join_any_order(zc_reducer *reducer, const void *sum)
{
    begin_alone(reducer);
    combine(reducer, reducer->lanes, reducer->lanes, sum, 1);
}

void zc_reducer_run(zc_reducer *reducer, const void *elements, int64_t n)
{
    const char *next = elements;
    bool is_index = zc_reduction_is_index(reducer->reduction);
    if (is_truth(reducer->reduction)) {
        decide(reducer, elements, n);
        return;
    }
    while (n > 0) {
        int64_t taken = zc_smaller(n, ZC_LEAF);
        if (is_index && is_found(reducer))
            taken = n;
        else if (is_index)
            extreme_of_run(reducer, next, taken);
        else if (reducer->count % ZC_LEAF == 0 && n >= ZC_LEAF)
            taken = add_leaves(reducer, next, n);
        else
            taken = add_part_of_leaf(reducer, next, n);
        next += (size_t)taken * reducer->element;
        n -= taken;
    }
}

/* ---- Rows ---- */

static void extreme_of_rows(zc_reducer *reducer, const char *rows, int64_t pitch, int64_t n)
{
    const int64_t number = reducer->first + reducer->count, first = reducer->count == 0 && n > 0 ? 1 : 0;
    const int largest = reducer->reduction == ZC_REDUCTION_ARGMAX;
    if (first == 1) {
        reducer->kernels->map[ZC_OP_COPY][reducer->dtype](reducer->lanes, rows, NULL, NULL, reducer->columns);
        reducer->kernels->index(reducer->number, number, 0, reducer->columns);
    }
    reducer->kernels->extreme[largest][reducer->dtype](reducer->lanes, reducer->number, rows + first * pitch, pitch,
                                                       number + first, n - first, reducer->columns);
    reducer->count += n;
}

static void add_row(zc_reducer *reducer, const char *elements, bool is_lasting)
{
    const int64_t number = reducer->count % ZC_LANES;
    char *lane = lane_of(reducer, number);
    if (reducer->held[number] != NULL) {
        take_in(reducer, lane, reducer->held[number], elements, reducer->columns);
    } else if (zc_reduction_has_log_sums(reducer->reduction)) {
        reducer->kernels->log_sums[reducer->dtype].lift(lane, elements, NULL, NULL, reducer->columns);
    } else if (is_lasting) {
        reducer->held[number] = elements;
        reducer->is_elsewhere = true;
        reducer->count++;
        return;
    } else if (elements != lane) {
        reducer->kernels->map[ZC_OP_COPY][reducer->dtype](lane, elements, NULL, NULL, reducer->columns);
    }
    reducer->held[number] = lane;
    reducer->count++;
}

char *zc_reducer_room(const zc_reducer *reducer)
{
    const int64_t lane = reducer->count % ZC_LANES;
    bool is_taken = zc_reduction_is_index(reducer->reduction) || zc_reduction_has_log_sums(reducer->reduction) ||
                    reducer->held[lane] != NULL;
    return is_taken ? NULL : lane_of(reducer, lane);
}

void zc_reducer_row(zc_reducer *reducer, const void *elements, bool is_lasting)
{
    if (zc_reduction_is_index(reducer->reduction)) {
        extreme_of_rows(reducer, elements, 0, 1);
        return;
    }
    add_row(reducer, elements, is_lasting);
    end_leaf_when_full(reducer);
}

/* Up to the end of the leaf: whole rounds of lanes at once, other rows one by one. */
static int64_t add_rows(zc_reducer *reducer, const char *elements, int64_t pitch, int64_t n)
{
    zc_columns_kernel *columns = reducer->kernels->columns[reducer->reduction][reducer->dtype];
    int64_t taken = zc_smaller(n, ZC_LEAF - reducer->count % ZC_LEAF);
    if (columns != NULL && reducer->count % ZC_LANES == 0 && taken >= ZC_LANES) {
        taken -= taken % ZC_LANES;
        fill_lanes(reducer);
        columns(reducer->lanes, elements, pitch, reducer->columns, taken);
        reducer->count += taken;
    } else {
        taken = 1;
        add_row(reducer, elements, false);
    }
    end_leaf_when_full(reducer);
    return taken;
}

void zc_reducer_rows(zc_reducer *reducer, const void *elements, int64_t pitch, int64_t n)
{
    const char *next = elements;
    if (zc_reduction_is_index(reducer->reduction)) {
        extreme_of_rows(reducer, elements, pitch, n);
        return;
    }
    while (n > 0) {
        const int64_t taken = add_rows(reducer, next, pitch, n);
        next += taken * pitch;
        n -= taken;
    }
}

/* Takes an extreme that comes before the one at hand. */
static void take_extreme(zc_reducer *reducer, int64_t column, const char *extreme, int64_t number)
{
    char *best = reducer->lanes + (size_t)column * reducer->item;
    if (reducer->count > 0 && !comes_before(reducer, extreme, best))
        return;
    memcpy(best, extreme, reducer->item);
    reducer->number[column] = number;
}

void zc_reducer_joined(zc_reducer *reducer, const void *results, const int64_t *numbers, int64_t n)
{
    const int64_t leaves = n / ZC_LEAF;
    if (zc_reduction_is_index(reducer->reduction)) {
        for (int64_t c = 0; c < reducer->columns; c++)
            take_extreme(reducer, c, (const char *)results + (size_t)c * reducer->item, numbers[c]);
    } else if (n % ZC_LEAF == 0 && (leaves & (leaves - 1)) == 0) {
        zc_counter_push(&reducer->counter, results, __builtin_ctzll((unsigned long long)leaves));
    } else {
        memset(reducer->held, 0, sizeof reducer->held);
        reducer->held[0] = memcpy(reducer->lanes, results, (size_t)reducer->columns * reducer->item);
        reducer->has_rest = true;
    }
    reducer->count += n;
}

/* ---- The end ---- */

void zc_reducer_end(zc_reducer *reducer, void *out, int64_t *numbers)
{
    size_t width = (size_t)reducer->columns;
    if (zc_reduction_is_index(reducer->reduction)) {
        memcpy(out, reducer->lanes, width * reducer->item);
        memcpy(numbers, reducer->number, width * sizeof *numbers);
    } else if (reducer->is_alone) {
        memcpy(out, reducer->lanes, reducer->item);
    } else if (reducer->has_rest || reducer->count % ZC_LEAF != 0) { /* a leaf that is not full: behind all digits */
        memcpy(out, fold_lanes(reducer), width * reducer->item);
        zc_counter_join(&reducer->counter, 0, out);
    } else {
        zc_counter_end(&reducer->counter, out);
    }
}

static void join_extremes(const zc_reducer *reducer, char *results, int64_t *numbers, int64_t groups, int64_t columns)
{
    for (int64_t g = 1; g < groups; g++) {
        for (int64_t c = 0; c < columns; c++) {
            char *best = results + (size_t)c * reducer->item;
            const char *next = results + (size_t)(g * columns + c) * reducer->item;
            if (comes_before(reducer, next, best)) {
                memcpy(best, next, reducer->item);
                numbers[c] = numbers[g * columns + c];
            }
        }
    }
}

void zc_reducer_groups(zc_reducer *reducer, char *results, int64_t *numbers, int64_t groups, int64_t columns)
{
    if (zc_reduction_is_index(reducer->reduction)) {
        join_extremes(reducer, results, numbers, groups, columns);
        return;
    }
    reducer->columns = reducer->counter.width = columns;
    reducer->counter.leaves = 0;
    for (int64_t g = 0; g < groups; g++)
        push_leaf(reducer, results + (size_t)(g * columns) * reducer->item);
    zc_counter_end(&reducer->counter, results);
}
