/* The kernels of float32 and float64. */
#include <string.h>

#include "materialize/kernels/elements/elements.h"
#include "materialize/kernels/templates/emit.h"
#include "materialize/kernels/templates/lanes.h"
#include "materialize/kernels/templates/near_powers.h"
#include "materialize/kernels/templates/row_dot.h"
#if defined(ZC_VECTOR_BYTES)
#include "materialize/kernels/templates/chain_emit.h"
#endif
#include "runtime/ops/elements.h"

#define ZC_GROUP         WIDE
#define ZC_KIND_IS_FLOAT 1

#include "materialize/kernels/templates/as_float32.h"
#define ZC_KIND FLOAT
#include "materialize/kernels/templates/dtype_tmpl.h"

#include "materialize/kernels/templates/as_float64.h"
#define ZC_KIND FLOAT
#include "materialize/kernels/templates/dtype_tmpl.h"
