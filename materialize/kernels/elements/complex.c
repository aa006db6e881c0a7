/* The kernels of complex64 and complex128. */
#include <string.h>

#include "materialize/kernels/elements/elements.h"
#include "materialize/kernels/templates/emit.h"
#include "materialize/kernels/templates/lanes.h"
#include "materialize/kernels/templates/planes.h"
#include "math/complex/complex.h"
#include "runtime/ops/elements.h"

/* The functions of their parts. */
#include "materialize/kernels/templates/as_float32.h"
#include "runtime/ops/elements_float_tmpl.h"
#undef ZC_D
#undef ZC_T
#include "materialize/kernels/templates/as_float64.h"
#include "runtime/ops/elements_float_tmpl.h"
#undef ZC_D
#undef ZC_T
#undef ZC_M

#define ZC_GROUP           COMPLEX
#define ZC_KIND_IS_COMPLEX 1

#define ZC_D              complex64
#define ZC_T              float _Complex
#define ZC_PART_T         float
#define ZC_PART(function) function##_float32
#define ZC_PART_KERNEL(f) ZC_KERNEL_OF(f, float32)
#define ZC_M(function)    function##f
#define ZC_KIND           COMPLEX
#include "materialize/kernels/templates/dtype_tmpl.h"
#undef ZC_PART_T
#undef ZC_PART
#undef ZC_PART_KERNEL
#undef ZC_M

#define ZC_D              complex128
#define ZC_T              double _Complex
#define ZC_PART_T         double
#define ZC_PART(function) function##_float64
#define ZC_PART_KERNEL(f) ZC_KERNEL_OF(f, float64)
#define ZC_M(function)    function
#define ZC_KIND           COMPLEX
#include "materialize/kernels/templates/dtype_tmpl.h"
