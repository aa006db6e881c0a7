#include "materialize/run/prepared.h"

#include "materialize/run/executors.h"

#include <string.h>

/* The longest structure that is looked for, and what may be kept before all of it is let go. */
enum { MOST_WORDS = 96, MOST_BYTES = 1 << 18 };

void zc_prepared_init(zc_prepared_set *set, zc_plan *plan)
{
    set->kept = plan->is_kept ? &plan->arena : NULL;
    zc_arena_init(&set->found, plan->ctx->heap);
    zc_arena_init(&set->own, plan->ctx->heap);
    set->is_used = false;
}

void zc_prepared_free(zc_prepared_set *set)
{
    zc_arena_free(&set->found);
    zc_arena_free(&set->own);
}

/* ---- The structure of a stage ---- */

typedef struct words {
    int64_t word[MOST_WORDS];
    size_t count;
} words;

static int64_t pack(int32_t low, int32_t high)
{
    return (int64_t)((uint64_t)(uint32_t)high << 32 | (uint32_t)low);
}

static void add(words *w, int64_t word)
{
    w->word[w->count++] = word;
}

static void add_list(words *w, const int64_t *list, size_t count)
{
    memcpy(w->word + w->count, list, count * sizeof *list);
    w->count += count;
}

static bool add_value(words *w, const zc_value *value)
{
    if (value->kind == ZC_VALUE_CHECK || value->kind == ZC_VALUE_PICK)
        return false;
    add(w, pack(value->kind | value->op << 8 | value->dtype << 16 | value->arity << 24,
                zc_value_moves(value) ? value->access : 0));
    for (int i = 0; i < value->arity; i++)
        add(w, value->arg[i]);
    if (value->kind == ZC_VALUE_CONSTANT)
        add_list(w, (const int64_t *)(const void *)value->constant.bytes, sizeof value->constant / sizeof(int64_t));
    return true;
}

/* Whether the stage has a structure that is looked for; that is, in words. */
static bool describe(const zc_stage *stage, words *w)
{
    enum { FIRST = 5, MOST_OF_VALUE = 1 + ZC_MAX_ARITY + sizeof(zc_scalar) / sizeof(int64_t) };
    const size_t rank = (size_t)stage->rank, kept = (size_t)stage->kept, accesses = (size_t)stage->access_count;
    if (stage->contracts || stage->scans || stage->updates || stage->scatters || stage->runs != NULL ||
        FIRST + rank * (3 + accesses) + (size_t)stage->value_count * MOST_OF_VALUE > MOST_WORDS)
        return false;
    w->count = 0;
    add(w, pack(stage->rank, stage->kept));
    add(w, pack(stage->value_count, stage->access_count));
    add(w, pack((int32_t)stage->result_dtype, stage->reduces ? (int32_t)stage->reduction : -1));
    add(w, pack(stage->feeds, stage->overwritten >= 0));
    add(w, stage->reduces ? stage->invariant_count : 1);
    add_list(w, stage->shape, rank);
    add_list(w, stage->store_stride, kept);
    add_list(w, stage->stride, accesses * rank);
    if (stage->index_weight != NULL)
        add_list(w, stage->index_weight, rank - kept);
    for (int32_t v = 0; v < stage->value_count; v++) {
        if (!add_value(w, &stage->values[v]))
            return false;
    }
    return true;
}

/* Where it is kept, if it is. */
static zc_prepared *place_of(zc_prepared_set *set, const words *w)
{
    uint64_t hash = w->count;
    for (size_t i = 0; i < w->count; i++)
        hash = zc_hash_word(hash, (uint64_t)w->word[i]);
    return &set->known[hash % ZC_MOST_PREPARED];
}

/* ---- Finding and keeping ---- */

/* Makes the stage run by what was prepared for another one, if there is something; false when memory is out. */
static bool serve(const zc_prepared *known, const words *w, zc_stage *stage, zc_arena *arena, bool *served)
{
    *served = known->words == w->count && memcmp(known->structure, w->word, w->count * sizeof *w->word) == 0;
    if (!*served)
        return true;
    void *prepared = known->executor->serve(known->prepared, stage, arena);
    if (prepared == NULL)
        return false;
    stage->executor = known->executor; /* from now on it runs so: not when memory was out */
    stage->release = NULL;
    stage->prepared = prepared;
    return true;
}

static void begin(zc_prepared_set *set)
{
    memset(set->known, 0, sizeof set->known);
    zc_arena_clear(&set->found);
    set->is_used = true;
}

/* Prepares the stage, and keeps that for others if it serves them. */
static bool keep(zc_prepared *known, const words *w, zc_plan *plan, zc_stage *stage, zc_arena *arena)
{
    known->words = 0;
    if (!zc_stage_prepare(plan->ctx, stage, plan->at, arena))
        return false;
    if (stage->executor->serves == NULL || !stage->executor->serves(stage->prepared))
        return true;
    known->structure = zc_arena_copy(arena, w->word, w->count, sizeof *w->word);
    if (known->structure == NULL)
        return false;
    *known = (zc_prepared){known->structure, w->count, stage->executor, stage->prepared};
    return true;
}

bool zc_prepared_find(zc_prepared_set *set, zc_plan *plan, zc_stage *stage)
{
    words w;
    bool served;
    if (stage->executor != NULL) /* in another run */
        return true;
    if (!describe(stage, &w))
        return zc_stage_prepare(plan->ctx, stage, plan->at, set->kept != NULL ? set->kept : &set->own);
    if (!set->is_used || set->found.bytes > MOST_BYTES)
        begin(set);
    zc_arena *arena = set->kept != NULL ? set->kept : &set->found;
    zc_prepared *known = place_of(set, &w);
    return serve(known, &w, stage, arena, &served) && (served || keep(known, &w, plan, stage, arena));
}

void zc_prepared_end(zc_prepared_set *set, zc_stage *stage)
{
    if (set->kept != NULL)
        return;
    zc_stage_release(stage);
    zc_arena_clear(&set->own);
}
