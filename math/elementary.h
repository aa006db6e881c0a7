/*
 * The elementary functions, written so that compilers turn a loop over them into vector code, with the same bits from
 * every instruction set: additions, multiplications, fused multiply-adds, divisions, square roots and bit moves only,
 * selections instead of branches, no tables. Functions with edges that most elements are far from also come as
 * near_NAME, which leaves them out: the same bits in a range (math/ranges.h).
 *
 * Results lie within 1 ULP of the exact value, unless docs/operations.md says otherwise. float32's functions are
 * computed in float32 (math/single/), with twice the lanes of double; where that would not be faster, in
 * double and rounded once. Each file names its sources; the polynomials are made by coefficients.py.
 */
#ifndef ZC_MATH_ELEMENTARY_H
#define ZC_MATH_ELEMENTARY_H

#include "math/double/activation.h"
#include "math/double/exp.h"
#include "math/double/inverse.h"
#include "math/double/log.h"
#include "math/double/normal.h"
#include "math/double/power.h"
#include "math/double/trigonometric.h"
#include "math/ranges.h"
#include "math/single/activation.h"
#include "math/single/exp.h"
#include "math/single/inverse.h"
#include "math/single/log.h"
#include "math/single/normal.h"
#include "math/single/power.h"
#include "math/single/trigonometric.h"

#endif
