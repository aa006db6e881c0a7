#include "materialize/tile/strategies.h"

/* A test compiles this file with a list that lacks one of them. */
#if !defined(ZC_STRATEGIES)
#define ZC_STRATEGIES "materialize/tile/strategies.def"
#endif

#define ZC_STRATEGY(name) extern const zc_strategy zc_strategy_##name;
#include ZC_STRATEGIES
#undef ZC_STRATEGY

const zc_strategy *const zc_strategies[] = {
#define ZC_STRATEGY(name) &zc_strategy_##name,
#include ZC_STRATEGIES
#undef ZC_STRATEGY
};

const int zc_strategy_count = sizeof zc_strategies / sizeof *zc_strategies;
