/* Stages that store what their values make of each place of the domain. */
#ifndef ZC_MATERIALIZE_STAGES_MAP_H
#define ZC_MATERIALIZE_STAGES_MAP_H

#include "materialize/plan/stage.h"

extern const zc_stage_kind zc_stage_kind_map;

#endif
