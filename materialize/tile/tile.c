/* The tile executor: stages as loops over tiles, each small enough to stay in the caches. */
#include "materialize/execute/executor.h"
#include "materialize/plan/group.h"
#include "materialize/tile/program/reduce.h"
#include "materialize/tile/program/share.h"
#include "materialize/tile/program/strategy.h"
#include "materialize/tile/strategies.h"

/* Below this much work (elements times the cost of their operations) it takes longer to wake a thread, and to wait for
 * it, than it helps. */
enum { LEAST_WORK_FOR_THREADS = 1 << 16 };

/* Work of a stage, in additions: loads count as much. */
static int64_t work_of(const zc_stage *stage)
{
    int64_t each = zc_stage_is_parted(stage) ? 1 : 0, work;
    for (int32_t v = 0; v < stage->value_count && !zc_stage_is_parted(stage); v++) {
        const zc_value *value = &stage->values[v];
        each += value->kind == ZC_VALUE_OP && value->op < ZC_OP_ROWS ? zc_op_describe(value->op)->cost : 1;
    }
    return zc_checked_multiply(zc_stage_extent(stage, 0, stage->rank), each, &work) ? work : INT64_MAX;
}

static zc_preparation prepare(zc_context *ctx, const zc_stage *stage, char *const *slots, zc_arena *arena,
                              void **prepared)
{
    zc_tile_program *program = zc_arena_take(arena, 1, sizeof *program);
    *prepared = program;
    if (program == NULL)
        return ZC_NOT_PREPARED;
    const zc_stage *block = zc_stage_absorbs(stage) ? stage->member->part[0] : stage; /* all parts share a state */
    int threads = work_of(block) >= LEAST_WORK_FOR_THREADS ? (int)zc_larger(ctx->options.threads, 1) : 1;
    const zc_preparation outcome = zc_tile_prepare(program, stage, slots, threads, arena);
    return outcome == ZC_PREPARED && !zc_tile_keep_worker(program, arena) ? ZC_NOT_PREPARED : outcome;
}

/* A program reads slots and offsets from its stage while it runs. What only the strategy knows may hold some of them,
 * and whether results go past the caches depends on where they begin. */
static bool serves(const void *prepared)
{
    const zc_tile_program *program = prepared;
    return !program->is_streamed && program->own == NULL;
}

static void *serve(const void *prepared, const zc_stage *stage, zc_arena *arena)
{
    zc_tile_program *program = zc_arena_copy(arena, prepared, 1, sizeof *program);
    if (program != NULL)
        program->stage = stage;
    return program;
}

static int64_t scratch_bytes(const void *prepared)
{
    return zc_tile_data_bytes(prepared);
}

static int64_t state_bytes(const void *prepared)
{
    return zc_tile_state_bytes(prepared);
}

static zc_status run(zc_context *ctx, void *prepared, char *scratch, zc_bad_index *bad_index)
{
    return zc_tile_run_program(ctx, prepared, scratch, bad_index);
}

static const char *strategy(const void *prepared)
{
    return ((const zc_tile_program *)prepared)->strategy->name;
}

const zc_stage_executor zc_stage_executor_tile = {.name = "tile",
                                                  .prepare = prepare,
                                                  .serves = serves,
                                                  .serve = serve,
                                                  .scratch_bytes = scratch_bytes,
                                                  .state_bytes = state_bytes,
                                                  .run = run,
                                                  .strategy = strategy};
