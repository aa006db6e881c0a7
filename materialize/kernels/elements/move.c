/* The kernels that move elements: copies, to and from strided memory (pack, unpack, spread), by index (gather, deal).
 */
#include <string.h>

#include "materialize/kernels/elements/elements.h"
#include "materialize/kernels/templates/emit.h"

/* Signed integers and floats move as the unsigned integers of their size, complex numbers as what is aligned as their
 * parts are: compilers move the two parts of a `float _Complex` one after the other. */
typedef uint32_t zc_any32 __attribute__((may_alias));
typedef uint64_t zc_any64 __attribute__((may_alias));
typedef uint64_t zc_any_complex64 __attribute__((may_alias, aligned(4)));
typedef uint64_t zc_any_complex128 __attribute__((may_alias, vector_size(16), aligned(8)));

#define ZC_D uint8
#define ZC_T uint8_t
#include "materialize/kernels/templates/move_tmpl.h"
#define ZC_D uint16
#define ZC_T uint16_t
#include "materialize/kernels/templates/move_tmpl.h"
#define ZC_D uint32
#define ZC_T zc_any32
#include "materialize/kernels/templates/move_tmpl.h"
#define ZC_D uint64
#define ZC_T zc_any64
#include "materialize/kernels/templates/move_tmpl.h"
#define ZC_D complex64
#define ZC_T zc_any_complex64
#include "materialize/kernels/templates/move_tmpl.h"
#define ZC_D complex128
#define ZC_T zc_any_complex128
#include "materialize/kernels/templates/move_tmpl.h"

/* ---- Bools become 0 or 1 where they are stored ---- */

#define ZC_D bool_

void ZC_KERNEL(map_copy)(ZC_MAP_PARAMETERS)
{
    uint8_t *to = out;
    const uint8_t *from = in_x;
    (void)in_y, (void)in_z;
    ZC_PARALLEL
    for (int64_t i = 0; i < n; i++)
        to[i] = from[i] != 0;
}

void ZC_KERNEL(unpack)(void *out, const void *in, int64_t stride, int64_t n)
{
    uint8_t *to = out;
    const uint8_t *from = in;
    for (int64_t i = 0; i < n; i++)
        to[i * stride] = from[i] != 0;
}
