#include "materialize/tile/program/share.h"

#include <stdatomic.h>

#include "materialize/execute/pool.h"
#include "materialize/stages/reduce.h"
#include "materialize/tile/program/reduce.h"
#include "materialize/tile/program/strategy.h"

enum { CHUNKS_PER_THREAD = 8 };

/* A thread's part of the tasks: consecutive ones, so that it reads on where it has read, and in the next run of the
 * same stage what it read then. Who is done with his own takes chunks of the others'. */
typedef struct share {
    _Alignas(ZC_DATA_ALIGNMENT) _Atomic int64_t next;
    int64_t end;
} share;

/* The results of groups, when units are divided. */
typedef struct partial_results {
    char *values;     /* [units][groups][joined] */
    int64_t *numbers; /* the same of index reductions, else NULL */
} partial_results;

typedef struct job {
    const zc_tile_program *program;
    zc_progress *progress;
    zc_tile_worker *workers;
    share *shares;
    partial_results partial;
    int threads;
    int64_t tasks, chunk;
} job;

/* ---- Tasks ---- */

/* The results of a unit's groups behind so many of them. */
static partial_results partial_results_of(const job *j, int64_t unit, int64_t before)
{
    const zc_tile_program *p = j->program;
    const int64_t at = unit * p->groups * p->joined + before; /* proven: inside the partial results */
    const size_t item = zc_dtype_bytes(zc_tile_partial_dtype(p));
    return (partial_results){j->partial.values + (size_t)at * item,
                             j->partial.numbers == NULL ? NULL : j->partial.numbers + at};
}

/* The results of a group lie as close to those before as the unit's tile has columns: the last tile may have fewer. */
static void run_group(const job *j, zc_tile_worker *w, int64_t task)
{
    const zc_tile_program *p = j->program;
    const int64_t group = task % p->groups;
    zc_tile_move_to_unit(w, task / p->groups);
    int64_t before = group * zc_smaller(p->joined, w->columns); /* proven: inside the partial results */
    const partial_results results = partial_results_of(j, task / p->groups, before);
    p->strategy->run_group(w, group, results.values, results.numbers);
}

static void run_task(const job *j, zc_tile_worker *w, int64_t task)
{
    if (j->program->groups > 1) {
        run_group(j, w, task);
    } else {
        zc_tile_move_to_unit(w, task);
        j->program->strategy->run_unit(w);
    }
}

static void end_groups(const job *j)
{
    for (int64_t unit = 0; unit < j->program->units; unit++) {
        zc_tile_move_to_unit(&j->workers[0], unit);
        const partial_results results = partial_results_of(j, unit, 0);
        j->program->strategy->end_groups(&j->workers[0], results.values, results.numbers);
    }
}

/* ---- Threads ---- */

static void run_share(const job *j, zc_tile_worker *w, share *tasks)
{
    while (!w->progress.is_stopped) {
        int64_t first = atomic_fetch_add_explicit(&tasks->next, j->chunk, memory_order_relaxed);
        int64_t end = zc_smaller(first + j->chunk, tasks->end); /* proven: a few chunks beyond the tasks */
        if (first >= end)
            return;
        for (int64_t task = first; task < end && !w->progress.is_stopped; task++)
            run_task(j, w, task);
    }
}

static void run_worker(void *user, int worker)
{
    const job *j = user;
    for (int i = 0; i < j->threads; i++)
        run_share(j, &j->workers[worker], &j->shares[(worker + i) % j->threads]);
    if (j->program->is_streamed)
        j->program->kernels->fence();
}

static void run_alone(const job *j)
{
    zc_tile_worker *w = &j->workers[0];
    for (int64_t task = 0; task < j->tasks && !w->progress.is_stopped; task++)
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

/* ---- The whole ---- */

static size_t own_bytes(const zc_tile_program *p)
{
    return p->strategy->scratch_bytes == NULL ? 0 : zc_align_data(p->strategy->scratch_bytes(p));
}

/* Workers, or fewer where threads do not come. */
static int count_workers(const zc_tile_program *p)
{
    return (int)zc_smaller(p->threads, zc_larger(p->units * p->groups, 1));
}

/* Bytes of the partial results' values, and of their numbers. */
static void partial_bytes(const zc_tile_program *p, size_t *values, size_t *numbers)
{
    const size_t count = p->groups == 1 ? 0 : (size_t)(p->units * p->groups) * (size_t)p->joined;
    *values = zc_align_data(count * zc_dtype_bytes(zc_tile_partial_dtype(p)));
    *numbers = count > 0 && zc_reduction_is_index(zc_stage_reduced(p->stage)->reduction) ? count * sizeof(int64_t) : 0;
}

int64_t zc_tile_data_bytes(const zc_tile_program *p)
{
    size_t values, numbers;
    partial_bytes(p, &values, &numbers);
    return p->takes_data ? (int64_t)((size_t)count_workers(p) * own_bytes(p) + values) : 0;
}

/* Memory for the workers and the partial results: the context's scratch, but for what is data memory. */
static bool make_workers(job *j, zc_context *ctx, char *data)
{
    const size_t threads = (size_t)j->threads;
    const zc_tile_program *p = j->program;
    const size_t worker_bytes = zc_align_data(sizeof *j->workers);
    const size_t block_bytes = zc_align_data((size_t)p->stage->value_count * sizeof(char *));
    const size_t scratch_bytes = zc_align_data(p->blocks.bytes), grown_bytes = own_bytes(p);
    const size_t each = sizeof *j->shares + worker_bytes + block_bytes + scratch_bytes;
    size_t value_bytes, number_bytes;
    partial_bytes(p, &value_bytes, &number_bytes);
    const size_t grown = threads * grown_bytes + value_bytes;
    char *memory = zc_context_scratch(ctx, threads * each + number_bytes + (p->takes_data ? 0 : grown));
    if (memory == NULL)
        return false;
    j->shares = (share *)(void *)memory;
    j->workers = (zc_tile_worker *)(void *)(j->shares + threads);
    char *at = memory + threads * (sizeof *j->shares + worker_bytes);
    char *own = p->takes_data ? data : at + threads * (block_bytes + scratch_bytes);
    for (int i = 0; i < j->threads; i++, at += block_bytes + scratch_bytes, own += grown_bytes) {
        zc_tile_worker_init(&j->workers[i], p, at + block_bytes, own, (char **)(void *)at);
        zc_tile_worker_start(&j->workers[i], p, (zc_thread_progress){.whole = j->progress, .worker = i});
    }
    j->partial.values = own;
    j->partial.numbers = number_bytes == 0 ? NULL : (int64_t *)(void *)(own + value_bytes);
    return true;
}

/* Finds the outcome of the stage from those of its workers. */
static zc_status find_outcome(const zc_tile_worker *workers, int count, zc_bad_index *bad_index)
{
    for (int i = 0; i < count; i++) {
        if (workers[i].progress.is_stopped)
            return ZC_CANCELLED;
        zc_keep_bad_index(bad_index, workers[i].bad_index);
    }
    return bad_index->check < 0 ? ZC_OK : ZC_ERROR_INDEX;
}

bool zc_tile_keep_worker(zc_tile_program *p, zc_arena *arena)
{
    enum { MOST_BYTES = 4 << 10 };
    const size_t worker_bytes = zc_align_data(sizeof *p->worker);
    const size_t block_bytes = zc_align_data((size_t)p->stage->value_count * sizeof(char *));
    const size_t bytes = worker_bytes + block_bytes + zc_align_data(p->blocks.bytes) + own_bytes(p);
    if (p->threads > 1 || p->takes_data || p->is_streamed || bytes > MOST_BYTES)
        return true;
    char *memory = zc_arena_take(arena, bytes + ZC_DATA_ALIGNMENT, 1);
    if (memory == NULL)
        return false;
    memory += ZC_DATA_ALIGNMENT - (uintptr_t)memory % ZC_DATA_ALIGNMENT;
    p->worker = (zc_tile_worker *)(void *)memory;
    char *block = memory + worker_bytes, *scratch = block + block_bytes;
    zc_tile_worker_init(p->worker, p, scratch, scratch + zc_align_data(p->blocks.bytes), (char **)(void *)block);
    return true;
}

/* Runs all of a program that keeps its worker. */
static zc_status run_kept(zc_context *ctx, const zc_tile_program *p, zc_bad_index *bad_index)
{
    zc_tile_worker *w = p->worker;
    zc_tile_worker_start(w, p, (zc_thread_progress){.whole = &ctx->progress});
    for (int64_t unit = 0; unit < p->units && !w->progress.is_stopped; unit++) {
        zc_tile_move_to_unit(w, unit);
        p->strategy->run_unit(w);
    }
    return find_outcome(w, 1, bad_index);
}

zc_status zc_tile_run_program(zc_context *ctx, const zc_tile_program *program, char *data, zc_bad_index *bad_index)
{
    if (program->worker != NULL)
        return run_kept(ctx, program, bad_index);
    job j = {.program = program, .progress = &ctx->progress, .tasks = program->units * program->groups};
    zc_pool *pool = program->threads > 1 ? zc_pool_of(ctx) : NULL;
    j.threads = (int)zc_smaller(zc_pool_threads(pool), count_workers(program));
    if (!make_workers(&j, ctx, data))
        return ZC_ERROR_MEMORY;
    if (j.threads > 1)
        run_shared(&j, pool);
    else
        run_alone(&j);
    zc_status status = find_outcome(j.workers, j.threads, bad_index);
    if (status == ZC_OK && program->groups > 1)
        end_groups(&j);
    return status;
}
