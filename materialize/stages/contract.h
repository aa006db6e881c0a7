/* Stages that sum products by the rule of contractions. */
#ifndef ZC_MATERIALIZE_STAGES_CONTRACT_H
#define ZC_MATERIALIZE_STAGES_CONTRACT_H

#include "materialize/plan/stage.h"

extern const zc_stage_kind zc_stage_kind_contract;

#endif
