/*
 * The different elements of a tensor: zc_unique_values, zc_unique_counts, zc_unique_inverse, zc_unique_all.
 *
 * All elements are sorted as one line, with their numbers where those are asked for; then the groups of equal ones are
 * counted, which is when the sizes of the results are known, and written.
 */
#include <string.h>

#include "materialize/eager/operand.h"
#include "materialize/eager/shared_sort.h"
#include "runtime/dtypes/float_environment.h"
#include "runtime/graph/variables.h"

enum { VALUES, FIRST, INVERSE, COUNTS, RESULTS, LEAST_ELEMENTS_FOR_THREADS = 1 << 16 };

typedef struct uniting {
    const char *function;
    const zc_tensor *x;
    const zc_sorter *sorter;
    zc_tensor **outs[RESULTS]; /* NULL: not asked for */
    zc_output results[RESULTS];
    zc_sources sources; /* of the values */
    zc_line line;
    zc_thread_progress progress;
    char *work;
    int64_t work_bytes;
} uniting;

static bool wants_index(const uniting *u)
{
    return u->outs[FIRST] != NULL || u->outs[INVERSE] != NULL;
}

/* Work memory: the numbers first, since they need the wider alignment. */
static zc_status take_work(uniting *u)
{
    zc_context *ctx = u->x->ctx;
    size_t item = zc_dtype_bytes(zc_dtype_of(u->x)), count = (size_t)u->x->size;
    size_t index_bytes = wants_index(u) ? count * sizeof(int64_t) : 0; /* proven: the need was checked */
    u->work = zc_heap_take_data(ctx->heap, (size_t)u->work_bytes);
    if (u->work == NULL)
        return zc_fail_memory(ctx, u->function);
    u->line = (zc_line){.count = u->x->size, .values = u->work + 2 * index_bytes};
    u->line.spare = u->work + 2 * index_bytes + count * item; /* proven: the need was checked */
    if (!wants_index(u))
        return ZC_OK;
    u->line.index = (int64_t *)(void *)u->work;
    u->line.index_spare = u->line.index + count;
    for (size_t i = 0; i < count; i++)
        u->line.index[i] = (int64_t)i;
    return ZC_OK;
}

static zc_status sort_all(uniting *u, const zc_operand *operand)
{
    zc_context *ctx = u->x->ctx;
    const zc_view *view = &operand->view;
    int last = view->rank - 1;
    int64_t extent = view->shape[last], lines = u->line.count / extent;
    char *to = u->line.values;
    for (int64_t line = 0; line < lines; line++) {
        const char *from = zc_operand_at(operand, zc_line_start(view, last, line));
        u->sorter->pack(from, view->stride[last], extent, to);
        to += (size_t)extent * operand->item_bytes; /* proven: inside the work memory */
    }
    u->progress = (zc_thread_progress){.whole = &ctx->progress};
    u->line.progress = &u->progress;
    int64_t steps = u->line.count * ((int64_t)operand->item_bytes + 1); /* proven: far below overflow */
    zc_pool *pool = u->line.count >= LEAST_ELEMENTS_FOR_THREADS ? zc_pool_of(ctx) : NULL;
    bool goes_on = zc_progress_begin(u->progress.whole, steps) &&
                   zc_sort_shared(&u->line, u->sorter, operand->item_bytes, pool,
                                  zc_sort_threads(pool, u->line.count, operand->item_bytes, wants_index(u))) &&
                   zc_thread_progress_add(&u->progress, steps - u->line.steps);
    return goes_on ? ZC_OK : zc_fail_cancelled(ctx, u->function);
}

/* The results' sizes are known now: counts them, and takes them when they fit. */
static zc_status take_results(uniting *u, int64_t groups)
{
    zc_context *ctx = u->x->ctx;
    zc_need need = {.ctx = ctx, .function = u->function};
    for (int i = 0; i < RESULTS; i++) {
        zc_dtype dtype = i == VALUES ? zc_dtype_of(u->x) : ZC_INT64;
        u->results[i] = i == INVERSE ? zc_output_of(u->outs[i], dtype, u->x->rank, u->x->dims)
                                     : zc_output_of(u->outs[i], dtype, 1, &groups);
        if (u->outs[i] != NULL)
            zc_need_add(&need, zc_view_size(&u->results[i].view), zc_dtype_bytes(dtype));
    }
    zc_status status = zc_need_check(&need);
    return status == ZC_OK ? zc_outputs_take(u->results, RESULTS, ctx, u->function) : status;
}

static zc_status write_values(uniting *u)
{
    const int64_t groups = u->sorter->distinct(&u->line);
    zc_status status = take_results(u, groups);
    if (status == ZC_OK)
        memcpy(u->results[VALUES].buffer->memory, u->line.values, (size_t)groups * zc_dtype_bytes(zc_dtype_of(u->x)));
    return status;
}

static zc_status write_groups(uniting *u)
{
    const zc_groups none = {.values = NULL};
    zc_status status = take_results(u, u->sorter->group(&u->line, &none));
    if (status != ZC_OK)
        return status;
    zc_groups to = {zc_output_memory(&u->results[VALUES]), zc_output_memory(&u->results[FIRST]),
                    zc_output_memory(&u->results[COUNTS]), zc_output_memory(&u->results[INVERSE])};
    (void)u->sorter->group(&u->line, &to);
    return ZC_OK;
}

static zc_status compute(uniting *u)
{
    zc_need need;
    zc_operand operand = {.tensor = NULL};
    zc_context *ctx = u->x->ctx;
    zc_status status = zc_need_begin(&need, ctx, u->function, 1, &u->x);
    if (status != ZC_OK)
        return status;
    zc_need work = {.ctx = ctx};
    zc_need_add(&work, u->x->size, 2 * (zc_dtype_bytes(zc_dtype_of(u->x)) + (wants_index(u) ? sizeof(int64_t) : 0)));
    need.overflows |= work.overflows;
    u->work_bytes = work.alive_bytes;
    zc_need_add(&need, 1, (size_t)u->work_bytes);
    zc_need_add(&need, u->outs[INVERSE] != NULL ? u->x->size : 0, sizeof(int64_t));
    status = zc_need_check(&need);
    if (status == ZC_OK)
        status = zc_operand_open(&operand, u->x, &need);
    if (status != ZC_OK)
        return status;
    status = take_work(u);
    if (status == ZC_OK)
        status = sort_all(u, &operand);
    zc_sources_add(&u->sources, zc_node_data(operand.tensor->node));
    zc_operand_close(&operand);
    const bool has_values_alone = !wants_index(u) && u->outs[COUNTS] == NULL;
    if (status == ZC_OK)
        status = has_values_alone ? write_values(u) : write_groups(u);
    if (status == ZC_OK)
        u->results[VALUES].buffer->sources = u->sources;
    zc_heap_give_data(ctx->heap, u->work, (size_t)u->work_bytes);
    return status;
}

/* The first of equal elements hands its gradient on. */
static zc_status keep_history(const uniting *u)
{
    zc_tensor *flat = zc_reshape(u->x, ZC_SHAPE(-1));
    zc_status status = flat == NULL ? zc_error_status(u->x->ctx)
                                    : zc_output_keep_history(flat, *u->outs[FIRST], 0, u->function, u->outs[VALUES]);
    zc_release(flat);
    return status;
}

/* Fills u->outs; those that were named are all there. */
static zc_status unite(const char *function, const zc_tensor *x, uniting *u)
{
    zc_tensor *own_index = NULL;
    ZC_DEFAULT_FLOATS();
    u->function = function;
    u->x = x;
    u->sorter = zc_sorter_of(zc_dtype_of(x));
    const bool keeps_history = x->size > 0 && zc_node_varies(x->node);
    if (keeps_history && u->outs[FIRST] == NULL)
        u->outs[FIRST] = &own_index;
    zc_status status = zc_check_order(x->ctx, zc_dtype_of(x), function);
    if (status == ZC_OK)
        status = x->size > 0 ? compute(u) : take_results(u, 0);
    if (status == ZC_OK)
        status = zc_outputs_hand_out(u->results, RESULTS, x->ctx, function);
    if (status == ZC_OK && keeps_history)
        status = keep_history(u);
    for (int i = 0; i < RESULTS && status != ZC_OK; i++) {
        if (u->outs[i] != NULL) {
            zc_release(*u->outs[i]);
            *u->outs[i] = NULL;
        }
    }
    zc_release(own_index);
    return status;
}

zc_status zc_unique_values(const zc_tensor *x, zc_tensor **values)
{
    uniting u = {.outs = {values}};
    zc_status status = zc_check_outs(x, "unique_values", 1, &values);
    return status == ZC_OK ? unite("unique_values", x, &u) : status;
}

zc_status zc_unique_counts(const zc_tensor *x, zc_tensor **values, zc_tensor **counts)
{
    uniting u = {.outs = {[VALUES] = values, [COUNTS] = counts}};
    zc_status status = zc_check_outs(x, "unique_counts", 2, (zc_tensor * *const[]){values, counts});
    return status == ZC_OK ? unite("unique_counts", x, &u) : status;
}

zc_status zc_unique_inverse(const zc_tensor *x, zc_tensor **values, zc_tensor **inverse_indices)
{
    uniting u = {.outs = {[VALUES] = values, [INVERSE] = inverse_indices}};
    zc_status status = zc_check_outs(x, "unique_inverse", 2, (zc_tensor * *const[]){values, inverse_indices});
    return status == ZC_OK ? unite("unique_inverse", x, &u) : status;
}

zc_status zc_unique_all(const zc_tensor *x, zc_tensor **values, zc_tensor **indices, zc_tensor **inverse_indices,
                        zc_tensor **counts)
{
    uniting u = {.outs = {values, indices, inverse_indices, counts}};
    zc_status status = zc_check_outs(x, "unique_all", RESULTS, u.outs);
    return status == ZC_OK ? unite("unique_all", x, &u) : status;
}
