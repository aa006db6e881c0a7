#include "materialize/planner/plan_cache.h"

#include <string.h>

#include "materialize/plan/memory.h"
#include "materialize/planner/plan_moves.h"
#include "materialize/planner/planner.h"
#include "runtime/context/context.h"
#include "runtime/memory/table.h"

/* A hash names a set; in it the plan that was used longest ago makes room, and of all plans it does where they take
 * more than so many bytes of headers together, or more than a quarter of the limit: recording is refused at that. Plans
 * that were asked for once are few, so that a loop whose shapes never come back leaves little behind; those that were
 * asked for again have the rest, so that a loop of hundreds of plans finds all of them. One plan that alone takes more
 * than all may is kept beside them: the last, as long as that quarter has room. */
enum { SETS = 32, WAYS = 16, MOST_ONCE = 64, ASKED = 512, MOST_BYTES = 8 << 20, MOST_ALONE = 64 << 20 };

/* A constant of a stage, and which of the key's nodes it is. */
typedef struct kept_constant {
    zc_scalar *value;
    int source;
} kept_constant;

/* A plan with its key: what it was found by, and which of the key's nodes each input's data is. */
typedef struct kept_plan {
    zc_plan plan;                    /* first: a kept plan is given out as its plan */
    struct kept_plan **place;        /* in the cache, or NULL */
    struct kept_plan *older, *newer; /* its neighbours in the order of use, or NULL */
    bool is_asked_again;
    bool is_out; /* somebody runs it: it is neither found nor freed */
    uint64_t hash, used;
    int64_t bytes; /* that its arena held when it was kept, or after the last run: running prepares its stages */
    int word_count;
    int64_t *words;
    int *source;              /* [slot_count] */
    int64_t *base;            /* [slot_count]: what offsets into it are told from in the key it was planned for; */
    bool *is_bound;           /* [slot_count]: and have to be; */
    int *read;                /* [slot_count]: of an input that is read apart, an edge that begins there, or -1 */
    kept_constant *constants; /* [constant_count] */
    int constant_count;
} kept_plan;

/* Plans in sets, by their last use. */
typedef struct plan_order {
    kept_plan *oldest, *newest; /* or NULL */
    int count;
} plan_order;

struct zc_plan_cache {
    zc_heap *heap;
    uint64_t now;        /* requests so far */
    int64_t bytes, most; /* of all plans in sets, and that they may have */
    int64_t most_alone;  /* that the large one may have */
    kept_plan *plans[SETS][WAYS];
    plan_order once, again; /* the plans in sets that were asked for once, and those that were asked for again */
    uint64_t asked_count;   /* number of plans that were made to be kept */
    uint32_t asked[ASKED];  /* halves of the hashes of the last of them, by their number */
    kept_plan *large;       /* or NULL */
};

/* Frees a plan that is in no place, unless somebody runs it, who then puts it back. */
static void free_plan(kept_plan *kept)
{
    if (kept == NULL || kept->is_out)
        return;
    zc_heap *heap = kept->plan.arena.heap;
    zc_plan_free(&kept->plan);
    zc_heap_give(heap, kept, sizeof *kept);
}

/* The set of a hash, whose low bits alone may be those of an extent. */
static kept_plan **set_of(zc_plan_cache *cache, uint64_t hash)
{
    return cache->plans[zc_hash_word(0, hash) % SETS];
}

static plan_order *order_of(zc_plan_cache *cache, const kept_plan *kept)
{
    return kept->is_asked_again ? &cache->again : &cache->once;
}

static void leave_order(plan_order *order, kept_plan *kept)
{
    *(kept->older != NULL ? &kept->older->newer : &order->oldest) = kept->newer;
    *(kept->newer != NULL ? &kept->newer->older : &order->newest) = kept->older;
    order->count--;
}

/* Makes a plan the one that was used last. */
static void enter_order(plan_order *order, kept_plan *kept)
{
    kept->older = order->newest;
    kept->newer = NULL;
    *(order->newest != NULL ? &order->newest->newer : &order->oldest) = kept;
    order->newest = kept;
    order->count++;
}

/* Takes a plan, or none, out of its place. */
static kept_plan *take(zc_plan_cache *cache, kept_plan **place)
{
    kept_plan *kept = *place;
    if (kept != NULL && place != &cache->large) {
        cache->bytes -= kept->bytes;
        leave_order(order_of(cache, kept), kept);
    }
    if (kept != NULL)
        kept->place = NULL;
    *place = NULL;
    return kept;
}

static void drop(zc_plan_cache *cache, kept_plan **place)
{
    free_plan(take(cache, place));
}

static void free_cache(zc_plan_cache *cache)
{
    while (cache->once.count > 0)
        drop(cache, cache->once.oldest->place);
    while (cache->again.count > 0)
        drop(cache, cache->again.oldest->place);
    drop(cache, &cache->large);
    zc_heap_give(cache->heap, cache, sizeof *cache);
}

/* Tells a limit that leaves room for headers beside the cache. */
static bool may_keep(const zc_context *ctx)
{
    return (int64_t)sizeof(zc_plan_cache) <= ctx->options.header_limit / 16;
}

/* The context's, made on first use; NULL when memory is out. */
static zc_plan_cache *cache_of(zc_context *ctx)
{
    if (ctx->plans == NULL && (ctx->plans = zc_heap_take(ctx->heap, sizeof *ctx->plans)) != NULL) {
        memset(ctx->plans, 0, sizeof *ctx->plans);
        ctx->plans->heap = ctx->heap;
        ctx->plans->most = zc_smaller(MOST_BYTES, ctx->options.header_limit / 4);
        ctx->plans->most_alone = zc_smaller(MOST_ALONE, ctx->options.header_limit / 4 - ctx->plans->most);
        ctx->plans_free = free_cache;
    }
    return ctx->plans;
}

static bool has_key(const kept_plan *kept, const zc_plan_key *key)
{
    if (kept == NULL || kept->hash != key->hash || kept->is_out ||
        kept->word_count != key->word_count || /* LCOV_EXCL_BR_LINE: it differs only where hashes collide */
        memcmp(kept->words, key->words, (size_t)key->word_count * sizeof *key->words) != 0)
        return false;
    int32_t s = 0;
    while (s < kept->plan.slot_count && !(kept->is_bound[s] && kept->base[s] != key->nodes[kept->source[s]].base))
        s++;
    return s == kept->plan.slot_count;
}

/* The place of the plan with a key, or NULL. */
static kept_plan **find(zc_plan_cache *cache, const zc_plan_key *key)
{
    kept_plan **set = set_of(cache, key->hash);
    for (int i = 0; i < WAYS; i++) {
        if (has_key(set[i], key))
            return &set[i];
    }
    return has_key(cache->large, key) ? &cache->large : NULL;
}

static void put(kept_plan *kept, kept_plan **place)
{
    *place = kept;
    kept->place = place;
}

/* Makes a plan the large one, or ends it. */
static void keep_alone(zc_plan_cache *cache, kept_plan *kept)
{
    if (kept->bytes > cache->most_alone) {
        free_plan(kept);
        return;
    }
    drop(cache, &cache->large);
    put(kept, &cache->large);
}

/* Drops plans that were used long ago until so many bytes more are free, and one more may be asked for once; there are
 * no more bytes than the plans may have. */
static void make_room(zc_plan_cache *cache, int64_t bytes)
{
    if (cache->once.count == MOST_ONCE)
        drop(cache, cache->once.oldest->place);
    while (cache->bytes + bytes > cache->most)
        drop(cache, (cache->once.count > 0 ? &cache->once : &cache->again)->oldest->place);
}

/* Tells a plan whose like was asked for before, though it is not kept. */
static bool is_asked_again(zc_plan_cache *cache, uint64_t hash)
{
    const uint32_t half = (uint32_t)(hash >> 32);
    bool is_again = false;
    for (int i = 0; i < ASKED; i++)
        is_again |= cache->asked[i] == half;
    cache->asked[cache->asked_count++ % ASKED] = half;
    return is_again;
}

static void bind_inputs(kept_plan *kept, const zc_plan_key *key)
{
    zc_plan *plan = &kept->plan;
    for (int32_t s = 0; s < plan->slot_count; s++) {
        zc_slot *slot = &plan->slots[s];
        if (slot->kind == ZC_SLOT_INPUT) {
            const zc_key_node *source = &key->nodes[kept->source[s]];
            const int64_t base = kept->read[s] >= 0 ? key->reads[kept->read[s]].offset : source->base;
            slot->buffer = source->data;
            plan->shift[s] = base - kept->base[s]; /* proven: both are inside memory */
        } else if (slot->node != NULL)
            slot->node = key->nodes[kept->source[s]].node;
    }
    for (int32_t i = 0; i < plan->rent_count; i++)
        plan->rents[i].node = (zc_node *)(uintptr_t)key->nodes[plan->rents[i].number].node;
    for (int i = 0; i < kept->constant_count; i++)
        *kept->constants[i].value = key->nodes[kept->constants[i].source].node->constant;
    plan->made_of = 0;
    for (int32_t i = 0; i < key->node_count; i++) {
        const zc_node *node = key->nodes[i].node;
        plan->made_of |= zc_node_has_gradients(node) ? zc_source_bit(node->serial) : 0;
    }
}

/* Which node of the key each input is, and each node that the plan may keep or charges. False when one is none of them,
 * because another thread realised a node after the key was made, which is up to chance: such a plan is not the key's.
 */
static bool find_sources(kept_plan *kept, const zc_plan_request *request, const zc_plan_key *key)
{
    zc_plan *plan = &kept->plan;
    bool found = true;
    for (int32_t s = 0; s < plan->slot_count; s++) {
        const zc_slot *slot = &plan->slots[s];
        const void *source = slot->kind == ZC_SLOT_INPUT ? (const void *)slot->buffer : slot->node;
        kept->source[s] = source != NULL ? zc_plan_key_find(key, source) : 0;
        found = found && kept->source[s] >= 0; /* LCOV_EXCL_BR_LINE: up to other threads */
        /* LCOV_EXCL_BR_START: likewise */
        const zc_key_node *memory = found ? &key->nodes[kept->source[s]] : NULL;
        const bool is_apart = found && slot->kind == ZC_SLOT_INPUT && memory->is_apart;
        kept->read[s] = is_apart ? zc_plan_key_find_read(key, kept->source[s], slot->origin) : -1;
        kept->base[s] = is_apart ? slot->origin : found ? memory->base : 0;
        found = found && (!is_apart || kept->read[s] >= 0);
        kept->is_bound[s] = found && slot->kind == ZC_SLOT_INPUT && memory->is_updated && !memory->is_fixed &&
                            !zc_plan_moves(plan, request, key, s, kept->source[s]);
        /* LCOV_EXCL_BR_STOP */
    }
    for (int32_t i = 0; i < plan->rent_count; i++) {
        plan->rents[i].number = zc_plan_key_find(key, plan->rents[i].node);
        found = found && plan->rents[i].number >= 0; /* LCOV_EXCL_BR_LINE: likewise */
    }
    for (int i = 0; i < kept->constant_count; i++)
        found = found && kept->constants[i].source >= 0; /* LCOV_EXCL_BR_LINE: likewise */
    return found;
}

/* Tells a value that is a constant of the graph; others are numbers of the plan's own. */
static bool is_constant_of_graph(const zc_value *value)
{
    return value->kind == ZC_VALUE_CONSTANT && value->node != NULL && value->node->kind == ZC_NODE_CONSTANT;
}

/* Lists the constants of the graph that stages have, all of which are nodes of the key. False when memory is out. */
static bool find_constants(kept_plan *kept, const zc_plan_key *key)
{
    zc_plan *plan = &kept->plan;
    int count = 0;
    for (int32_t s = 0; s < plan->stage_count; s++)
        for (int32_t v = 0; v < plan->stages[s]->value_count; v++)
            count += is_constant_of_graph(&plan->stages[s]->values[v]);
    kept->constants = zc_arena_take(&plan->arena, (size_t)count, sizeof *kept->constants);
    kept->constant_count = 0;
    for (int32_t s = 0; s < plan->stage_count && kept->constants != NULL; s++) {
        for (int32_t v = 0; v < plan->stages[s]->value_count; v++) {
            zc_value *value = &plan->stages[s]->values[v];
            if (is_constant_of_graph(value))
                kept->constants[kept->constant_count++] =
                    (kept_constant){(zc_scalar *)(uintptr_t)value->constant, zc_plan_key_find(key, value->node)};
        }
    }
    return kept->constants != NULL;
}

/* Tells plans of one key, which serve the same places of memory that they update. */
static bool are_equal(const kept_plan *a, const kept_plan *b)
{
    if (a == NULL || a->hash != b->hash || a->word_count != b->word_count || /* LCOV_EXCL_BR_LINE: hashes collide */
        memcmp(a->words, b->words, (size_t)a->word_count * sizeof *a->words) != 0)
        return false;
    int32_t s = 0;
    while (s < b->plan.slot_count && !(b->is_bound[s] && a->base[s] != b->base[s]))
        s++;
    return s == b->plan.slot_count;
}

/* The place of an equal plan, which was made while this one ran; else a free one, or that of the plan that was used
 * longest ago. */
static kept_plan **find_place(zc_plan_cache *cache, const kept_plan *kept)
{
    kept_plan **set = set_of(cache, kept->hash), **place = set;
    for (int i = 0; i < WAYS; i++) {
        if (are_equal(set[i], kept))
            return &set[i];
        if (*place != NULL && (set[i] == NULL || set[i]->used < (*place)->used))
            place = &set[i];
    }
    return place;
}

/* Lets a new plan be kept once it has run, unless it is too large or not the key's. False when memory is out. */
static bool let_keep(zc_plan_cache *cache, kept_plan *kept, const zc_plan_request *request, const zc_plan_key *key)
{
    zc_arena *arena = &kept->plan.arena;
    kept->source = zc_arena_take(arena, (size_t)kept->plan.slot_count, sizeof *kept->source);
    kept->base = zc_arena_take(arena, (size_t)kept->plan.slot_count, sizeof *kept->base);
    kept->plan.shift = zc_arena_take(arena, (size_t)kept->plan.slot_count, sizeof *kept->plan.shift);
    kept->is_bound = zc_arena_take(arena, (size_t)kept->plan.slot_count, sizeof *kept->is_bound);
    kept->read = zc_arena_take(arena, (size_t)kept->plan.slot_count, sizeof *kept->read);
    kept->words = zc_arena_copy(arena, key->words, (size_t)key->word_count, sizeof *key->words);
    if (kept->source == NULL || kept->base == NULL || kept->is_bound == NULL || kept->plan.shift == NULL ||
        kept->read == NULL || kept->words == NULL || !find_constants(kept, key))
        return false;
    memset(kept->plan.shift, 0, (size_t)kept->plan.slot_count * sizeof *kept->plan.shift);
    if (arena->bytes > cache->most || !find_sources(kept, request, key)) /* LCOV_EXCL_BR_LINE: other threads */
        return true;
    kept->hash = key->hash;
    kept->is_asked_again = is_asked_again(cache, key->hash);
    kept->word_count = key->word_count;
    kept->plan.is_kept = true;
    kept->plan.target = NULL; /* what it was made from goes its own ways */
    kept->plan.apart = NULL;
    kept->plan.apart_count = 0;
    for (int32_t i = 0; i < kept->plan.result_count; i++)
        kept->plan.results[i].asked = NULL;
    return true;
}

static zc_status make(const zc_plan_request *r, kept_plan **made)
{
    zc_context *ctx = r->tensors[0]->ctx;
    *made = zc_heap_take(ctx->heap, sizeof **made);
    if (*made == NULL) {
        (void)zc_fail_memory(ctx, r->function);
        return ZC_ERROR_MEMORY;
    }
    (*made)->place = NULL;
    (*made)->is_out = false;
    (*made)->is_asked_again = false;
    zc_status status = zc_plan_make(r, &(*made)->plan);
    if (status != ZC_OK)
        zc_heap_give(ctx->heap, *made, sizeof **made);
    return status;
}

/* The plan of that key: a kept one with the key's data, or a new one, which is kept. */
static zc_status recall(const zc_plan_request *r, const zc_plan_key *key, kept_plan **found)
{
    zc_context *ctx = r->tensors[0]->ctx;
    if (!may_keep(ctx))
        return make(r, found);
    zc_plan_cache *cache = cache_of(ctx);
    if (cache == NULL)
        return zc_fail_memory(ctx, r->function);
    cache->now++;
    kept_plan **place = find(cache, key);
    if (place != NULL && zc_check_limit(ctx, (*place)->plan.peak_bytes, NULL) == ZC_OK &&
        zc_plan_may_buy(ctx, (*place)->plan.bought_bytes)) {
        *found = *place;
        (*found)->is_out = true;
        bind_inputs(*found, key);
        return ZC_OK;
    }
    zc_plan_request wanted = *r;
    wanted.apart = key->apart;
    wanted.apart_count = key->apart_count;
    zc_status status = make(&wanted, found);
    if (status != ZC_OK || place != NULL || !(*found)->plan.is_first_choice || let_keep(cache, *found, r, key))
        return status;
    free_plan(*found);
    return zc_fail_memory(ctx, r->function);
}

zc_status zc_plan_get(const zc_plan_request *request, zc_plan **plan)
{
    zc_plan_key key;
    bool has_key = zc_plan_key_make(request, &key);
    kept_plan *found = NULL;
    zc_status status = has_key ? recall(request, &key, &found) : make(request, &found);
    zc_plan_key_free(&key);
    *plan = status == ZC_OK ? &found->plan : NULL;
    return status;
}

/* Finds a place for a plan that has none, or one of another size. */
static void keep(zc_plan_cache *cache, kept_plan *kept)
{
    if (kept->place != NULL)
        take(cache, kept->place)->is_asked_again = true;
    kept->bytes = kept->plan.arena.bytes;
    if (kept->bytes > cache->most) {
        keep_alone(cache, kept);
        return;
    }
    kept_plan **place = find_place(cache, kept);
    drop(cache, place);
    make_room(cache, kept->bytes);
    cache->bytes += kept->bytes;
    put(kept, place);
    enter_order(order_of(cache, kept), kept);
}

void zc_plan_put_back(zc_plan *plan)
{
    kept_plan *kept = (kept_plan *)(void *)plan;
    zc_plan_cache *cache = plan->ctx->plans;
    kept->is_out = false;
    if (!plan->is_kept || cache == NULL) { /* or the cache was trimmed away meanwhile */
        free_plan(kept);
        return;
    }
    kept->used = cache->now;
    if (kept->place == NULL || kept->bytes != plan->arena.bytes)
        keep(cache, kept);
    else if (kept->place != &cache->large) {
        leave_order(order_of(cache, kept), kept);
        kept->is_asked_again = true;
        enter_order(&cache->again, kept);
    }
}
