#include "materialize/plan/stage_words.h"

#define ZC_STAGE_FIELD(type, name) zc_words_add(words, (int64_t)own->name);
#define ZC_STAGE_LIST(type, name, count)                                                                               \
    for (int32_t i = 0; i < (count); i++)                                                                              \
        zc_words_add(words, (int64_t)own->name[i]);
#define ZC_STAGE_KIND(kind, fields)                                                                                    \
    void zc_stage_words_##kind(const zc_stage *stage, zc_words *words)                                                 \
    {                                                                                                                  \
        const zc_##kind##_part *own = &stage->kind;                                                                    \
        fields                                                                                                         \
    }
#define ZC_STAGE_KIND_LIKE(kind, other)                                                                                \
    void zc_stage_words_##kind(const zc_stage *stage, zc_words *words)                                                 \
    {                                                                                                                  \
        zc_stage_words_##other(stage, words);                                                                          \
    }
#define ZC_PLAIN_STAGE_KIND(kind)                                                                                      \
    void zc_stage_words_##kind(const zc_stage *stage, zc_words *words)                                                 \
    {                                                                                                                  \
        (void)stage;                                                                                                   \
        (void)words;                                                                                                   \
    }
#include ZC_STAGE_KINDS
#undef ZC_PLAIN_STAGE_KIND
#undef ZC_STAGE_KIND_LIKE
#undef ZC_STAGE_KIND
#undef ZC_STAGE_LIST
#undef ZC_STAGE_FIELD

static int64_t pack(int32_t low, int32_t high)
{
    return (int64_t)((uint64_t)(uint32_t)high << 32 | (uint32_t)low);
}

static void add_list(zc_words *words, const int64_t *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        zc_words_add(words, list[i]);
}

/* False of a check, without which there is no pick. */
static bool add_value(zc_words *words, const zc_value *value)
{
    if (value->kind == ZC_VALUE_CHECK)
        return false;
    zc_words_add(words, pack(value->kind | value->op << 8 | value->dtype << 16 | value->arity << 24,
                             zc_value_moves(value) ? value->access : 0));
    for (int i = 0; i < value->arity; i++)
        zc_words_add(words, value->arg[i]);
    if (value->kind == ZC_VALUE_CONSTANT)
        add_list(words, (const int64_t *)(const void *)value->constant->bytes,
                 sizeof *value->constant / sizeof(int64_t));
    return true;
}

bool zc_stage_add_words(const zc_stage *stage, zc_words *words)
{
    const size_t rank = (size_t)stage->rank;
    const zc_store *store = &stage->store;
    zc_words_add(words, (int64_t)(intptr_t)stage->kind);
    zc_words_add(words, pack(stage->rank, stage->kept));
    zc_words_add(words, pack(stage->value_count, stage->access_count));
    zc_words_add(words, pack((int32_t)store->dtype, stage->feeds | (store->overwritten >= 0) << 1 |
                                                        (store->base >= 0) << 2 | store->updates << 3));
    zc_words_add(words, store->clears);
    add_list(words, stage->shape, rank);
    add_list(words, store->stride, (size_t)stage->kept);
    add_list(words, stage->stride, (size_t)stage->access_count * rank);
    stage->kind->add_words(stage, words);
    for (int32_t v = 0; v < stage->value_count; v++) {
        if (!add_value(words, &stage->values[v]))
            return false;
    }
    return true;
}
