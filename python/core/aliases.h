/* Parts of an array that the files about views look at. */
#ifndef ZC_PYTHON_ALIASES_H
#define ZC_PYTHON_ALIASES_H

#include "python/core/calls.h"

/* An array at one moment. The tensors are references. */
typedef struct core_moment {
    zc_tensor *tensor, *places;
    uint64_t version;
} core_moment;

static inline core_moment core_look(array_object *array)
{
    core_moment seen;
    BEGIN_SECTION((PyObject *)array)
    seen = (core_moment){zc_retain(array->tensor), array->places != NULL ? zc_retain(array->places) : NULL,
                         array->version};
    END_SECTION()
    return seen;
}

static inline void core_forget(core_moment *seen)
{
    zc_release(seen->tensor);
    zc_release(seen->places);
}

static inline array_object *core_owner(array_object *array)
{
    return array->owner != NULL ? array->owner : array;
}

/* Number of writes to an owner's elements. */
static inline uint64_t core_version(array_object *owner)
{
    uint64_t version;
    BEGIN_SECTION((PyObject *)owner)
    version = owner->version;
    END_SECTION()
    return version;
}

/* Tells whether the elements follow each other in t's node in row-major order, and, `from_the_first`, begin with its
 * first one. */
static inline bool core_is_row_major(const zc_tensor *t, bool from_the_first)
{
    int64_t dense = 1;
    bool is_dense = !from_the_first || zc_offset(t) == 0;
    for (int a = zc_rank(t); is_dense && a-- > 0;) {
        is_dense = (zc_shape(t)[a] == 1 || zc_strides(t)[a] == dense) &&
                   !__builtin_mul_overflow(dense, zc_shape(t)[a], &dense);
    }
    return is_dense || zc_size(t) == 0;
}

/* ---- loans.c ---- */

/* Writes to an owner's elements; values that were read of it may get copies of their own. `values` may be what one of
 * them refers to: then it is the same tensor as that one's afterwards. */
INTERNAL zc_status core_assign_keeping(array_object *owner, const zc_tensor *places, zc_tensor **values);

enum { CORE_FEW_LENT = 4 };

/* Most elements of a tensor that zc_assign_keeping() copies. */
enum { CORE_FEW = 4096 };

/* Tells an owner of which few values are still there that are views of memory: each may hold the elements of then. */
INTERNAL bool core_lends_few(const array_object *owner);

/* An owner and the values that were read of it, computed in one run. */
typedef struct core_settled {
    int count; /* of values */
    array_object *value[CORE_FEW_LENT];
    zc_tensor *was[CORE_FEW_LENT];                               /* [count]: tensors of the values */
    zc_tensor *asked[1 + CORE_FEW_LENT], *is[1 + CORE_FEW_LENT]; /* [1 + count]: what is computed, the owner's first */
} core_settled;

/* Lists the values that are still there, to be computed. */
INTERNAL void core_look_at_lent(const core_frame *frame, array_object *owner, core_settled *settled);

/* Lets values that nothing else was recorded on be what was computed of them, if that was done, and releases what is
 * listed: where the owner's elements were replaced, after that. */
INTERNAL void core_put_lent(array_object *owner, core_settled *settled);

#endif
