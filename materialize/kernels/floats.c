/* The kernels of float32 and float64. */
#include <string.h>

#include "materialize/kernels/emit.h"
#include "materialize/kernels/lanes.h"
#include "materialize/kernels/row_dot.h"
#if defined(ZC_VECTOR_BYTES)
#include "materialize/kernels/chain_emit.h"
#endif
#include "runtime/elements.h"

#define ZC_GROUP         WIDE
#define ZC_KIND_IS_FLOAT 1

#include "materialize/kernels/as_float32.h"
#define ZC_KIND FLOAT
#include "materialize/kernels/dtype_tmpl.h"

#include "materialize/kernels/as_float64.h"
#define ZC_KIND FLOAT
#include "materialize/kernels/dtype_tmpl.h"
