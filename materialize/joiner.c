#include "materialize/joiner.h"
#include "runtime/heap.h"
#include "views/shape.h"

#include <string.h>

/* Leaves whose results are made by one kernel call. */
enum { DIGIT_AT_ONCE = 4, LEAVES_AT_ONCE = 1 << DIGIT_AT_ONCE };

static size_t lane_bytes(zc_reduction reduction, size_t item, int64_t columns)
{
    size_t lanes = zc_reduction_is_index(reduction) ? 1 : ZC_LANES;
    return zc_align_data(lanes * (size_t)columns * item);
}

/* Digits of a counter up to the number of leaves, and one for the leaf that comes in. */
static size_t level_count(int64_t count)
{
    size_t levels = 2;
    for (int64_t leaves = count / ZC_LEAF; leaves > 0; leaves /= 2)
        levels++;
    return levels;
}

size_t zc_joiner_bytes(zc_reduction reduction, zc_dtype dtype, int64_t columns, int64_t count)
{
    size_t item = zc_dtype_bytes(dtype), width = (size_t)columns;
    size_t lanes = lane_bytes(reduction, item, columns);
    if (zc_reduction_is_index(reduction))
        return lanes + zc_align_data(width * sizeof(int64_t));
    return lanes + zc_align_data(level_count(count) * width * item);
}

/* What lanes hold before any element joins without effect, so lanes that no element comes to are left out: but 1 + 0i
 * changes the sign of a zero that it is multiplied with. */
static int64_t count_lanes(zc_reduction reduction, zc_dtype dtype, int64_t count)
{
    bool is_complex_product = reduction == ZC_REDUCTION_PROD && zc_dtype_is_complex(dtype);
    return is_complex_product ? ZC_LANES : zc_smaller(count, ZC_LANES);
}

void zc_joiner_init(zc_joiner *joiner, const zc_kernels *kernels, zc_reduction reduction, zc_dtype dtype,
                    int64_t columns, int64_t count, void *memory)
{
    *joiner = (zc_joiner){.kernels = kernels,
                          .reduction = reduction,
                          .dtype = dtype,
                          .item = zc_dtype_bytes(dtype),
                          .padding = zc_reduction_padding(reduction, dtype),
                          .columns = columns,
                          .lane_count = count_lanes(reduction, dtype, count),
                          .lanes = memory};
    joiner->levels = joiner->lanes + lane_bytes(reduction, joiner->item, columns);
    joiner->number = (int64_t *)(void *)joiner->levels;
}

static void reset_lanes(zc_joiner *joiner)
{
    joiner->kernels->gather[joiner->dtype](joiner->lanes, joiner->padding.bytes, 0,
                                           joiner->lane_count * joiner->columns);
}

void zc_joiner_begin(zc_joiner *joiner, int64_t columns, int64_t first)
{
    joiner->columns = columns;
    joiner->first = first;
    joiner->count = joiner->leaves = 0;
    if (!zc_reduction_is_index(joiner->reduction))
        reset_lanes(joiner);
}

/* into = left joined with right, n elements; into may be either. */
static void combine(const zc_joiner *joiner, void *into, const void *left, const void *right, int64_t n)
{
    zc_op op = zc_reduction_describe(joiner->reduction)->combine;
    joiner->kernels->map[op][joiner->dtype](into, left, right, NULL, n);
}

static char *level(const zc_joiner *joiner, int64_t i)
{
    return joiner->levels + (size_t)i * (size_t)joiner->columns * joiner->item;
}

/* Adds the results of 2^digit leaves to the counter, whose lower digits are 0: equal ones are joined and carried. */
static void push_leaves(zc_joiner *joiner, const void *leaf, int digit)
{
    const int64_t added = INT64_C(1) << digit;
    for (; (joiner->leaves >> digit & 1) != 0; digit++) {
        combine(joiner, level(joiner, digit), level(joiner, digit), leaf, joiner->columns);
        leaf = level(joiner, digit);
    }
    memmove(level(joiner, digit), leaf, (size_t)joiner->columns * joiner->item);
    joiner->leaves += added;
}

static void push_leaf(zc_joiner *joiner, const void *leaf)
{
    push_leaves(joiner, leaf, 0);
}

void zc_joiner_leaf(zc_joiner *joiner, const void *results, int64_t n)
{
    joiner->count += n;
    if (n == ZC_LEAF)
        push_leaf(joiner, results);
    else /* one lane of a last leaf; the others hold what joins without effect */
        memcpy(joiner->lanes, results, (size_t)joiner->columns * joiner->item);
}

static void fold_lanes(zc_joiner *joiner)
{
    int64_t left = joiner->lane_count;
    for (int64_t half = ZC_LANES / 2; half > 0; half /= 2) {
        if (left <= half)
            continue;
        size_t upper = (size_t)(half * joiner->columns) * joiner->item;
        combine(joiner, joiner->lanes, joiner->lanes, joiner->lanes + upper, (left - half) * joiner->columns);
        left = half;
    }
}

static void end_leaf_when_full(zc_joiner *joiner)
{
    if (joiner->count % ZC_LEAF != 0)
        return;
    fold_lanes(joiner);
    push_leaf(joiner, joiner->lanes);
    reset_lanes(joiner);
}

/* ---- Runs ---- */

/* Whole leaves, while nothing of the next one is in the lanes. */
static int64_t add_leaves(zc_joiner *joiner, const char *elements, int64_t n)
{
    _Alignas(ZC_DATA_ALIGNMENT) char results[LEAVES_AT_ONCE * sizeof(zc_scalar)];
    int64_t leaves = zc_smaller(n / ZC_LEAF, LEAVES_AT_ONCE);
    joiner->kernels->rows[joiner->reduction][joiner->dtype](results, elements, ZC_LEAF, leaves, joiner->padding.bytes);
    joiner->count += leaves * ZC_LEAF;
    zc_tree_kernel *tree = joiner->kernels->tree[joiner->reduction][joiner->dtype];
    if (tree != NULL && leaves == LEAVES_AT_ONCE && joiner->leaves % LEAVES_AT_ONCE == 0) {
        tree(results, leaves);
        push_leaves(joiner, results, DIGIT_AT_ONCE);
        return leaves * ZC_LEAF;
    }
    for (int64_t i = 0; i < leaves; i++)
        push_leaf(joiner, results + (size_t)i * joiner->item);
    return leaves * ZC_LEAF;
}

/* Up to the end of the leaf: single elements to a whole round of lanes, then rounds, then single ones. */
static int64_t add_part_of_leaf(zc_joiner *joiner, const char *elements, int64_t n)
{
    int64_t lane = joiner->count % ZC_LANES;
    int64_t taken = zc_smaller(n, ZC_LEAF - joiner->count % ZC_LEAF);
    if (lane == 0 && taken >= ZC_LANES) {
        taken = taken / ZC_LANES * ZC_LANES;
        joiner->kernels->run[joiner->reduction][joiner->dtype](joiner->lanes, elements, taken);
    } else {
        taken = zc_smaller(taken, ZC_LANES - lane);
        char *first = joiner->lanes + (size_t)lane * joiner->item;
        combine(joiner, first, first, elements, taken);
    }
    joiner->count += taken;
    end_leaf_when_full(joiner);
    return taken;
}

static bool is_nan(const zc_joiner *joiner, const void *x)
{
    uint8_t same = 1;
    joiner->kernels->map[ZC_OP_EQUAL][joiner->dtype](&same, x, x, NULL, 1);
    return same == 0;
}

/* Whether an extreme comes before the one at hand: beyond it, or the first NaN. */
static bool comes_before(const zc_joiner *joiner, const void *extreme, const void *best)
{
    zc_op beyond = joiner->reduction == ZC_REDUCTION_ARGMIN ? ZC_OP_LESS : ZC_OP_GREATER;
    uint8_t takes = 0;
    joiner->kernels->map[beyond][joiner->dtype](&takes, extreme, best, NULL, 1);
    return takes != 0 || (is_nan(joiner, extreme) && !is_nan(joiner, best));
}

/* The extreme of up to a leaf of elements, and only when it matters where it stands. */
static void extreme_of_run(zc_joiner *joiner, const char *elements, int64_t n)
{
    zc_scalar extreme;
    joiner->kernels->rows[joiner->reduction][joiner->dtype](extreme.bytes, elements, n, 1, joiner->padding.bytes);
    if (joiner->count == 0 || comes_before(joiner, extreme.bytes, joiner->lanes)) {
        memcpy(joiner->lanes, extreme.bytes, joiner->item);
        joiner->number[0] =
            joiner->first + joiner->count + joiner->kernels->find[joiner->dtype](elements, extreme.bytes, n);
    }
    joiner->count += n;
}

void zc_joiner_run(zc_joiner *joiner, const void *elements, int64_t n)
{
    const char *next = elements;
    bool is_index = zc_reduction_is_index(joiner->reduction);
    while (n > 0) {
        int64_t taken = zc_smaller(n, ZC_LEAF);
        if (is_index)
            extreme_of_run(joiner, next, taken);
        else if (joiner->count % ZC_LEAF == 0 && n >= ZC_LEAF)
            taken = add_leaves(joiner, next, n);
        else
            taken = add_part_of_leaf(joiner, next, n);
        next += (size_t)taken * joiner->item;
        n -= taken;
    }
}

/* ---- Rows ---- */

static void extreme_of_row(zc_joiner *joiner, const void *elements)
{
    int64_t number = joiner->first + joiner->count;
    if (joiner->count == 0) {
        joiner->kernels->map[ZC_OP_COPY][joiner->dtype](joiner->lanes, elements, NULL, NULL, joiner->columns);
        for (int64_t c = 0; c < joiner->columns; c++)
            joiner->number[c] = number;
    } else {
        int largest = joiner->reduction == ZC_REDUCTION_ARGMAX;
        joiner->kernels->extreme[largest][joiner->dtype](joiner->lanes, joiner->number, elements, number,
                                                         joiner->columns);
    }
    joiner->count++;
}

static void add_row(zc_joiner *joiner, const void *elements)
{
    char *lane = joiner->lanes + (size_t)(joiner->count % ZC_LANES * joiner->columns) * joiner->item;
    combine(joiner, lane, lane, elements, joiner->columns);
    joiner->count++;
}

/* Up to the end of the leaf: whole rounds of lanes at once, other rows one by one. */
static int64_t add_rows(zc_joiner *joiner, const char *elements, int64_t pitch, int64_t n)
{
    zc_columns_kernel *columns = joiner->kernels->columns[joiner->reduction][joiner->dtype];
    int64_t taken = zc_smaller(n, ZC_LEAF - joiner->count % ZC_LEAF);
    if (columns != NULL && joiner->count % ZC_LANES == 0 && taken >= ZC_LANES) {
        taken -= taken % ZC_LANES;
        columns(joiner->lanes, elements, pitch, joiner->columns, taken);
        joiner->count += taken;
    } else {
        taken = 1;
        add_row(joiner, elements);
    }
    end_leaf_when_full(joiner);
    return taken;
}

void zc_joiner_rows(zc_joiner *joiner, const void *elements, int64_t pitch, int64_t n)
{
    const char *next = elements;
    bool is_index = zc_reduction_is_index(joiner->reduction);
    while (n > 0) {
        int64_t taken = 1;
        if (is_index)
            extreme_of_row(joiner, next);
        else
            taken = add_rows(joiner, next, pitch, n);
        next += taken * pitch;
        n -= taken;
    }
}

/* ---- The end ---- */

/* Joins the counter's digits from `digit` on to what is in out, which comes after them. */
static void join_levels(zc_joiner *joiner, int64_t digit, void *out)
{
    for (; joiner->leaves >> digit != 0; digit++) {
        if ((joiner->leaves >> digit & 1) != 0)
            combine(joiner, out, level(joiner, digit), out, joiner->columns);
    }
}

/* The lowest digit is the latest run. */
static void join_from_lowest(zc_joiner *joiner, void *out)
{
    int64_t lowest = __builtin_ctzll((unsigned long long)joiner->leaves);
    memcpy(out, level(joiner, lowest), (size_t)joiner->columns * joiner->item);
    join_levels(joiner, lowest + 1, out);
}

void zc_joiner_end(zc_joiner *joiner, void *out, int64_t *numbers)
{
    size_t width = (size_t)joiner->columns;
    if (zc_reduction_is_index(joiner->reduction)) {
        memcpy(out, joiner->lanes, width * joiner->item);
        memcpy(numbers, joiner->number, width * sizeof *numbers);
    } else if (joiner->count % ZC_LEAF != 0) { /* a last leaf that is not full comes after all digits */
        fold_lanes(joiner);
        memcpy(out, joiner->lanes, width * joiner->item);
        join_levels(joiner, 0, out);
    } else {
        join_from_lowest(joiner, out);
    }
}

static void join_extremes(const zc_joiner *joiner, char *results, int64_t *numbers, int64_t groups, int64_t columns)
{
    for (int64_t g = 1; g < groups; g++) {
        for (int64_t c = 0; c < columns; c++) {
            char *best = results + (size_t)c * joiner->item;
            const char *next = results + (size_t)(g * columns + c) * joiner->item;
            if (comes_before(joiner, next, best)) {
                memcpy(best, next, joiner->item);
                numbers[c] = numbers[g * columns + c];
            }
        }
    }
}

void zc_joiner_groups(zc_joiner *joiner, char *results, int64_t *numbers, int64_t groups, int64_t columns)
{
    if (zc_reduction_is_index(joiner->reduction)) {
        join_extremes(joiner, results, numbers, groups, columns);
        return;
    }
    joiner->columns = columns;
    joiner->leaves = 0;
    for (int64_t g = 0; g < groups; g++)
        push_leaf(joiner, results + (size_t)(g * columns) * joiner->item);
    join_from_lowest(joiner, results);
}
