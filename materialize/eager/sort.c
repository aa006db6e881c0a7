/*
 * Sorting along an axis: zc_sort, zc_argsort, zc_top_k.
 *
 * An operand that is still to be computed is computed in blocks of lines, each of them sorted before the next one.
 * Every line along the axis is packed, sorted (or its best elements selected) and stored by itself, so the threads of
 * the pool share the lines, or, where there are few long ones, each line. The result does not depend on their number. A
 * line of the result that is consecutive in memory, and whole, is where its elements are sorted; else that happens in
 * work memory.
 */
#include <string.h>

#include "materialize/eager/blocks.h"
#include "materialize/eager/operand.h"
#include "materialize/eager/shared_sort.h"
#include "materialize/sorting/select.h"
#include "runtime/dtypes/float_environment.h"
#include "runtime/graph/variables.h"
#include "runtime/record/select.h"

enum { VALUES, INDEX, RESULTS, LEAST_ELEMENTS_FOR_THREADS = 1 << 14, ELEMENTS_TOGETHER = 1 << 13 };

typedef struct sorting {
    const char *function;
    const zc_tensor *x;
    int axis;
    bool descending;
    int64_t kept;          /* elements of each line that the result has */
    int64_t extent, lines; /* of a line, and of a block */
    int64_t room;          /* elements of a line in work memory: all of it, or fewer of which the best are selected */
    const zc_sorter *values, *numbers; /* for elements of x, and of an index */
    zc_output results[RESULTS];
    zc_blocks blocks;
    zc_operand operand;                                 /* a block of x, */
    zc_view place[RESULTS];                             /* and where its results go */
    bool stores_values_directly, stores_index_directly; /* what is stored is sorted where it will stand */
    bool has_rows;                                      /* of both values alone, which lie one after the other */
    int64_t workers, work_bytes;                        /* of one worker; a multiple of the alignment of data */
    int64_t result_bytes;
    zc_pool *pool;
    int threads; /* of the pool, that share each line; 1: they share the lines */
    char *work;
    zc_progress *progress;
    _Atomic bool is_stopped;
} sorting;

/* ---- One line ---- */

/* The next `bytes` bytes of a worker's memory. */
static void *cut(char **room, int64_t count, size_t bytes_each)
{
    void *here = *room;
    *room += zc_align_data((size_t)count * bytes_each); /* proven: the work memory has them */
    return here;
}

/* A line of the block in a result. */
static char *line_of_result(const sorting *s, int result, int64_t line)
{
    const zc_output *to = &s->results[result];
    int64_t place = zc_line_start(&s->place[result], s->axis, line);
    return (char *)to->buffer->memory + (size_t)place * zc_dtype_bytes(to->dtype);
}

/* Stores what the result keeps of a row, unless it stands there. */
static void store(const sorting *s, int result, const zc_sorter *sorter, int64_t line, const void *row)
{
    if (s->results[result].out == NULL)
        return;
    char *to = line_of_result(s, result, line);
    if (to != row)
        sorter->unpack(row, s->kept, to, s->place[result].stride[s->axis]);
}

static int64_t steps_of(const sorting *s, int64_t elements)
{
    return elements * ((int64_t)s->operand.item_bytes + 1); /* proven: far below what a machine can do */
}

typedef struct packing {
    const sorting *s;
    const char *from;
    zc_line *line;
} packing;

static void pack_piece(const packing *p, int64_t first, int64_t end)
{
    const sorting *s = p->s;
    const int64_t stride = s->operand.view.stride[s->axis];
    const size_t item = s->operand.item_bytes;
    for (int64_t i = first; p->line->index != NULL && i < end; i++)
        p->line->index[i] = i;
    s->values->pack(p->from + first * stride * (int64_t)item, stride, end - first, /* proven: inside the memory */
                    (char *)p->line->values + (size_t)first * item);
}

/* A thread's share of the elements of a line, and their numbers, in pieces between which the call may be stopped. */
static void pack_share(void *user, int worker)
{
    const packing *p = user;
    const sorting *s = p->s;
    zc_thread_progress progress = {.whole = s->progress, .worker = p->line->progress->worker + worker}; /* one is 0 */
    const int64_t end = zc_begin_of_share(s->extent, s->threads, worker + 1);
    bool goes_on = true;
    for (int64_t first = zc_begin_of_share(s->extent, s->threads, worker), next; goes_on && first < end; first = next) {
        next = zc_smaller(end, first + ZC_STEPS_PER_LOOK);
        pack_piece(p, first, next);
        goes_on = next == end || zc_thread_progress_look(&progress); /* which takes longer than a short line */
    }
}

static bool sort_all(const sorting *s, const char *from, zc_line *line)
{
    packing p = {s, from, line};
    zc_pool_run(s->pool, s->threads, pack_share, &p);
    if (zc_progress_stops(s->progress)) {
        line->progress->is_stopped = true;
        return false;
    }
    return zc_sort_shared(line, s->values, s->operand.item_bytes, s->pool, s->threads);
}

static bool select_best(const sorting *s, const char *from, zc_line *line)
{
    const zc_selection selection = {zc_dtype_of(s->x), from, s->operand.view.stride[s->axis], s->extent, s->kept};
    return zc_select(&selection, line);
}

/* False: stopped. */
static bool sort_line(const sorting *s, int64_t number, char *room, zc_thread_progress *progress)
{
    const zc_operand *x = &s->operand;
    zc_line line = {.count = s->extent, .descending = s->descending, .progress = progress};
    line.values = s->stores_values_directly ? line_of_result(s, VALUES, number) : cut(&room, s->room, x->item_bytes);
    line.spare = cut(&room, s->room, x->item_bytes);
    if (s->results[INDEX].out != NULL) {
        line.index = s->stores_index_directly ? (int64_t *)(void *)line_of_result(s, INDEX, number)
                                              : cut(&room, s->room, sizeof(int64_t));
        line.index_spare = cut(&room, s->room, sizeof(int64_t));
    }
    if (s->threads > 1) /* it is exchanged again */
        zc_line_exchange(&line);
    const char *from = zc_operand_at(x, zc_line_start(&x->view, s->axis, number));
    if (!(s->room < s->extent ? select_best(s, from, &line) : sort_all(s, from, &line)))
        return false;
    store(s, VALUES, s->values, number, line.values);
    store(s, INDEX, s->numbers, number, line.index);
    return zc_thread_progress_add(progress, steps_of(s, s->extent) - line.steps);
}

/* Sorts short rows that lie one after the other, from `first` to before `end`; how many: as many as kernels sort at
 * once.
 */
static int64_t sort_rows(const sorting *s, int64_t first, int64_t end, zc_thread_progress *progress)
{
    const int64_t item = (int64_t)s->operand.item_bytes;
    const int64_t from = (s->operand.view.offset + first * s->extent) * item; /* proven: inside the memory */
    const int64_t to = (s->place[VALUES].offset + first * s->extent) * item;  /* proven: likewise */
    const int64_t rows = zc_smaller(end - first, ELEMENTS_TOGETHER / s->extent + 1);
    const int64_t sorted = s->values->sort_rows(s->operand.memory + from, rows, s->extent, s->descending,
                                                (char *)s->results[VALUES].buffer->memory + to);
    (void)zc_thread_progress_add(progress, steps_of(s, sorted * s->extent));
    return sorted;
}

static void sort_share(void *user, int worker)
{
    sorting *s = user;
    int64_t first = zc_begin_of_share(s->lines, s->workers, worker);
    const int64_t end = zc_begin_of_share(s->lines, s->workers, worker + 1);
    char *work = s->work + (size_t)worker * (size_t)s->work_bytes;
    zc_thread_progress progress = {.whole = s->progress, .worker = worker};
    bool goes_on = true;
    while (first < end && goes_on) {
        const int64_t sorted = s->has_rows ? sort_rows(s, first, end, &progress) : 0;
        first += sorted;
        goes_on = !progress.is_stopped && (sorted > 0 || sort_line(s, first++, work, &progress));
    }
    if (progress.is_stopped)
        atomic_store_explicit(&s->is_stopped, true, memory_order_relaxed);
}

/* ---- All lines ---- */

/* Tells whether the lines of a result are rows of all that is sorted. */
static bool has_whole_rows(const sorting *s, const zc_output *result)
{
    return result->out != NULL && s->kept == s->extent && result->view.stride[s->axis] <= 1;
}

/* A row in work memory, its end aligned. */
static void add_room(zc_need *need, const sorting *s, size_t bytes_each, int rows)
{
    zc_need_add(need, s->room, bytes_each * (size_t)rows);
    zc_need_add(need, rows, ZC_DATA_ALIGNMENT);
}

/* Adds memory of the results and of one worker. */
static void add_own(void *user, const zc_blocks *blocks, zc_need *need)
{
    sorting *s = user;
    (void)blocks; /* a line is sorted at a time */
    size_t item = zc_dtype_bytes(zc_dtype_of(s->x));
    zc_need one = {.ctx = need->ctx, .function = need->function};
    add_room(&one, s, item, s->stores_values_directly ? 1 : 2);
    if (s->results[INDEX].out != NULL)
        add_room(&one, s, sizeof(int64_t), s->stores_index_directly ? 1 : 2);
    need->overflows |= one.overflows;
    s->work_bytes = one.alive_bytes / ZC_DATA_ALIGNMENT * ZC_DATA_ALIGNMENT;
    zc_need_add(need, 1, (size_t)s->work_bytes);
    const int64_t before = need->own_bytes;
    for (int i = 0; i < RESULTS; i++) {
        if (s->results[i].out != NULL)
            zc_need_add(need, zc_view_size(&s->results[i].view), zc_dtype_bytes(s->results[i].dtype));
    }
    s->result_bytes = need->own_bytes - before;
}

/* Counts workers: one at least, and more for threads and lines of a block while the limit leaves memory for them. */
static void share_work(sorting *s, zc_need *need)
{
    const int64_t most = s->threads > 1 ? 1 : zc_smaller(zc_pool_threads(s->pool), s->lines);
    for (s->workers = 1; s->workers < most; s->workers++) {
        zc_need more = *need;
        zc_need_add(&more, 1, (size_t)s->work_bytes);
        if (!zc_need_fits(&more))
            return;
        *need = more;
    }
}

/* Finds blocks with which all of it fits into memory, if there are some, and the threads' work. */
static zc_status prepare(sorting *s, zc_need *need)
{
    const size_t item = zc_dtype_bytes(zc_dtype_of(s->x));
    zc_status status = zc_blocks_begin(&s->blocks, s->x, UINT64_C(1) << s->axis, NULL, s->function);
    s->blocks.is_whole |= zc_is_view(s->x); /* which takes no memory */
    s->stores_values_directly = has_whole_rows(s, &s->results[VALUES]);
    s->stores_index_directly = has_whole_rows(s, &s->results[INDEX]);
    if (status == ZC_OK)
        status = zc_blocks_fit(&s->blocks, add_own, s, need);
    if (status != ZC_OK)
        return status;
    s->lines = zc_blocks_elements(&s->blocks) / s->extent;
    s->threads = s->room == s->extent ? zc_sort_threads(s->pool, s->extent, item, s->results[INDEX].out != NULL) : 1;
    if (s->threads <= s->lines) /* as many are busy with lines of their own */
        s->threads = 1;
    share_work(s, need);
    return zc_need_fits(need) ? ZC_OK : zc_blocks_refuse(&s->blocks, need, s->result_bytes);
}

/* Memory for the results and the threads. */
static zc_status take_memory(sorting *s, zc_context *ctx)
{
    s->work = zc_heap_take_data(ctx->heap, (size_t)s->workers * (size_t)s->work_bytes);
    return s->work != NULL ? zc_outputs_take(s->results, RESULTS, ctx, s->function) : zc_fail_memory(ctx, s->function);
}

/* Sorts the lines of a block that is in memory. */
static zc_status sort_lines(sorting *s, zc_context *ctx)
{
    const zc_view *x = &s->operand.view;
    s->lines = zc_view_size(x) / s->extent;
    s->has_rows = s->stores_values_directly && s->results[INDEX].out == NULL && zc_view_is_dense(x) &&
                  zc_view_is_dense(&s->place[VALUES]);
    s->progress = &ctx->progress;
    atomic_init(&s->is_stopped, false);
    bool goes_on = zc_progress_begin(s->progress, steps_of(s, zc_view_size(x)));
    if (goes_on)
        zc_pool_run(s->pool, (int)s->workers, sort_share, s);
    return goes_on && !s->is_stopped ? ZC_OK : zc_fail_cancelled(ctx, s->function);
}

static zc_status sort_block(sorting *s, int64_t k, const zc_need *need)
{
    zc_context *ctx = s->x->ctx;
    zc_need rest = *need;
    rest.own_bytes = k == 0 ? need->own_bytes : 0; /* which the first block takes */
    zc_tensor *block = zc_block_take(&s->blocks, k);
    zc_status status = block != NULL ? zc_operand_open(&s->operand, block, &rest) : zc_error_status(ctx);
    zc_release(block);
    if (status == ZC_OK && k == 0) /* behind the temporaries of the first block */
        status = take_memory(s, ctx);
    for (int i = 0; i < RESULTS; i++)
        zc_block_place(&s->blocks, k, &s->results[i].view, &s->place[i]);
    if (status == ZC_OK)
        status = sort_lines(s, ctx);
    if (status == ZC_OK && s->results[VALUES].out != NULL)
        zc_operand_sources(&s->operand, &s->results[VALUES].buffer->sources);
    zc_operand_close(&s->operand);
    return status;
}

static zc_status run(sorting *s, zc_context *ctx)
{
    zc_need need = {.ctx = ctx, .function = s->function};
    s->pool = s->x->size >= LEAST_ELEMENTS_FOR_THREADS ? zc_pool_of(ctx) : NULL;
    zc_status status = prepare(s, &need);
    if (status != ZC_OK)
        return status;
    const int64_t blocks = zc_blocks_count(&s->blocks);
    for (int64_t k = 0; status == ZC_OK && k < blocks; k++)
        status = sort_block(s, k, &need);
    if (status != ZC_OK)
        zc_outputs_drop(s->results, RESULTS);
    zc_heap_give_data(ctx->heap, s->work, (size_t)s->workers * (size_t)s->work_bytes);
    return status;
}

/* ---- The calls ---- */

static zc_status sort(sorting *s, zc_tensor **values, zc_tensor **index)
{
    zc_context *ctx = s->x->ctx;
    zc_tensor *own_index = NULL;
    const bool keeps_history = values != NULL && s->x->size > 0 && zc_node_varies(s->x->node);
    index = keeps_history && index == NULL ? &own_index : index;
    int64_t shape[ZC_MAX_RANK];
    memcpy(shape, s->x->dims, (size_t)s->x->rank * sizeof *shape);
    shape[s->axis] = s->kept;
    s->extent = s->x->dims[s->axis];
    s->room = zc_select_room(s->kept, s->extent);
    s->lines = s->x->size > 0 ? s->x->size / s->extent : 0;
    s->values = zc_sorter_of(zc_dtype_of(s->x));
    s->numbers = zc_sorter_of(ZC_INT64);
    s->results[VALUES] = zc_output_of(values, zc_dtype_of(s->x), s->x->rank, shape);
    s->results[INDEX] = zc_output_of(index, ZC_INT64, s->x->rank, shape);
    zc_status status =
        s->lines > 0 && s->kept > 0 ? run(s, ctx) : zc_outputs_take(s->results, RESULTS, ctx, s->function);
    if (status == ZC_OK)
        status = zc_outputs_hand_out(s->results, RESULTS, ctx, s->function);
    if (status == ZC_OK && keeps_history)
        status = zc_output_keep_history(s->x, *index, s->axis, s->function, values);
    if (status != ZC_OK && index != NULL) {
        zc_release(*index);
        *index = NULL;
    }
    zc_release(own_index);
    return status;
}

static zc_status resolve_axis(const zc_tensor *x, int axis, sorting *s)
{
    zc_reason why;
    s->x = x;
    zc_status status = zc_check_order(x->ctx, zc_dtype_of(x), s->function);
    if (status != ZC_OK)
        return status;
    status = zc_axis_resolve(axis, x->rank, &s->axis, &why);
    if (status != ZC_OK)
        return zc_fail_because(x->ctx, status, s->function, &why);
    s->kept = x->dims[s->axis];
    return ZC_OK;
}

zc_status zc_sort(const zc_tensor *x, int axis, bool descending, zc_tensor **out)
{
    ZC_DEFAULT_FLOATS();
    sorting s = {.function = "sort", .descending = descending};
    zc_status status = zc_check_outs(x, s.function, 1, &out);
    if (status == ZC_OK)
        status = resolve_axis(x, axis, &s);
    return status == ZC_OK ? sort(&s, out, NULL) : status;
}

zc_status zc_argsort(const zc_tensor *x, int axis, bool descending, zc_tensor **out)
{
    ZC_DEFAULT_FLOATS();
    sorting s = {.function = "argsort", .descending = descending};
    zc_status status = zc_check_outs(x, s.function, 1, &out);
    if (status == ZC_OK)
        status = resolve_axis(x, axis, &s);
    return status == ZC_OK ? sort(&s, NULL, out) : status;
}

/* Records both; neither after a failure. */
static zc_status select(const zc_tensor *x, const sorting *s, zc_tensor **values, zc_tensor **indices)
{
    const zc_reduction by = s->descending ? ZC_REDUCTION_MAX : ZC_REDUCTION_MIN;
    const zc_reduction numbers = s->descending ? ZC_REDUCTION_ARGMAX : ZC_REDUCTION_ARGMIN;
    *indices = zc_record_select(x, s->axis, s->kept, numbers, s->function); /* before the values, which look them up */
    *values = *indices == NULL ? NULL : zc_record_select(x, s->axis, s->kept, by, s->function);
    if (*values != NULL)
        return ZC_OK;
    zc_release(*indices);
    *indices = NULL;
    return zc_error_status(x->ctx);
}

zc_status zc_top_k(const zc_tensor *x, int64_t k, int axis, bool largest, zc_tensor **values, zc_tensor **indices)
{
    ZC_DEFAULT_FLOATS();
    sorting s = {.function = "top_k", .descending = largest};
    char shape[ZC_SHAPE_TEXT];
    zc_status status = zc_check_outs(x, s.function, 2, (zc_tensor * *const[]){values, indices});
    if (status == ZC_OK)
        status = resolve_axis(x, axis, &s);
    if (status != ZC_OK)
        return status;
    if (k < 0 || k > s.kept)
        return zc_fail(x->ctx, ZC_ERROR_ARGUMENT, s.function, "%lld elements cannot be taken along axis %d of shape %s",
                       (long long)k, s.axis, zc_shape_text(shape, sizeof shape, x->rank, x->dims));
    s.kept = k;
    return zc_may_select(x, s.axis, k) ? select(x, &s, values, indices) : sort(&s, values, indices);
}
