#include "materialize/run/prepared.h"

#include "materialize/plan/group.h"
#include "materialize/plan/stage_words.h"
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

/* Describes the stage's structure in words; false when it is none that is looked for. */
static bool describe(const zc_stage *stage, zc_words *w)
{
    w->count = 0;
    if (stage->kind->packs_operands || zc_stage_is_ordered(stage) ||
        zc_stage_absorbs(stage)) /* these serve one alone */
        return false;
    return stage->value_count <= MOST_WORDS && zc_stage_add_words(stage, w) && w->count <= w->room;
}

/* Place of a structure in the set, whether it is there or not. */
static zc_prepared *place_of(zc_prepared_set *set, const zc_words *w)
{
    uint64_t hash = w->count;
    for (size_t i = 0; i < w->count; i++)
        hash = zc_hash_word(hash, (uint64_t)w->word[i]);
    return &set->known[hash % ZC_MOST_PREPARED];
}

/* ---- Finding and keeping ---- */

/* Makes the stage run by what was prepared for another one, if there is something; false when memory is out. */
static bool serve(const zc_prepared *known, const zc_words *w, zc_stage *stage, zc_arena *arena, bool *served)
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
static bool keep(zc_prepared *known, const zc_words *w, zc_plan *plan, zc_stage *stage, zc_arena *arena)
{
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
    int64_t word[MOST_WORDS];
    zc_words w = {.word = word, .room = MOST_WORDS};
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
