#include "materialize/tile.h"

#include <stdatomic.h>
#include <string.h>

#include "materialize/pool.h"

/* Below this much work (elements times the cost of their operations) it takes longer to wake a thread, and to wait for
 * it, than it helps. */
enum { LEAST_WORK_FOR_THREADS = 1 << 16, CHUNKS_PER_THREAD = 8 };

/* ---- Storing ---- */

char *zc_tile_store_address(const zc_tile_worker *w)
{
    const zc_tile_program *p = w->program;
    int64_t at = p->stage->store_offset;
    for (int a = 0; a < (p->stage->reduces ? p->kept : p->rank); a++)
        at += w->position[a] * p->stride[a]; /* proven: verified to be inside */
    return p->slots[p->stage->store_slot] + (size_t)at * zc_dtype_bytes(p->stage->result_dtype);
}

/* What is true becomes 1 where it is stored, so bools are not moved as they are. */
static bool is_stored_streaming(const zc_tile_program *p)
{
    return p->is_streamed && p->stage->result_dtype != ZC_BOOL;
}

void zc_tile_store_run(const zc_tile_worker *w, char *to, const char *from, int64_t stride, int64_t n)
{
    zc_dtype dtype = w->program->stage->result_dtype;
    bool is_run = stride == 1 || n == 1;
    if (is_run && is_stored_streaming(w->program))
        w->program->kernels->stream(to, 0, from, (size_t)n * zc_dtype_bytes(dtype), 1);
    else if (is_run)
        w->program->kernels->map[ZC_OP_COPY][dtype](to, from, NULL, NULL, n);
    else
        w->program->kernels->scatter[dtype](to, from, stride, n);
}

int64_t zc_tile_store_stride(const zc_tile_program *p, int axis)
{
    return axis < 0 ? 0 : p->stride[axis];
}

static bool tile_is_stored_in_place(const zc_tile_worker *w)
{
    const zc_tile_program *p = w->program;
    return p->shared_columns == 0 && (w->columns == 1 || zc_tile_store_stride(p, p->col_axis) == 1) &&
           (w->rows == 1 || zc_tile_store_stride(p, p->row_axis) == w->columns);
}

/* The first column from `column` on of a row of the tile that begins a cache line: what lies before, up to there, is
 * the tile's that comes before. */
static int64_t first_own_column(const zc_tile_worker *w, const char *row, int64_t column)
{
    int64_t item = (int64_t)zc_dtype_bytes(w->program->stage->result_dtype);
    int64_t begun = (int64_t)((uintptr_t)(row + column * item) % ZC_DATA_ALIGNMENT);
    int64_t rest = begun == 0 ? 0 : (ZC_DATA_ALIGNMENT - begun) / item;
    return zc_smaller(column + rest, w->columns);
}

/* A row of a tile that shares columns with its neighbours: every element is stored once, with the rest of its line. */
static void store_own_columns(const zc_tile_worker *w, char *row, const char *from)
{
    const zc_tile_program *p = w->program;
    const int64_t at = w->position[p->col_axis], item = (int64_t)zc_dtype_bytes(p->stage->result_dtype);
    const int64_t step = p->columns - p->shared_columns;
    int64_t first = at == 0 ? 0 : first_own_column(w, row, 0);
    int64_t end = at + step >= p->shape[p->col_axis] ? w->columns : first_own_column(w, row, step);
    if (first < end)
        zc_tile_store_run(w, row + first * item, from + first * item, 1, end - first);
}

static void store_rows(const zc_tile_worker *w, char *to, const char *from)
{
    const zc_tile_program *p = w->program;
    const size_t row_bytes = (size_t)w->columns * zc_dtype_bytes(p->stage->result_dtype);
    int64_t col_stride = zc_tile_store_stride(p, p->col_axis);
    int64_t pitch = zc_tile_store_stride(p, p->row_axis) * (int64_t)zc_dtype_bytes(p->stage->result_dtype);
    if (p->shared_columns == 0 && col_stride == 1 && is_stored_streaming(p)) {
        p->kernels->stream(to, pitch, from, row_bytes, w->rows);
        return;
    }
    for (int64_t r = 0; r < w->rows; r++, to += pitch, from += row_bytes) {
        if (p->shared_columns > 0)
            store_own_columns(w, to, from);
        else
            zc_tile_store_run(w, to, from, col_stride, w->columns);
    }
}

static void store_tile(const zc_tile_worker *w, char *to, const char *from)
{
    const zc_tile_program *p = w->program;
    if (to == from)
        return;
    if (tile_is_stored_in_place(w))
        zc_tile_store_run(w, to, from, 1, w->rows * w->columns);
    else if (w->columns == 1 && p->shared_columns == 0)
        zc_tile_store_run(w, to, from, zc_tile_store_stride(p, p->row_axis), w->rows);
    else
        store_rows(w, to, from);
}

static void make_tile(zc_tile_worker *w)
{
    const zc_stage *stage = w->program->stage;
    char *to = zc_tile_store_address(w);
    if (w->program->is_bare) {
        int64_t pitch = zc_tile_store_stride(w->program, w->program->row_axis);
        zc_tile_copy(w, to, pitch * (int64_t)zc_dtype_bytes(stage->result_dtype));
        return;
    }
    if (!stage->reduces) {
        store_tile(w, to, zc_tile_evaluate(w, w->program->is_by_rows || tile_is_stored_in_place(w) ? to : NULL));
        return;
    }
    /* A reduction whose axes were all free, or empty: only its rule is left to apply. */
    char *results = w->scratch + w->program->results_at;
    const char *values = zc_walked_count(stage) == 0 ? NULL : zc_tile_evaluate(w, NULL);
    if (values == NULL)
        zc_tile_count(w);
    zc_conclude(stage, values, NULL, results, w->rows * w->columns);
    store_tile(w, to, results);
}

/* ---- Joining ---- */

/* Joins every tile of the worker's unit whose elements lie in [first, end) of the joined ones. A part of them is
 * only asked for when they lie along a single axis. */
static void join_tiles(zc_tile_worker *w, int64_t first, int64_t end)
{
    const zc_tile_program *p = w->program;
    int64_t at[ZC_MAX_RANK] = {0};
    bool is_part = p->groups > 1;
    at[0] = is_part ? first / p->inner[0].step : 0;
    int64_t stop = is_part ? (end + p->inner[0].step - 1) / p->inner[0].step : p->inner[0].count;
    while (at[0] < stop && !w->pace.is_stopped) {
        for (int i = 0; i < p->inner_count; i++)
            zc_tile_move(w, p->inner[i].axis, at[i] * p->inner[i].step); /* proven: inside the axis */
        int64_t pitch;
        const char *elements = zc_tile_rows(w, &pitch);
        if (p->mode == ZC_TILE_RUN)
            zc_joiner_run(&w->joiner, elements, w->rows * w->columns);
        else
            zc_joiner_rows(&w->joiner, elements, pitch, w->rows);
        int i = p->inner_count - 1;
        while (++at[i] == p->inner[i].count && i > 0)
            at[i--] = 0;
    }
}

/* Each row of the tile is all the elements of a result. */
static int64_t join_rows(zc_tile_worker *w, char *results, int64_t *numbers)
{
    const zc_stage *stage = w->program->stage;
    const zc_kernels *k = w->program->kernels;
    zc_dtype dtype = (zc_dtype)zc_stage_result(stage)->dtype;
    zc_tile_move(w, w->program->col_axis, 0);
    const char *elements = zc_tile_evaluate(w, NULL);
    k->rows[stage->reduction][dtype](results, elements, w->columns, w->rows, w->joiner.padding.bytes);
    size_t item = zc_dtype_bytes(dtype);
    for (int64_t r = 0; zc_reduction_is_index(stage->reduction) && r < w->rows; r++)
        numbers[r] = k->find[dtype](elements + (size_t)(r * w->columns) * item, results + (size_t)r * item, w->columns);
    return w->rows;
}

static void store_results(zc_tile_worker *w, const char *joined, const int64_t *numbers, int64_t n)
{
    const zc_tile_program *p = w->program;
    /* Results are as wide as what was joined, or are indices and go where the numbers are. */
    bool is_index = zc_reduction_is_index(p->stage->reduction);
    char *results = w->scratch + (is_index ? p->numbers_at : p->results_at);
    zc_conclude(p->stage, joined, is_index ? numbers : NULL, results, n);
    int axis = p->mode == ZC_TILE_ROWS ? p->row_axis : p->col_axis;
    zc_tile_store_run(w, zc_tile_store_address(w), results, n == 1 ? 1 : zc_tile_store_stride(p, axis), n);
}

/* ---- Units of work ---- */

/* The partial results of groups, when a unit's elements are divided among threads. */
typedef struct partial_results {
    char *values;     /* [units][groups][columns] */
    int64_t *numbers; /* the same; of index reductions */
} partial_results;

/* A thread's part of the tasks: consecutive ones, so that it reads on where it has read, and in the next run of the
 * same stage what it read then. Who is done with his own takes chunks of the others'. */
typedef struct zc_tile_share {
    _Alignas(ZC_DATA_ALIGNMENT) _Atomic int64_t next;
    int64_t end;
} zc_tile_share;

typedef struct job {
    const zc_tile_program *program;
    zc_watch *watch;
    zc_tile_worker *workers;
    zc_tile_share *shares;
    partial_results partial;
    int threads;
    int64_t tasks, chunk;
} job;

static void move_to_unit(zc_tile_worker *w, int64_t unit)
{
    const zc_tile_program *p = w->program;
    for (int i = p->outer_count - 1; i >= 0; i--) {
        zc_tile_move(w, p->outer[i].axis, unit % p->outer[i].count * p->outer[i].step); /* proven: inside the axis */
        unit /= p->outer[i].count;
    }
}

static int64_t unit_columns(const zc_tile_worker *w)
{
    return w->program->mode == ZC_TILE_COLUMN ? w->columns : 1;
}

/* Joins a group of the unit at hand. */
static void join_group(zc_tile_worker *w, int64_t group, char *results, int64_t *numbers)
{
    const zc_tile_program *p = w->program;
    int64_t first = group * p->group_length, end = first + p->group_length;
    int64_t all = zc_walked_count(p->stage);
    zc_joiner_begin(&w->joiner, unit_columns(w), first);
    join_tiles(w, first, end < all ? end : all);
    zc_joiner_end(&w->joiner, results, numbers);
}

static void run_unit(zc_tile_worker *w, int64_t unit)
{
    const zc_tile_program *p = w->program;
    move_to_unit(w, unit);
    char *results = w->scratch + p->results_at;
    int64_t *numbers = (int64_t *)(void *)(w->scratch + p->numbers_at);
    if (p->mode == ZC_TILE_STORE) {
        make_tile(w);
    } else if (p->mode == ZC_TILE_PAIRS) {
        zc_tile_pairs(w);
    } else if (p->mode == ZC_TILE_ADD) {
        zc_tile_add(w);
    } else if (p->mode == ZC_TILE_SCAN_RUN || p->mode == ZC_TILE_SCAN_COLUMN) {
        zc_tile_scan(w);
    } else if (p->mode == ZC_TILE_ROWS) {
        int64_t n = join_rows(w, results, numbers);
        store_results(w, results, numbers, n);
    } else {
        join_group(w, 0, results, numbers);
        store_results(w, results, numbers, unit_columns(w));
    }
}

static void run_group(job *j, zc_tile_worker *w, int64_t task)
{
    const zc_tile_program *p = j->program;
    size_t item = w->joiner.item;
    move_to_unit(w, task / p->groups);
    int64_t at = task / p->groups * p->groups * p->joined + task % p->groups * unit_columns(w);
    join_group(w, task % p->groups, j->partial.values + (size_t)at * item, j->partial.numbers + at);
}

static void run_task(job *j, zc_tile_worker *w, int64_t task)
{
    if (j->program->groups > 1)
        run_group(j, w, task);
    else
        run_unit(w, task);
}

static void run_share(job *j, zc_tile_worker *w, zc_tile_share *share)
{
    while (!w->pace.is_stopped) {
        int64_t first = atomic_fetch_add_explicit(&share->next, j->chunk, memory_order_relaxed);
        int64_t end = zc_smaller(first + j->chunk, share->end); /* proven: a few chunks beyond the tasks */
        if (first >= end)
            return;
        for (int64_t task = first; task < end && !w->pace.is_stopped; task++)
            run_task(j, w, task);
    }
}

static void run_worker(void *user, int worker)
{
    job *j = user;
    for (int i = 0; i < j->threads; i++)
        run_share(j, &j->workers[worker], &j->shares[(worker + i) % j->threads]);
    if (j->program->is_streamed)
        j->program->kernels->fence();
}

/* Joins the groups of each unit, in order, and stores. */
static void join_partial_results(job *j)
{
    const zc_tile_program *p = j->program;
    zc_tile_worker *w = &j->workers[0];
    size_t item = w->joiner.item;
    for (int64_t unit = 0; unit < p->units; unit++) {
        move_to_unit(w, unit);
        int64_t at = unit * p->groups * p->joined;
        char *values = j->partial.values + (size_t)at * item;
        zc_joiner_groups(&w->joiner, values, j->partial.numbers + at, p->groups, unit_columns(w));
        store_results(w, values, j->partial.numbers + at, unit_columns(w));
    }
}

/* ---- The whole stage ---- */

/* Memory for the workers and the partial results, all of it the context's scratch. */
static bool make_workers(job *j, zc_context *ctx)
{
    const int threads = j->threads;
    const zc_tile_program *p = j->program;
    const size_t worker_bytes = zc_align_data(sizeof *j->workers);
    const size_t reg_bytes = zc_align_data((size_t)p->stage->value_count * sizeof(char *));
    const size_t each = sizeof *j->shares + worker_bytes + reg_bytes + zc_align_data(p->scratch_bytes);
    const size_t partials = p->groups == 1 ? 0 : (size_t)(p->units * p->groups) * (size_t)p->joined;
    const size_t value_bytes = zc_align_data(partials * sizeof(zc_scalar));
    char *memory = zc_context_scratch(ctx, (size_t)threads * each + value_bytes + partials * sizeof(int64_t));
    if (memory == NULL)
        return false;
    j->shares = (zc_tile_share *)(void *)memory;
    j->workers = (zc_tile_worker *)(void *)(j->shares + threads);
    char *own = memory + (size_t)threads * (sizeof *j->shares + worker_bytes);
    for (int i = 0; i < threads; i++, own += each - sizeof *j->shares - worker_bytes) {
        zc_tile_worker_init(&j->workers[i], p, own + reg_bytes, (char **)(void *)own);
        j->workers[i].pace = (zc_pace){.watch = j->watch, .worker = i};
    }
    j->partial.values = own;
    j->partial.numbers = (int64_t *)(void *)(own + value_bytes);
    return true;
}

/* What is to be done, in additions: loads count as much. */
static int64_t work_of(const zc_stage *stage)
{
    int64_t each = 0, work;
    for (int32_t v = 0; v < stage->value_count; v++) {
        const zc_value *value = &stage->values[v];
        each += value->kind == ZC_VALUE_OP && value->op < ZC_OP_ROWS ? zc_op_describe(value->op)->cost : 1;
    }
    return zc_checked_multiply(zc_stage_extent(stage, 0, stage->rank), each, &work) ? work : INT64_MAX;
}

/* What the executor makes of the stage: of a plan that is kept, once. */
static zc_tile_program *prepare(zc_plan *plan, zc_stage *stage, char *const *slots, zc_arena *own)
{
    if (stage->program != NULL)
        return stage->program;
    zc_arena *arena = plan->is_kept ? &plan->arena : own;
    zc_tile_program *program = zc_arena_take(arena, 1, sizeof *program);
    int threads = work_of(stage) >= LEAST_WORK_FOR_THREADS ? zc_pool_threads(zc_pool_of(plan->ctx)) : 1;
    if (program == NULL || !zc_tile_prepare(program, stage, slots, threads, arena))
        return NULL;
    if (plan->is_kept)
        stage->program = program;
    return program;
}

static void run_alone(job *j)
{
    zc_tile_worker *w = &j->workers[0];
    for (int64_t task = 0; task < j->tasks && !w->pace.is_stopped; task++)
        run_task(j, w, task);
    if (j->program->is_streamed)
        j->program->kernels->fence();
}

static void run_shared(job *j, zc_pool *pool)
{
    int64_t chunk = j->tasks / ((int64_t)j->threads * CHUNKS_PER_THREAD);
    j->chunk = chunk > 0 ? chunk : 1;
    for (int i = 0; i < j->threads; i++) {
        atomic_init(&j->shares[i].next, j->tasks / j->threads * i + zc_smaller(i, j->tasks % j->threads));
        j->shares[i].end = j->tasks / j->threads * (i + 1) + zc_smaller(i + 1, j->tasks % j->threads);
    }
    zc_pool_run(pool, j->threads, run_worker, j);
}

/* What became of the stage, from what became of its workers. */
static zc_status conclude(const job *j, zc_stray *stray)
{
    for (int i = 0; i < j->threads; i++) {
        if (j->workers[i].pace.is_stopped)
            return ZC_CANCELLED;
        zc_note_stray(stray, j->workers[i].stray);
    }
    return stray->check < 0 ? ZC_OK : ZC_ERROR_ARGUMENT;
}

static zc_status run_program(zc_plan *plan, const zc_tile_program *program, zc_stray *stray)
{
    job j = {.program = program, .watch = &plan->ctx->watch, .tasks = program->units * program->groups};
    zc_pool *pool = program->threads > 1 ? zc_pool_of(plan->ctx) : NULL;
    j.threads = (int)zc_smaller(zc_smaller(zc_pool_threads(pool), program->threads), zc_larger(j.tasks, 1));
    if (!make_workers(&j, plan->ctx))
        return ZC_ERROR_MEMORY;
    if (j.threads > 1)
        run_shared(&j, pool);
    else
        run_alone(&j);
    zc_status status = conclude(&j, stray);
    if (status == ZC_OK && program->groups > 1)
        join_partial_results(&j);
    return status;
}

zc_status zc_execute_tile(zc_plan *plan, zc_stage *stage, char *const *slots, zc_stray *stray)
{
    stray->check = -1;
    if (zc_stage_extent(stage, 0, stage->kept) == 0)
        return ZC_OK;
    zc_arena arena;
    zc_arena_init(&arena, plan->ctx->heap);
    const zc_tile_program *program = prepare(plan, stage, slots, &arena);
    zc_status status = program != NULL ? run_program(plan, program, stray) : ZC_ERROR_MEMORY;
    zc_arena_free(&arena);
    return status;
}
