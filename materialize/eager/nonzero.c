/*
 * Where elements are not zero: zc_nonzero.
 *
 * Two walks over truth values: one counts, so that the results are taken in the right size, one writes positions.
 */
#include <string.h>

#include "materialize/eager/operand.h"
#include "materialize/kernels/tables/dispatch.h"
#include "runtime/dtypes/float_environment.h"

enum { BLOCK = 512 };

static const char function[] = "nonzero";

/* -1: stopped. */
static int64_t count_true(const zc_operand *mask, int64_t lines, zc_thread_progress *progress)
{
    const zc_view *view = &mask->view;
    const int last = view->rank - 1;
    const int64_t extent = view->shape[last], stride = view->stride[last];
    int64_t found = 0;
    for (int64_t line = 0; line < lines; line++) {
        const char *from = zc_operand_at(mask, zc_line_start(view, last, line));
        if (stride == 1)
            found += zc_kernels_best()->count(from, extent);
        else
            for (int64_t i = 0; i < extent; i++)
                found += from[i * stride] != 0; /* proven: inside the memory */
        if (!zc_thread_progress_add(progress, extent))
            return -1;
    }
    return found;
}

/* The indices of the line with that number, along all axes but the last. */
static void find_line(const zc_view *view, int64_t line, int64_t *position)
{
    for (int a = view->rank - 2; a >= 0; a--) {
        position[a] = line % view->shape[a];
        line /= view->shape[a];
    }
}

/* The indices of a line's true elements to `to`; how many there are. Whether one is true is hard to foresee, so nothing
 * branches on it. */
static int64_t write_line(const char *from, int64_t stride, int64_t extent, int64_t *to)
{
    int64_t block[BLOCK], found = 0;
    for (int64_t first = 0, n; first < extent; first += n) {
        int64_t here = 0;
        n = zc_smaller(BLOCK, extent - first);
        for (int64_t i = first; i < first + n; i++) {
            block[here] = i;
            here += from[i * stride] != 0; /* proven: inside the memory */
        }
        if (here > 0)
            memcpy(to + found, block, (size_t)here * sizeof *to);
        found += here;
    }
    return found;
}

/* False: stopped. */
static bool write_positions(const zc_operand *mask, int64_t lines, const zc_output *results,
                            zc_thread_progress *progress)
{
    const zc_view *view = &mask->view;
    const int last = view->rank - 1;
    int64_t position[ZC_MAX_RANK], found = 0;
    for (int64_t line = 0; line < lines; line++) {
        const char *from = zc_operand_at(mask, zc_line_start(view, last, line));
        int64_t *to = (int64_t *)results[last].buffer->memory + found;
        const int64_t here = write_line(from, view->stride[last], view->shape[last], to);
        find_line(view, line, position);
        for (int a = 0; a < last; a++)
            for (int64_t i = found; i < found + here; i++)
                ((int64_t *)results[a].buffer->memory)[i] = position[a];
        found += here;
        if (!zc_thread_progress_add(progress, view->shape[last]))
            return false;
    }
    return true;
}

/* Memory for the positions of that many elements, along every axis. */
static zc_status take_results(zc_context *ctx, int rank, int64_t found, zc_tensor **out, zc_output *results)
{
    zc_need need = {.ctx = ctx, .function = function};
    for (int a = 0; a < rank; a++) {
        results[a] = zc_output_of(&out[a], ZC_INT64, 1, &found);
        zc_need_add(&need, found, sizeof(int64_t));
    }
    zc_status status = zc_need_check(&need);
    return status == ZC_OK ? zc_outputs_take(results, rank, ctx, function) : status;
}

/* Both walks over a mask in memory. */
static zc_status find(const zc_operand *mask, int64_t lines, zc_tensor **out, zc_output *results)
{
    zc_context *ctx = mask->tensor->ctx;
    int rank = mask->view.rank;
    zc_thread_progress progress = {.whole = &ctx->progress};
    bool goes_on = zc_progress_begin(progress.whole, 2 * mask->tensor->size); /* proven: a byte each lies in memory */
    int64_t found = goes_on ? count_true(mask, lines, &progress) : -1;
    if (found < 0)
        return zc_fail_cancelled(ctx, function);
    zc_status status = take_results(ctx, rank, found, out, results);
    if (status != ZC_OK || write_positions(mask, lines, results, &progress))
        return status;
    zc_outputs_drop(results, rank);
    return zc_fail_cancelled(ctx, function);
}

/* t is bool. */
static zc_status compute(const zc_tensor *t, zc_tensor **out, zc_output *results)
{
    zc_need need;
    zc_operand mask;
    int64_t lines = t->size > 0 ? t->size / t->dims[t->rank - 1] : 0;
    zc_status status = zc_need_begin(&need, t->ctx, function, 1, &t);
    if (status == ZC_OK)
        status = zc_need_check(&need);
    if (status == ZC_OK)
        status = zc_operand_open(&mask, t, &need);
    if (status != ZC_OK)
        return status;
    status = find(&mask, lines, out, results);
    zc_operand_close(&mask);
    return status;
}

zc_status zc_nonzero(const zc_tensor *x, zc_tensor **out)
{
    ZC_DEFAULT_FLOATS();
    if (ZC_REFUSE_LOST(function, x))
        return ZC_ERROR_ARGUMENT;
    zc_context *ctx = x->ctx;
    if (out == NULL)
        return zc_fail(ctx, ZC_ERROR_ARGUMENT, function, "there is nowhere to put the result");
    if (x->rank == 0)
        return zc_fail(ctx, ZC_ERROR_SHAPE, function, "a scalar has no axis along which it could stand");
    for (int a = 0; a < x->rank; a++)
        out[a] = NULL;
    zc_tensor *mask = zc_astype(x, ZC_BOOL);
    zc_output *results = zc_heap_take(ctx->heap, (size_t)x->rank * sizeof *results);
    zc_status status = zc_error_status(ctx);
    if (mask != NULL && results != NULL)
        status = compute(mask, out, results);
    else if (mask != NULL)
        status = zc_fail_memory(ctx, function);
    if (status == ZC_OK)
        status = zc_outputs_hand_out(results, x->rank, ctx, function);
    zc_heap_give(ctx->heap, results, (size_t)x->rank * sizeof *results);
    zc_release(mask);
    return status;
}
