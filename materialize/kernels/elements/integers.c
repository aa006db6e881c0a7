/* The kernels of the integers of 32 and 64 bits. */
#include <string.h>

#include "materialize/kernels/elements/elements.h"
#include "materialize/kernels/templates/emit.h"
#include "materialize/kernels/templates/lanes.h"
#if defined(ZC_VECTOR_BYTES)
#include "materialize/kernels/templates/chain_emit.h"
#endif
#include "runtime/ops/elements.h"

#define ZC_KIND_IS_INTEGER 1

#define ZC_GROUP     INTEGER
#define ZC_D         int32
#define ZC_T         int32_t
#define ZC_BITS      32
#define ZC_IS_SIGNED 1
#define ZC_KIND      SIGNED
#include "materialize/kernels/templates/dtype_tmpl.h"
#undef ZC_GROUP

#define ZC_GROUP     LONG
#define ZC_D         int64
#define ZC_T         int64_t
#define ZC_BITS      64
#define ZC_IS_SIGNED 1
#define ZC_KIND      SIGNED
#include "materialize/kernels/templates/dtype_tmpl.h"
#undef ZC_GROUP

#define ZC_GROUP     INTEGER
#define ZC_D         uint32
#define ZC_T         uint32_t
#define ZC_BITS      32
#define ZC_IS_SIGNED 0
#define ZC_KIND      UNSIGNED
#include "materialize/kernels/templates/dtype_tmpl.h"
#undef ZC_GROUP

#define ZC_GROUP     LONG
#define ZC_D         uint64
#define ZC_T         uint64_t
#define ZC_BITS      64
#define ZC_IS_SIGNED 0
#define ZC_KIND      UNSIGNED
#include "materialize/kernels/templates/dtype_tmpl.h"
#undef ZC_GROUP
