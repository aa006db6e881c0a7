/*
 * Searching sorted elements: zc_searchsorted.
 *
 * Each element that is searched for is found by halving, independently of the others, so the threads share them.
 */
#include "materialize/eager/operand.h"
#include "materialize/execute/pool.h"
#include "materialize/sorting/sorter.h"
#include "runtime/dtypes/float_environment.h"
#include "runtime/record/record.h"
#include "runtime/record/take.h"

enum {
    SORTED,
    WANTED,
    OPERANDS,
    LEAST_ELEMENTS_FOR_THREADS = 1 << 13,
    ELEMENTS_PER_PIECE = 1 << 12,
    STEPS_PER_SEARCH = 16
};

static const char function[] = "searchsorted";

typedef struct searching {
    const zc_sorter *sorter;
    zc_haystack in;
    const zc_operand *wanted;
    int64_t count;
    int threads;
    int64_t *to;
    zc_progress *progress;
    _Atomic bool is_stopped;
} searching;

/* The elements from `first` to before `end`, in row-major order: pieces of lines along the last axis. */
static void search_range(const searching *s, int64_t first, int64_t end, zc_thread_progress *progress)
{
    const zc_view *view = &s->wanted->view;
    int last = view->rank - 1;
    int64_t extent = view->shape[last];
    while (first < end && !progress->is_stopped) {
        int64_t within = first % extent, count = zc_smaller(extent - within, end - first);
        count = zc_smaller(count, ELEMENTS_PER_PIECE);
        int64_t at = zc_line_start(view, last, first / extent);
        (void)zc_checked_advance(at, within, view->stride[last], &at);
        s->sorter->search(&s->in, zc_operand_at(s->wanted, at), view->stride[last], count, s->to + first);
        first += count;
        (void)zc_thread_progress_add(progress, count * STEPS_PER_SEARCH);
    }
}

static void search_share(void *user, int worker)
{
    searching *s = user;
    zc_thread_progress progress = {.whole = s->progress, .worker = worker};
    search_range(s, zc_begin_of_share(s->count, s->threads, worker),
                 zc_begin_of_share(s->count, s->threads, worker + 1), &progress);
    if (progress.is_stopped)
        atomic_store_explicit(&s->is_stopped, true, memory_order_relaxed);
}

static zc_status search(const zc_operand operands[OPERANDS], zc_dtype dtype, bool right, int64_t count, int64_t *to)
{
    const zc_view *sorted = &operands[SORTED].view;
    zc_context *ctx = operands[WANTED].tensor->ctx;
    zc_pool *pool = count >= LEAST_ELEMENTS_FOR_THREADS ? zc_pool_of(ctx) : NULL;
    searching s = {.sorter = zc_sorter_of(dtype),
                   .wanted = &operands[WANTED],
                   .count = count,
                   .to = to,
                   .progress = &ctx->progress};
    s.in = (zc_haystack){zc_operand_at(&operands[SORTED], sorted->offset), sorted->stride[0], sorted->shape[0], right};
    s.threads = zc_pool_threads(pool);
    bool goes_on = zc_progress_begin(s.progress, count * STEPS_PER_SEARCH); /* proven: the elements lie in memory */
    if (goes_on)
        zc_pool_run(pool, s.threads, search_share, &s);
    return goes_on && !s.is_stopped ? ZC_OK : zc_fail_cancelled(ctx, function);
}

/* Brings both into memory, after what that and the result take was counted. */
static zc_status open_both(zc_tensor *const *lazy, zc_operand operands[OPERANDS])
{
    zc_need need;
    zc_context *ctx = lazy[WANTED]->ctx;
    zc_status status = zc_need_begin(&need, ctx, function, OPERANDS, (const zc_tensor *const *)lazy);
    if (status == ZC_OK) {
        zc_need_add(&need, lazy[WANTED]->size, sizeof(int64_t));
        status = zc_need_check(&need);
    }
    for (int i = 0; i < OPERANDS && status == ZC_OK; i++)
        status = zc_operand_open(&operands[i], lazy[i], &need);
    return status;
}

static zc_status compute(zc_tensor *const *lazy, zc_dtype dtype, bool right, zc_tensor **out)
{
    const zc_tensor *wanted = lazy[WANTED];
    zc_operand operands[OPERANDS];
    operands[SORTED].tensor = operands[WANTED].tensor = NULL;
    operands[SORTED].data = operands[WANTED].data = NULL;
    zc_output result = zc_output_of(out, ZC_INT64, wanted->rank, wanted->dims);
    zc_status status = open_both(lazy, operands);
    if (status == ZC_OK)
        status = zc_outputs_take(&result, 1, wanted->ctx, function);
    if (status == ZC_OK && wanted->size > 0)
        status = search(operands, dtype, right, wanted->size, zc_output_memory(&result));
    if (status != ZC_OK)
        zc_outputs_drop(&result, 1);
    for (int i = 0; i < OPERANDS; i++)
        zc_operand_close(&operands[i]);
    return status == ZC_OK ? zc_outputs_hand_out(&result, 1, wanted->ctx, function) : status;
}

static zc_status check_shapes(const zc_tensor *sorted, const zc_tensor *sorter)
{
    char shape[ZC_SHAPE_TEXT], other[ZC_SHAPE_TEXT];
    (void)zc_shape_text(shape, sizeof shape, sorted->rank, sorted->dims);
    if (sorted->rank != 1)
        return zc_fail(sorted->ctx, ZC_ERROR_SHAPE, function, "what is searched has one axis, not shape %s", shape);
    if (sorter != NULL && !zc_shape_equal(1, sorted->dims, sorter->rank, sorter->dims))
        return zc_fail(sorted->ctx, ZC_ERROR_SHAPE, function,
                       "a sorter of shape %s does not belong to what is searched, of shape %s",
                       zc_shape_text(other, sizeof other, sorter->rank, sorter->dims), shape);
    return ZC_OK;
}

/* Both operands in the dtype in which they meet. */
static zc_status search_in(const zc_tensor *x1, const zc_tensor *x2, const zc_tensor *sorter, zc_dtype dtype,
                           bool right, zc_tensor **out)
{
    zc_tensor *sorted = sorter != NULL ? zc_take_sorted(x1, sorter) : zc_retain((zc_tensor *)(uintptr_t)x1);
    zc_tensor *lazy[OPERANDS] = {zc_astype(sorted, dtype), zc_astype(x2, dtype)};
    bool are_there = lazy[SORTED] != NULL && lazy[WANTED] != NULL;
    zc_status status = are_there ? compute(lazy, dtype, right, out) : zc_error_status(x1->ctx);
    zc_release(sorted);
    zc_release(lazy[SORTED]);
    zc_release(lazy[WANTED]);
    return status;
}

zc_status zc_searchsorted(const zc_tensor *x1, const zc_tensor *x2, bool right, const zc_tensor *sorter,
                          zc_tensor **out)
{
    ZC_DEFAULT_FLOATS();
    zc_dtype dtype;
    if (out != NULL)
        *out = NULL;
    if (ZC_REFUSE_LOST(function, x1, x2) || (sorter != NULL && ZC_REFUSE_LOST(function, x1, sorter)))
        return ZC_ERROR_ARGUMENT;
    zc_status status = zc_check_outs(x1, function, 1, &out);
    if (status == ZC_OK)
        status = check_shapes(x1, sorter);
    if (status != ZC_OK)
        return status;
    zc_tensor *wanted = zc_record_by_value(x2, x1);
    if (wanted == NULL)
        return zc_error_status(x1->ctx);
    status = zc_record_promote(function, (const zc_tensor *const[]){x1, wanted}, 2, &dtype);
    if (status == ZC_OK)
        status = zc_check_order(x1->ctx, dtype, function);
    if (status == ZC_OK)
        status = search_in(x1, wanted, sorter, dtype, right, out);
    zc_release(wanted);
    return status;
}
