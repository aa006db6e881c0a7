/* The kernels of bool. */
#include <string.h>

#include "materialize/kernels/emit.h"
#include "materialize/kernels/lanes.h"
#include "runtime/elements.h"
#include "runtime/elements_bool.h"

#define ZC_GROUP        BOOL
#define ZC_KIND_IS_BOOL 1
#define ZC_D            bool_
#define ZC_T            uint8_t
#define ZC_KIND         BOOL
#include "materialize/kernels/dtype_tmpl.h"
