#include "materialize/tile/strategies.h"

#include "materialize/tile/contractions/factors.h"
#include "materialize/tile/program/strategy.h"

/* A test compiles this file with a list that lacks one of them. */
#if !defined(ZC_STRATEGIES)
#define ZC_STRATEGIES "materialize/tile/strategies.def"
#endif

#define ZC_STRATEGY(name) extern const zc_strategy zc_strategy_##name;
#include ZC_STRATEGIES
#undef ZC_STRATEGY

static const zc_strategy *const strategies[] = {
#define ZC_STRATEGY(name) &zc_strategy_##name,
#include ZC_STRATEGIES
#undef ZC_STRATEGY
};

enum { COUNT = sizeof strategies / sizeof *strategies };

/* The cheapest strategy of those that are not in `tried`, a bit set; -1: none applies. */
static int find_cheapest(const zc_tile_program *p, uint64_t tried)
{
    int best = -1, least = 0;
    for (int s = 0; s < COUNT; s++) {
        int cost = (tried >> s & 1) != 0 ? ZC_STRATEGY_NONE : strategies[s]->cost(p);
        if (cost != ZC_STRATEGY_NONE && (best < 0 || cost < least)) {
            best = s;
            least = cost;
        }
    }
    return best;
}

zc_preparation zc_tile_prepare(zc_tile_program *p, const zc_stage *stage, char *const *slots, int threads,
                               zc_arena *arena)
{
    if (!zc_tile_begin(p, stage, slots, threads, arena) || !zc_factors_find(p, arena))
        return ZC_NOT_PREPARED;
    uint64_t tried = 0;
    for (int s = find_cheapest(p, tried); s >= 0; s = find_cheapest(p, tried)) {
        zc_tile_set_defaults(p);
        p->strategy = strategies[s];
        zc_preparation outcome = p->strategy->prepare(p, arena);
        if (outcome != ZC_DECLINED)
            return outcome;
        tried |= UINT64_C(1) << s;
    }
    return ZC_DECLINED;
}
