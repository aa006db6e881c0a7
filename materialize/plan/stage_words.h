/*
 * The structure of a stage in words: stages of equal words are prepared alike (run/prepared.h).
 *
 * The words of a kind's own part are made from its row of stage_kinds.def.
 */
#ifndef ZC_MATERIALIZE_PLAN_STAGE_WORDS_H
#define ZC_MATERIALIZE_PLAN_STAGE_WORDS_H

#include "materialize/plan/stage.h"

typedef struct zc_words {
    int64_t *word; /* [room] */
    size_t count;  /* beyond room where there are too many */
    size_t room;
} zc_words;

static inline void zc_words_add(zc_words *words, int64_t word)
{
    if (words->count < words->room)
        words->word[words->count] = word;
    words->count++;
}

/* Adds everything but slots, offsets and the nodes that values come from. False of a stage with computed positions,
 * which is not looked for. */
bool zc_stage_add_words(const zc_stage *stage, zc_words *words);

/* zc_stage_words_KIND(), of each kind's own part. */
#if !defined(ZC_STAGE_KINDS) /* a test compiles the source with a list of its own */
#define ZC_STAGE_KINDS "materialize/plan/stage_kinds.def"
#endif
#define ZC_STAGE_FIELD(type, name)
#define ZC_STAGE_LIST(type, name, count)
#define ZC_STAGE_KIND(kind, fields)     void zc_stage_words_##kind(const zc_stage *stage, zc_words *words);
#define ZC_STAGE_KIND_LIKE(kind, other) ZC_STAGE_KIND(kind, )
#define ZC_PLAIN_STAGE_KIND(kind)       ZC_STAGE_KIND(kind, )
#include ZC_STAGE_KINDS
#undef ZC_PLAIN_STAGE_KIND
#undef ZC_STAGE_KIND_LIKE
#undef ZC_STAGE_KIND
#undef ZC_STAGE_LIST
#undef ZC_STAGE_FIELD

/* The columns of a kind that its row makes; the first of its struct. */
#define ZC_STAGE_KIND_ROW(kind) .name = #kind, .add_words = zc_stage_words_##kind

#endif
