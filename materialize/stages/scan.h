/* Stages that store an accumulation of the elements up to each, along the last axis. */
#ifndef ZC_MATERIALIZE_STAGES_SCAN_H
#define ZC_MATERIALIZE_STAGES_SCAN_H

#include "materialize/plan/stage.h"

extern const zc_stage_kind zc_stage_kind_scan;

#endif
