/*
 * The kernels of elementary functions, of float32 and float64: the rows of ops.def in the domains FLOAT and RANGED. A
 * file of their own, because they are compiled in another way (ZEROCAST_INTERLEAVED of cmake/flags.cmake): the
 * operations of a function wait for each other, so several vectors take turns.
 */
#include <string.h>

#include "materialize/kernels/elements/elements.h"
#include "materialize/kernels/templates/emit.h"
#include "runtime/ops/elements.h"

#define ZC_OVER(x, y) ((x) / (y))
#define ZC_INVERSE(x) (1 / (x))
#define ZC_READ(p)    (p)
#define ZC_WRITE(v)   ((ZC_T)(v))

#include "materialize/kernels/templates/as_float32.h"
/* then */
#include "materialize/kernels/elements/functions_tmpl.h"
#undef ZC_D
#undef ZC_T
#include "materialize/kernels/templates/as_float64.h"
/* then */
#include "materialize/kernels/elements/functions_tmpl.h"
