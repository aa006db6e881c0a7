/* The table of strategies, from strategies.def. */
#ifndef ZC_MATERIALIZE_TILE_STRATEGIES_H
#define ZC_MATERIALIZE_TILE_STRATEGIES_H

#include "materialize/tile/strategy.h"

extern const zc_strategy *const zc_strategies[];
extern const int zc_strategy_count;

#endif
