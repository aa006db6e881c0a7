/*
 * Contractions that absorb (plan/group.h): each block is one chain of products. An executor behind this one contracts
 * it into the state, where chains are added to the run that they are in, and runs to the digits of a counter: in the
 * order of the numerics contract.
 */
#include "materialize/execute/counter.h"
#include "materialize/execute/executor.h"
#include "materialize/plan/group.h"
#include "materialize/run/executors.h"

enum { CHAINS = ZC_CHAINS_END / ZC_CHAIN }; /* of a run */

typedef struct absorbing {
    const zc_stage *part;
    zc_stage chain;    /* the part, with its results in the state */
    zc_member member;  /* of the chain, which absorbs nothing */
    char *const *from; /* slots as they are, */
    char **slots;      /* and as the chain knows them: [slot_count] */
    int32_t slot_count;
    int64_t results;
    size_t bytes; /* of all results, aligned */
} absorbing;

/* Number of slots up to the last one that a stage names. */
static int32_t count_slots(const zc_stage *stage)
{
    int32_t last = stage->store.slot;
    for (int32_t v = 0; v < stage->value_count; v++) {
        if (zc_value_reads(&stage->values[v]) && stage->values[v].slot > last)
            last = stage->values[v].slot;
    }
    return last + 1;
}

static void find_slots(const absorbing *own)
{
    for (int32_t s = 0; s < own->slot_count; s++)
        own->slots[s] = own->from[s];
}

static zc_preparation prepare(zc_context *ctx, const zc_stage *stage, char *const *slots, zc_arena *arena,
                              void **prepared)
{
    if (!stage->kind->packs_operands || !zc_stage_absorbs(stage))
        return ZC_DECLINED;
    absorbing *own = *prepared = zc_arena_take(arena, 1, sizeof *own);
    if (own == NULL)
        return ZC_NOT_PREPARED;
    *own = (absorbing){.part = stage, .chain = *stage, .member = *stage->member, .from = slots};
    own->slot_count = count_slots(stage);
    own->slots = zc_arena_take(arena, (size_t)own->slot_count, sizeof *own->slots);
    own->chain.store.stride = zc_arena_take(arena, (size_t)stage->kept, sizeof *own->chain.store.stride);
    if (own->slots == NULL || own->chain.store.stride == NULL)
        return ZC_NOT_PREPARED;
    find_slots(own);
    zc_shape_row_major(stage->kept, stage->shape, own->chain.store.stride);
    own->results = zc_stage_extent(stage, 0, stage->kept);
    own->bytes = zc_align_data((size_t)own->results * zc_dtype_bytes(stage->store.dtype));
    own->chain.store.offset = 0;
    own->chain.member = &own->member;
    own->member.absorbed = 0;
    return zc_stage_prepare(ctx, &own->chain, own->slots, arena) ? ZC_PREPARED : ZC_NOT_PREPARED;
}

static int64_t scratch_bytes(const void *prepared)
{
    const zc_stage *chain = &((const absorbing *)prepared)->chain;
    return chain->executor->scratch_bytes == NULL ? 0 : chain->executor->scratch_bytes(chain->prepared);
}

static int count_levels(const absorbing *own)
{
    return zc_counter_levels(zc_divide_up(zc_walked_count(own->part->member->whole), ZC_CHAINS_END));
}

static int64_t state_bytes(const void *prepared)
{
    const absorbing *own = prepared;
    return (int64_t)own->bytes *
           (2 + count_levels(own)); /* proven: at most those that absorbs() of contract.c counts */
}

/* Adds a chain to the run that it is in, and a run that ends to the counter. */
static void join(const absorbing *own, int64_t chain, char *run, const char *sums)
{
    const zc_stage *part = own->part;
    const zc_member *member = part->member;
    const zc_dtype dtype = part->store.dtype;
    const int64_t item = (int64_t)zc_dtype_bytes(dtype);
    zc_map_kernel *add = zc_kernels_best()->map[ZC_OP_ADD][dtype];
    zc_counter counter = {.join = add,
                          .levels = run + 2 * own->bytes,
                          .width = own->results,
                          .item = (size_t)item,
                          .leaves = chain / CHAINS};
    const bool is_last = member->first + zc_walked_count(part) == zc_walked_count(member->whole);
    if (chain % CHAINS != 0)
        add(run, run, sums, NULL, own->results);
    if (chain % CHAINS == CHAINS - 1 || is_last)
        zc_counter_push(&counter, run, 0);
    if (is_last)
        zc_counter_end(&counter, own->from[part->store.slot] + part->store.offset * item);
}

static zc_status run(zc_context *ctx, void *prepared, char *scratch, zc_bad_index *bad_index)
{
    const absorbing *own = prepared;
    const int64_t chain = own->part->member->first / ZC_CHAIN;
    char *run = own->part->member->state, *sums = chain % CHAINS == 0 ? run : run + own->bytes;
    find_slots(own);
    own->slots[own->part->store.slot] = sums;
    zc_status status = own->chain.executor->run(ctx, own->chain.prepared, scratch, bad_index);
    if (status == ZC_OK)
        join(own, chain, run, sums);
    return status;
}

static void release(void *prepared)
{
    zc_stage_release(&((absorbing *)prepared)->chain);
}

static const char *strategy(const void *prepared)
{
    const zc_stage *chain = &((const absorbing *)prepared)->chain;
    return chain->executor->strategy == NULL ? "none" : chain->executor->strategy(chain->prepared);
}

const zc_stage_executor zc_stage_executor_absorbing = {.name = "absorbing",
                                                       .prepare = prepare,
                                                       .scratch_bytes = scratch_bytes,
                                                       .state_bytes = state_bytes,
                                                       .run = run,
                                                       .release = release,
                                                       .strategy = strategy};
