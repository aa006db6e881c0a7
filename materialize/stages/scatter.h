/* Stages that take elements in where they belong, one after the other. */
#ifndef ZC_MATERIALIZE_STAGES_SCATTER_H
#define ZC_MATERIALIZE_STAGES_SCATTER_H

#include "materialize/plan/stage.h"

extern const zc_stage_kind zc_stage_kind_scatter;

#endif
