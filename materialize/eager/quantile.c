/*
 * Quantiles: zc_quantile, zc_median.
 *
 * The elements are sorted as lines along one axis, which is when the call computes, in blocks where there are many. The
 * rest is recorded as any expression is, so that gradients pass, and materialised in the end: positions among the
 * elements in float64, which counts them exactly, and what lies between two of them in float64, rounded once. Integers
 * are sorted as such.
 */
#include <math.h>
#include <string.h>

#include "materialize/eager/blocks.h"
#include "materialize/materialize.h"
#include "runtime/dtypes/float_environment.h"
#include "runtime/dtypes/real_text.h"
#include "runtime/graph/scope.h"
#include "runtime/graph/variables.h"

static const char function[] = "quantile";

typedef struct quantiles {
    const zc_tensor *x, *q;
    uint64_t reduced;                   /* axes of x */
    bool keepdims, is_float, skips_nan; /* NaN, only of floats */
    zc_dtype dtype;                     /* of the result */
    int64_t extent;                     /* of the lines */
    int kept_rank;
    int64_t kept[ZC_MAX_RANK]; /* extents of the axes that are not reduced */
} quantiles;

static zc_tensor *number(const quantiles *s, double value)
{
    return zc_weak_float(s->x->ctx, value);
}

/* q in memory as one axis of float64, every number in range. */
static zc_status read_q(quantiles *s, const zc_tensor *q)
{
    zc_tensor *flat = zc_reshape(zc_astype(q, ZC_FLOAT64), ZC_SHAPE(-1)), *read = NULL;
    if (flat == NULL)
        return zc_error_status(q->ctx);
    zc_status status = zc_materialize_for(1, (const zc_tensor *const[]){flat}, function, &read);
    if (status != ZC_OK)
        return status;
    const double *values = zc_data(read);
    for (int64_t i = 0; i < read->size; i++) {
        if (values[i] >= 0 && values[i] <= 1)
            continue;
        char text[ZC_REAL_TEXT];
        zc_real_print_shortest(text, values[i]);
        return zc_fail(q->ctx, ZC_ERROR_ARGUMENT, function, "q is %s; it lies between 0 and 1", text);
    }
    s->q = read;
    return ZC_OK;
}

/* x with the reduced axes as one, the last. */
static zc_tensor *gather_lines(quantiles *s)
{
    const zc_tensor *x = s->x;
    int order[ZC_MAX_RANK], count = 0;
    int64_t shape[ZC_MAX_RANK + 1];
    s->extent = 1;
    for (int a = 0; a < x->rank; a++) {
        if ((s->reduced >> a & 1) != 0) {
            s->extent *= x->dims[a]; /* proven: a part of x's size, or of a tensor without elements */
            continue;
        }
        order[count] = a;
        s->kept[count++] = x->dims[a];
    }
    s->kept_rank = count;
    for (int a = 0; a < x->rank; a++) {
        if ((s->reduced >> a & 1) != 0)
            order[count++] = a;
    }
    memcpy(shape, s->kept, sizeof s->kept);
    shape[s->kept_rank] = s->extent;
    return zc_reshape(zc_permute_dims(x, x->rank, order), s->kept_rank + 1, shape);
}

/* Counts the elements of each line: all, or those that are numbers. */
static zc_tensor *count_elements(const quantiles *s, const zc_tensor *sorted)
{
    if (!s->skips_nan)
        return number(s, (double)s->extent);
    zc_tensor *are_numbers = zc_logical_not(zc_isnan(sorted));
    return are_numbers == NULL ? NULL : zc_astype(zc_sum(are_numbers, ZC_AXES(-1), true), ZC_FLOAT64);
}

/* The elements of each line at positions that are whole numbers. */
static zc_tensor *pick(const zc_tensor *sorted, const zc_tensor *positions)
{
    if (positions == NULL)
        return NULL;
    const zc_tensor *at = zc_astype(positions, ZC_INT64);
    zc_tensor *picked = zc_rank(positions) > 1 ? zc_take_along_axis(sorted, at, -1) : zc_take(sorted, at, -1);
    return picked == NULL ? NULL : zc_astype(picked, ZC_FLOAT64);
}

/* Linearly between two elements, of which `low` is not larger. Where they are too far apart to be subtracted, or one is
 * infinite, each counts by its weight; neither has the weight 0 then unless they are one element. */
static zc_tensor *between(const quantiles *s, const zc_tensor *low, const zc_tensor *high, const zc_tensor *weight)
{
    if (low == NULL || high == NULL || weight == NULL)
        return NULL;
    zc_tensor *is_near = zc_isfinite(zc_subtract(high, low));
    zc_tensor *mixed = zc_add(zc_multiply(low, zc_subtract(number(s, 1), weight)), zc_multiply(high, weight));
    return zc_where(is_near, zc_lerp(low, high, weight), zc_where(zc_equal(low, high), low, mixed));
}

/* A line that has a NaN, which is sorted last, or that has no number where these alone count, has no quantiles. */
static zc_tensor *spoil(const quantiles *s, const zc_tensor *sorted, const zc_tensor *count, const zc_tensor *found)
{
    zc_tensor *is_spoiled =
        s->skips_nan ? zc_equal(count, number(s, 0)) : zc_isnan(zc_slice(sorted, -1, -1, ZC_NONE, 1));
    return is_spoiled == NULL ? NULL : zc_where(is_spoiled, number(s, NAN), found);
}

/* With the axes of q, then those of x. */
static zc_tensor *arrange(const quantiles *s, const zc_tensor *q, const zc_tensor *found)
{
    int64_t shape[2 * ZC_MAX_RANK];
    int rank = q->rank;
    memcpy(shape, q->dims, (size_t)q->rank * sizeof *shape);
    for (int a = 0; a < s->x->rank; a++) {
        if ((s->reduced >> a & 1) == 0)
            shape[rank++] = s->x->dims[a];
        else if (s->keepdims)
            shape[rank++] = 1;
    }
    if (rank <= ZC_MAX_RANK)
        return found == NULL ? NULL : zc_reshape(zc_moveaxis(found, -1, 0), rank, shape);
    (void)zc_fail(q->ctx, ZC_ERROR_SHAPE, function, "the axes of q and x are %d, more than %d", rank, ZC_MAX_RANK);
    return NULL;
}

/* The quantiles of lines, along the last axis. */
static zc_tensor *find_in_lines(const quantiles *s, const zc_tensor *lines)
{
    zc_tensor *sorted;
    if (lines == NULL || zc_sort(lines, -1, false, &sorted) != ZC_OK)
        return NULL;
    zc_tensor *count = count_elements(s, sorted);
    zc_tensor *at = zc_multiply(s->q, zc_maximum(zc_subtract(count, number(s, 1)), number(s, 0)));
    zc_tensor *below = zc_floor(at);
    zc_tensor *found = between(s, pick(sorted, below), pick(sorted, zc_ceil(at)), zc_subtract(at, below));
    found = found == NULL || !s->is_float ? found : spoil(s, sorted, count, found);
    return found == NULL ? NULL : zc_astype(found, s->dtype);
}

/* Finds the quantiles of a block's lines, and puts them into their place in the result. */
static zc_status put_block(const quantiles *s, const zc_blocks *blocks, int64_t k, const zc_output *result,
                           const zc_view *place)
{
    zc_context *ctx = s->x->ctx;
    zc_scope *scope = zc_scope_begin(ctx);
    if (scope == NULL)          /* LCOV_EXCL_BR_LINE: the heap has room for small pieces after the first block */
        return ZC_ERROR_MEMORY; /* LCOV_EXCL_LINE: likewise */
    const zc_need need = {.ctx = ctx, .function = function, .is_parted = true};
    zc_operand operand = {.tensor = NULL};
    const zc_tensor *block = zc_block_take(blocks, k), *found = NULL;
    if (block != NULL && zc_operand_open(&operand, block, &need) == ZC_OK) {
        found = find_in_lines(s, operand.tensor);
        zc_operand_sources(&operand, &result->buffer->sources);
    }
    zc_operand_close(&operand);
    const zc_status status = found == NULL
                                 ? zc_error_status(ctx)
                                 : zc_materialize_into_for(found, result->buffer->memory, (size_t)result->buffer->bytes,
                                                           place->stride, place->offset, function);
    zc_scope_end(scope);
    return status;
}

/* The quantiles of all lines, computed for one block of them after the other, so that no more of x is sorted at once.
 */
static zc_tensor *find_in_blocks(const quantiles *s, const zc_blocks *blocks)
{
    zc_context *ctx = s->x->ctx;
    zc_tensor *found = NULL;
    int64_t shape[ZC_MAX_RANK + 1];
    memcpy(shape, s->kept, sizeof s->kept);
    shape[s->kept_rank] = s->q->size;
    zc_output result = zc_output_of(&found, s->dtype, s->kept_rank + 1, shape);
    zc_need need = {.ctx = ctx, .function = function};
    const size_t item = zc_dtype_bytes(s->dtype);
    zc_need_add(&need, zc_view_size(&result.view), item);
    zc_status status = zc_need_check(&need);
    if (status == ZC_OK)
        status = zc_outputs_take(&result, 1, ctx, function);
    const int64_t count = zc_blocks_count(blocks);
    for (int64_t k = 0; status == ZC_OK && k < count; k++) {
        zc_view place;
        zc_block_place(blocks, k, &result.view, &place);
        status = put_block(s, blocks, k, &result, &place);
    }
    if (status == ZC_OK)
        zc_sources_add(&result.buffer->sources, zc_node_data(s->q->node));
    if (status != ZC_OK)
        zc_outputs_drop(&result, 1);
    else
        (void)zc_outputs_hand_out(&result, 1, ctx, function);
    return found;
}

/* Adds the result, a block in order, and what a line of it is sorted in. */
static void add_own(void *user, const zc_blocks *blocks, zc_need *need)
{
    const quantiles *s = user;
    const size_t item = zc_dtype_bytes(zc_dtype_of(s->x));
    zc_need_add(need, zc_blocks_elements(blocks), item);
    zc_need_add(need, s->extent, 2 * item);
    zc_need_add(need, zc_saturating_multiply(blocks->x->size / s->extent, s->q->size), zc_dtype_bytes(s->dtype));
}

static zc_tensor *find(quantiles *s, const zc_tensor *q)
{
    zc_need need;
    zc_blocks blocks;
    zc_tensor *lines = gather_lines(s);
    int64_t shape[ZC_MAX_RANK + 1];
    memcpy(shape, s->kept, sizeof s->kept);
    shape[s->kept_rank] = s->q->size;
    if (lines == NULL)
        return NULL;
    if (s->extent == 0 || s->q->size == 0)
        return arrange(s, q, zc_full(q->ctx, s->kept_rank + 1, shape, s->dtype, NAN));
    if (zc_node_varies(s->x->node) || zc_node_varies(s->q->node)) /* gradients pass through what is recorded */
        return arrange(s, q, find_in_lines(s, lines));
    if (zc_blocks_begin(&blocks, lines, UINT64_C(1) << s->kept_rank, NULL, function) != ZC_OK ||
        zc_blocks_fit(&blocks, add_own, s, &need) != ZC_OK)
        return NULL;
    return arrange(s, q, !blocks.is_whole ? find_in_blocks(s, &blocks) : find_in_lines(s, lines));
}

static zc_status check_operands(quantiles *s, const zc_tensor *q, int count, const int *axes)
{
    zc_reason why;
    const zc_tensor *x = s->x;
    if (q->ctx != x->ctx)
        return zc_fail(x->ctx, ZC_ERROR_ARGUMENT, function,
                       "operands belong to different contexts; zc_adopt brings them together");
    if (zc_dtype_is_complex(zc_dtype_of(x)) || zc_dtype_is_complex(zc_dtype_of(q)))
        return zc_fail(x->ctx, ZC_ERROR_DTYPE, function, "complex numbers have no order");
    s->is_float = zc_dtype_describe(zc_dtype_of(x))->kind == ZC_KIND_FLOAT;
    s->skips_nan = s->skips_nan && s->is_float;
    s->dtype = s->is_float ? zc_dtype_of(x) : ZC_FLOAT64;
    zc_status status = zc_axes_resolve(count, axes, x->rank, &s->reduced, &why);
    return status == ZC_OK ? ZC_OK : zc_fail_because(x->ctx, status, function, &why);
}

zc_status zc_quantile(const zc_tensor *x, const zc_tensor *q, int count, const int *axes, bool keepdims, bool skip_nan,
                      zc_tensor **out)
{
    ZC_DEFAULT_FLOATS();
    quantiles s = {.x = x, .keepdims = keepdims, .skips_nan = skip_nan};
    if (out != NULL)
        *out = NULL;
    if (ZC_REFUSE_LOST(function, x, q))
        return ZC_ERROR_ARGUMENT;
    zc_status status = zc_check_outs(x, function, 1, &out);
    if (status == ZC_OK)
        status = check_operands(&s, q, count, axes);
    if (status != ZC_OK)
        return status;
    zc_scope *scope = zc_scope_begin(x->ctx);
    if (scope == NULL)
        return ZC_ERROR_MEMORY;
    zc_tensor *computed = NULL;
    status = read_q(&s, q);
    if (status == ZC_OK) {
        const zc_tensor *found = find(&s, q);
        status = found == NULL ? zc_error_status(x->ctx) : zc_materialize_for(1, &found, function, &computed);
    }
    *out = zc_scope_end_with(scope, computed);
    return status;
}

zc_status zc_median(const zc_tensor *x, int count, const int *axes, bool keepdims, bool skip_nan, zc_tensor **out)
{
    zc_status status = zc_check_outs(x, "median", 1, &out);
    if (status != ZC_OK)
        return status;
    zc_tensor *half = zc_weak_float(x->ctx, 0.5);
    status = half == NULL ? zc_error_status(x->ctx) : zc_quantile(x, half, count, axes, keepdims, skip_nan, out);
    zc_release(half);
    return status;
}
