#include "materialize/eager/blocks.h"

#include "materialize/eager/divide.h"

enum { LEAST_RUN_BYTES = 128 };

/* ---- The axis ---- */

static bool is_line(const zc_blocks *b, int axis)
{
    return (b->lines >> axis & 1) != 0;
}

/* Indices of a chunk along an axis. */
static int64_t chunk_of(const zc_blocks *b, int axis)
{
    return b->chunk != NULL ? zc_smaller(b->chunk[axis], b->x->dims[axis]) : 1;
}

/* Bytes of an index along an axis, for one place of the axes before it: with its lines. */
static int64_t bytes_of_index(const zc_blocks *b, int axis)
{
    int64_t bytes = (int64_t)zc_dtype_bytes(zc_dtype_of(b->x));
    for (int a = 0; a < b->x->rank; a++) {
        if (a > axis || is_line(b, a))
            bytes = zc_saturating_multiply(bytes, b->x->dims[a]);
        else if (a < axis)
            bytes = zc_saturating_multiply(bytes, chunk_of(b, a));
    }
    return bytes;
}

/* Bytes that lie side by side in a block. */
static int64_t run_bytes(const zc_blocks *b)
{
    int64_t bytes = zc_saturating_multiply(b->each, (int64_t)zc_dtype_bytes(zc_dtype_of(b->x)));
    for (int a = b->axis + 1; a < b->x->rank; a++)
        bytes = zc_saturating_multiply(bytes, b->x->dims[a]);
    return bytes;
}

/* The next axis behind one that may be divided, or -1. */
static int next_axis(const zc_blocks *b, int axis)
{
    for (int a = axis + 1; a < b->x->rank; a++) {
        if (!is_line(b, a) && b->x->dims[a] > 1)
            return a;
    }
    return -1;
}

/* The most whole chunks of an axis that are no more indices, or one. */
static int64_t whole_chunks(const zc_blocks *b, int axis, int64_t indices)
{
    const int64_t chunk = chunk_of(b, axis);
    return zc_larger(indices / chunk, 1) * chunk; /* proven: at most the extent, or what stood there */
}

/* Divides along an axis, in blocks of so many bytes at most where a chunk has no more. */
static void divide_along(zc_blocks *b, int axis, int64_t bytes)
{
    b->axis = axis;
    b->extent = b->x->dims[axis];
    b->each = whole_chunks(b, axis, zc_smaller(bytes / bytes_of_index(b, axis), b->extent));
    b->outer = 1;
    for (int a = 0; a < axis; a++)
        b->outer *= is_line(b, a) ? 1 : zc_divide_up(b->x->dims[a], chunk_of(b, a)); /* proven: a part of x's size */
}

/* The outermost axis whose chunks are no more than a block, or the last one. */
static int choose_axis(const zc_blocks *b)
{
    int axis = next_axis(b, -1);
    while (axis >= 0 && zc_saturating_multiply(bytes_of_index(b, axis), chunk_of(b, axis)) > ZC_BLOCK_BYTES &&
           next_axis(b, axis) >= 0)
        axis = next_axis(b, axis);
    return axis;
}

zc_status zc_blocks_begin(zc_blocks *b, const zc_tensor *x, uint64_t lines, const int64_t *chunk, const char *function)
{
    zc_status status = ZC_OK;
    *b = (zc_blocks){.x = x,
                     .function = function,
                     .lines = lines,
                     .chunk = chunk,
                     .axis = -1,
                     .extent = 1,
                     .each = 1,
                     .outer = 1,
                     .is_whole = true};
    const int axis = x->size > 0 ? choose_axis(b) : -1;
    if (axis < 0)
        return ZC_OK;
    divide_along(b, axis, ZC_BLOCK_BYTES);
    b->is_whole = false;
    bool may = zc_blocks_count(b) > 1 && run_bytes(b) >= LEAST_RUN_BYTES;
    if (may && !zc_is_view(x))
        status = zc_may_divide(b, &may);
    b->is_whole = !may;
    return status;
}

/* ---- Memory ---- */

int zc_blocks_sample(const zc_blocks *b, int64_t *numbers)
{
    const int64_t count = zc_blocks_count(b);
    const int64_t wanted[ZC_SAMPLES] = {0, 1, count / 4, count / 2, count - count / 4, count - 1};
    int found = 0;
    for (int i = 0; i < ZC_SAMPLES; i++) {
        if (wanted[i] < count && (found == 0 || wanted[i] > numbers[found - 1]))
            numbers[found++] = wanted[i];
    }
    return found;
}

/* Begins a need with bringing a block into memory. */
static zc_status begin_need(const zc_blocks *b, zc_need *need)
{
    int64_t numbers[ZC_SAMPLES];
    const int count = zc_blocks_sample(b, numbers);
    zc_status status = ZC_OK;
    *need = (zc_need){.ctx = b->x->ctx, .function = b->function, .is_parted = !b->is_whole};
    for (int i = 0; i < count && status == ZC_OK; i++) {
        zc_need block = {.ctx = need->ctx, .function = b->function, .is_parted = !b->is_whole};
        zc_tensor *t = zc_block_take(b, numbers[i]);
        status = t != NULL ? zc_need_add_operand(&block, t) : zc_error_status(need->ctx);
        zc_release(t);
        if (i == 0 || block.peak_bytes > need->peak_bytes)
            *need = block;
    }
    return status;
}

int64_t zc_blocks_elements(const zc_blocks *b)
{
    if (b->is_whole)
        return b->x->size;
    return zc_saturating_multiply(b->each, bytes_of_index(b, b->axis)) / (int64_t)zc_dtype_bytes(zc_dtype_of(b->x));
}

/* Divides x after all, or makes blocks half as long; false where they are as short as can be. */
static bool shorten(zc_blocks *b)
{
    const bool was_whole = b->is_whole;
    b->is_whole = b->axis < 0;
    if (b->is_whole || (was_whole && zc_blocks_count(b) > 1))
        return !b->is_whole;
    if (b->each > chunk_of(b, b->axis)) {
        b->each = whole_chunks(b, b->axis, b->each / 2);
        return true;
    }
    const int inner = next_axis(b, b->axis);
    if (inner >= 0)
        divide_along(b, inner, zc_saturating_multiply(b->x->dims[inner] / 2, bytes_of_index(b, inner)));
    return inner >= 0;
}

zc_status zc_blocks_fit(zc_blocks *b, zc_blocks_add *add, void *user, zc_need *need)
{
    zc_status status;
    do {
        status = begin_need(b, need);
        add(user, b, need);
    } while (status == ZC_OK && !zc_need_fits(need) && shorten(b));
    return status;
}

zc_status zc_blocks_refuse(const zc_blocks *b, const zc_need *need, int64_t result_bytes)
{
    zc_reason why;
    if (zc_need_ask(need, &why) != ZC_ERROR_BUDGET || b->axis < 0)
        return zc_need_check(need);
    const int axis = next_axis(b, -1);
    const int64_t extent = b->x->dims[axis], each = result_bytes / extent;
    const int64_t room = why.budget.limit - why.budget.held;
    const int64_t count = (room - (why.budget.need - result_bytes)) / zc_larger(each, 1); /* proven: parts of a need */
    if (count < 1)
        return zc_need_check(need);
    why.budget.window_axis = axis;
    why.budget.window_count = count;
    return zc_fail_budget(need->ctx, need->function, &why.budget,
                          "%s; a window of %lld of the %lld along axis %d would fit", why.text, (long long)count,
                          (long long)extent, axis);
}

/* ---- Each block ---- */

/* Blocks of one place of the axes before the one that is divided. */
static int64_t blocks_each(const zc_blocks *b)
{
    return (b->extent - 1) / b->each + 1;
}

int64_t zc_blocks_count(const zc_blocks *b)
{
    return b->is_whole ? 1 : zc_saturating_multiply(b->outer, blocks_each(b));
}

void zc_block_box(const zc_blocks *b, int64_t k, zc_box *box)
{
    zc_box_whole(b->x->rank, b->x->dims, box);
    if (b->is_whole)
        return;
    const int64_t each = blocks_each(b);
    box->first[b->axis] = k % each * b->each; /* proven: less than the extent */
    box->count[b->axis] = zc_smaller(b->each, b->extent - box->first[b->axis]);
    k /= each;
    for (int a = b->axis - 1; a >= 0; a--) {
        if (is_line(b, a))
            continue;
        const int64_t chunk = chunk_of(b, a), count = zc_divide_up(b->x->dims[a], chunk);
        box->first[a] = k % count * chunk; /* proven: less than the extent */
        box->count[a] = zc_smaller(chunk, b->x->dims[a] - box->first[a]);
        k /= count;
    }
}

void zc_block_place(const zc_blocks *b, int64_t k, const zc_view *whole, zc_view *part)
{
    zc_box box;
    zc_block_box(b, k, &box);
    *part = *whole;
    for (int a = 0; a < whole->rank; a++) {
        if (box.count[a] == b->x->dims[a]) /* the result may have another extent along the lines */
            continue;
        part->shape[a] = box.count[a];
        part->offset += box.first[a] * whole->stride[a]; /* proven: an element of the result */
    }
}

zc_tensor *zc_block_take(const zc_blocks *b, int64_t k)
{
    zc_view whole, part;
    zc_tensor_view(b->x, &whole);
    zc_block_place(b, k, &whole, &part);
    return zc_tensor_new(b->x->ctx, zc_node_retain(b->x->node), &part, b->function);
}
