/*
 * What the operations mean on one element: the functions behind ZC_FN() in ops.def.
 *
 * Invariant: the same C for every executor and instruction set, so the same bits. Everything is branch-free where a
 * compiler can make it so, and uses only operations that IEEE-754 rounds correctly; nothing may be contracted
 * (the build says -ffp-contract=off). Signed arithmetic here is written to wrap: files that include this header
 * are compiled with -fwrapv.
 *
 * The functions of a dtype end in its name: floor_divide_int32. The bodies are in the elements_*_tmpl.h files, included
 * once per dtype.
 */
#ifndef ZC_RUNTIME_OPS_ELEMENTS_H
#define ZC_RUNTIME_OPS_ELEMENTS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "math/elementary.h"
#include "math/floats/fused.h"
#include "math/floats/narrow.h"
#include "runtime/dtypes/conversions.h"

#endif
