/* The kernels of the integers of 8 and 16 bits. */
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
#define ZC_D         int8
#define ZC_T         int8_t
#define ZC_BITS      8
#define ZC_IS_SIGNED 1
#define ZC_KIND      SIGNED
#include "materialize/kernels/templates/dtype_tmpl.h"
#undef ZC_GROUP

#define ZC_GROUP     INTEGER
#define ZC_D         int16
#define ZC_T         int16_t
#define ZC_BITS      16
#define ZC_IS_SIGNED 1
#define ZC_KIND      SIGNED
#include "materialize/kernels/templates/dtype_tmpl.h"
#undef ZC_GROUP

#define ZC_GROUP     INTEGER
#define ZC_D         uint8
#define ZC_T         uint8_t
#define ZC_BITS      8
#define ZC_IS_SIGNED 0
#define ZC_KIND      UNSIGNED
#include "materialize/kernels/templates/dtype_tmpl.h"
#undef ZC_GROUP

#define ZC_GROUP     INTEGER
#define ZC_D         uint16
#define ZC_T         uint16_t
#define ZC_BITS      16
#define ZC_IS_SIGNED 0
#define ZC_KIND      UNSIGNED
#include "materialize/kernels/templates/dtype_tmpl.h"
#undef ZC_GROUP
