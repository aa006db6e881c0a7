/*
 * The elementary functions, written so that compilers turn a loop over them into vector code, with the same bits from
 * every instruction set: additions, multiplications, fused multiply-adds, divisions, square roots and bit moves only,
 * selections instead of branches, no tables. Functions with edges that most elements are far from also come as
 * near_NAME, which leaves them out: the same bits in a range (elementary_ranges.h).
 *
 * Results lie within 1 ULP of the exact value, unless docs/operations.md says otherwise. float32's functions are
 * computed in float32 (elementary_single_*.h), with twice the lanes of double; where that would not be faster, in
 * double and rounded once. Each file names its sources; the polynomials are made by coefficients.py.
 */
#ifndef ZC_RUNTIME_OPS_ELEMENTARY_H
#define ZC_RUNTIME_OPS_ELEMENTARY_H

#include "runtime/ops/elementary_activation.h"
#include "runtime/ops/elementary_exp.h"
#include "runtime/ops/elementary_inverse.h"
#include "runtime/ops/elementary_log.h"
#include "runtime/ops/elementary_normal.h"
#include "runtime/ops/elementary_power.h"
#include "runtime/ops/elementary_ranges.h"
#include "runtime/ops/elementary_single_activation.h"
#include "runtime/ops/elementary_single_exp.h"
#include "runtime/ops/elementary_single_inverse.h"
#include "runtime/ops/elementary_single_log.h"
#include "runtime/ops/elementary_single_normal.h"
#include "runtime/ops/elementary_single_power.h"
#include "runtime/ops/elementary_single_trigonometric.h"
#include "runtime/ops/elementary_trigonometric.h"

#endif
