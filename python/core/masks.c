/*
 * Where a mask is true. A step of a program takes and sets elements by one mask several times, and finding its
 * positions means two walks over it, so those of the mask that was asked for last are remembered.
 *
 * Invariant: what is remembered belongs to an array that is there, and holds while its elements have been written to as
 * often as then. It is one entry of the process, changed by one thread at a time.
 */
#include "python/core/aliases.h"

/* Positions of more bytes are found again each time. */
enum { MOST_BYTES = 64 << 20 };

static struct {
    array_object *mask; /* borrowed; NULL where nothing is remembered */
    uint64_t version;   /* of its owner */
    zc_tensor *positions;
} remembered;

/* Forgets what there is, and remembers positions of a mask, or nothing. Takes over the reference. */
static void remember(array_object *mask, uint64_t version, zc_tensor *positions)
{
    zc_tensor *old;
    BEGIN_SECTION(bound.get)
    old = remembered.positions;
    if (remembered.mask != NULL)
        remembered.mask->is_remembered = false;
    remembered.mask = mask;
    remembered.version = version;
    remembered.positions = positions;
    if (mask != NULL)
        mask->is_remembered = true;
    END_SECTION()
    zc_release(old);
}

void core_forget_mask(array_object *mask)
{
    zc_tensor *positions = NULL;
    BEGIN_SECTION(bound.get)
    if (remembered.mask == mask) {
        positions = remembered.positions;
        remembered.mask = NULL;
        remembered.positions = NULL;
    }
    END_SECTION()
    zc_release(positions);
}

/* A reference to what is remembered of the mask, or NULL. */
static zc_tensor *recall(const array_object *mask, uint64_t version)
{
    zc_tensor *positions = NULL;
    BEGIN_SECTION(bound.get)
    if (remembered.mask == mask && remembered.version == version)
        positions = zc_retain(remembered.positions);
    END_SECTION()
    return positions;
}

/* Computes the positions. NULL with an exception. */
static zc_tensor *find(core_frame *frame, const zc_tensor *mask)
{
    const int64_t size = zc_size(mask);
    zc_tensor *flat = zc_reshape(mask, 1, &size), *positions = NULL;
    if (flat == NULL)
        return core_raise(frame), NULL;
    core_compute_begin(frame);
    const bool done = core_compute_end(frame, zc_nonzero(flat, &positions));
    zc_release(flat);
    return done ? positions : NULL;
}

zc_tensor *core_find_positions(core_frame *frame, PyObject *x)
{
    array_object *mask = (array_object *)x;
    const uint64_t version = core_version(core_owner(mask)); /* before the elements: never newer than they are */
    zc_tensor *positions = core_here(frame, recall(mask, version));
    zc_tensor *t = positions == NULL && PyErr_Occurred() == NULL ? core_here(frame, core_current(frame, x)) : NULL;
    if (t != NULL)
        positions = find(frame, t);
    if (t != NULL && positions != NULL && zc_size(positions) <= MOST_BYTES / (int64_t)sizeof(int64_t))
        remember(mask, version, zc_retain(positions));
    zc_release(t);
    return positions;
}

PyObject *core_positions(PyObject *module, PyObject *x)
{
    (void)module;
    if (!core_is_array(x))
        return PyErr_Format(PyExc_TypeError, "positions() takes an array");
    core_frame *frame = core_enter();
    if (frame == NULL)
        return NULL;
    zc_tensor *positions = core_find_positions(frame, x);
    PyObject *result = positions != NULL ? core_wrap(frame, positions) : NULL;
    core_leave(frame);
    return result;
}
