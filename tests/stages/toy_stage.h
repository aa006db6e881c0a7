/* A kind of stages of the tests. */
#ifndef ZC_TESTS_STAGES_TOY_STAGE_H
#define ZC_TESTS_STAGES_TOY_STAGE_H

#include "materialize/plan/stage.h"

extern const zc_stage_kind zc_stage_kind_toy;

#endif
