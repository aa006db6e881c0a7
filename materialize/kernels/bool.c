/* The kernels of bool. */
#include <string.h>

#include "materialize/kernels/templates/emit.h"
#include "materialize/kernels/templates/lanes.h"
#include "runtime/ops/elements.h"
#include "runtime/ops/elements_bool.h"

#define ZC_GROUP        BOOL
#define ZC_KIND_IS_BOOL 1
#define ZC_D            bool_
#define ZC_T            uint8_t
#define ZC_KIND         BOOL
#include "materialize/kernels/templates/dtype_tmpl.h"
