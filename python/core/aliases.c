/*
 * Views that share the elements of their owner, as NumPy's do.
 *
 * Tensors do not change, but for those of which nobody can tell (zc_assign). An array that owns its elements holds the
 * tensor of now, and a write puts another one in its place and counts the version up. A view holds its owner, the
 * tensor that it was when it was last read, and which of the owner's elements it shows: numbers in row-major order
 * (zc_places), which are strides over an index range. Where the owner's tensor lies row-major, from its node's first
 * element on, the strides and the offset of the view's tensor are those of the places, and nothing else is kept. A view
 * whose version is not the owner's is taken anew, by the same strides. What was recorded before keeps the tensor that
 * it was recorded on.
 */
#include "python/core/aliases.h"

zc_tensor *core_adopt(core_frame *frame, zc_tensor *t)
{
    zc_tensor *adopted = zc_adopt(frame->ctx, t);
    zc_release(t);
    return adopted != NULL ? adopted : (core_raise(frame), NULL);
}

/* Puts new elements in the place of those that were; false where others came first. Takes over the reference to
 * `new` then. */
static bool swap(array_object *owner, const zc_tensor *was, zc_tensor *new)
{
    zc_tensor *old = NULL;
    BEGIN_SECTION((PyObject *)owner)
    if (owner->tensor == was) {
        old = owner->tensor;
        owner->tensor = new;
        owner->version++;
    }
    END_SECTION()
    zc_release(old);
    return old != NULL;
}

/* ---- Reading ---- */

/* The owner's elements of a moment as they are numbered, for views by strides. NULL with an exception. */
static zc_tensor *row_major(core_frame *frame, const core_moment *seen)
{
    zc_tensor *t = core_here(frame, zc_retain(seen->tensor));
    if (t == NULL || core_is_row_major(t, true))
        return t;
    zc_tensor *dense = zc_copy(t); /* which the owner does not take over: gradients know it by its tensor */
    zc_release(t);
    return dense != NULL ? dense : (core_raise(frame), NULL);
}

static zc_tensor *part_of(zc_tensor *t, core_part part)
{
    if (t == NULL || part == CORE_WHOLE)
        return t;
    zc_tensor *taken = part == CORE_REAL ? zc_real(t) : zc_imag(t);
    zc_release(t);
    return taken;
}

static zc_tensor *strided(const zc_tensor *t, const zc_tensor *as)
{
    return zc_as_strided(t, zc_rank(as), zc_shape(as), zc_strides(as), zc_offset(as));
}

/* The view's tensor of its owner's elements of that moment. */
static zc_tensor *view_of(core_frame *frame, array_object *view, const core_moment *mine, const core_moment *owners)
{
    zc_tensor *all = row_major(frame, owners);
    if (all == NULL)
        return NULL;
    zc_tensor *t = part_of(strided(all, mine->places != NULL ? mine->places : mine->tensor), (core_part)view->part);
    zc_release(all);
    return t != NULL ? t : (core_raise(frame), NULL);
}

/* Keeps what was read, unless somebody was first. Takes over the reference. */
static void keep(array_object *view, core_moment *mine, zc_tensor *t, uint64_t version)
{
    zc_tensor *unused = t, *places = NULL;
    BEGIN_SECTION((PyObject *)view)
    if (view->tensor == mine->tensor) {
        unused = view->tensor;
        view->tensor = t;
        view->version = version;
        if (view->part == CORE_WHOLE) { /* its strides tell it from now on */
            places = view->places;
            view->places = NULL;
        }
    }
    END_SECTION()
    zc_release(places);
    zc_release(unused);
}

zc_tensor *core_current_view(core_frame *frame, array_object *view)
{
    view->owner->line = 0;
    core_moment mine = core_look(view), owners = core_look(view->owner);
    zc_tensor *t = NULL;
    if (mine.version == owners.version)
        t = zc_retain(mine.tensor);
    else if ((t = view_of(frame, view, &mine, &owners)) != NULL)
        keep(view, &mine, zc_retain(t), owners.version);
    core_forget(&mine);
    core_forget(&owners);
    return t;
}

/* ---- Writing ---- */

zc_tensor *core_numbers(core_frame *frame, array_object *owner)
{
    core_moment seen = core_look(owner);
    if (seen.places != NULL) {
        zc_release(seen.tensor);
        return core_here(frame, seen.places);
    }
    zc_tensor *t = core_here(frame, zc_retain(seen.tensor)), *all = t != NULL ? zc_places(t) : NULL;
    zc_tensor *unused = all != NULL ? zc_retain(all) : NULL;
    BEGIN_SECTION((PyObject *)owner)
    if (owner->places == NULL && owner->tensor == seen.tensor) {
        owner->places = unused;
        unused = NULL;
    }
    END_SECTION()
    zc_release(unused);
    zc_release(t);
    core_forget(&seen);
    return all != NULL ? all : (core_raise(frame), NULL);
}

static zc_tensor *places_at(core_frame *frame, array_object *array, const core_moment *seen)
{
    if (array->owner == NULL)
        return core_numbers(frame, array);
    if (seen->places != NULL)
        return core_here(frame, zc_retain(seen->places));
    zc_tensor *all = core_numbers(frame, array->owner), *places = all != NULL ? strided(all, seen->tensor) : NULL;
    zc_release(all);
    return places != NULL ? places : (core_raise(frame), NULL);
}

zc_tensor *core_places(core_frame *frame, array_object *array)
{
    if (array->part == CORE_WHOLE) {
        core_moment seen = core_look(array);
        zc_tensor *places = places_at(frame, array, &seen);
        core_forget(&seen);
        return places;
    }
    zc_tensor *t = core_here(frame, core_current(frame, (PyObject *)array)), *own = t != NULL ? zc_places(t) : NULL;
    zc_release(t);
    return own != NULL || t == NULL ? own : (core_raise(frame), NULL);
}

/* Complex values of one new part, and the other part of what is there. NULL with an exception. */
static zc_tensor *joined(core_frame *frame, array_object *array, const core_moment *owners, const zc_tensor *places,
                         zc_tensor *values)
{
    zc_tensor *all = row_major(frame, owners);
    if (all == NULL)
        return NULL;
    zc_tensor *there = strided(all, places), *other = NULL, *both = NULL;
    if (there != NULL && array->part == CORE_REAL)
        both = zc_complex(values, other = zc_imag(there));
    else if (there != NULL)
        both = zc_complex(other = zc_real(there), values);
    zc_release(all);
    zc_release(there);
    zc_release(other);
    return both != NULL ? both : (core_raise(frame), NULL);
}

/* Tells whether the places are all of t's elements in order. */
static bool are_all(const zc_tensor *places, const zc_tensor *t)
{
    return zc_size(places) == zc_size(t) && core_is_row_major(places, true);
}

/* t with the values at the places, which are strides over an index range if `is_view`. NULL after a failure. */
static zc_tensor *updated(zc_tensor *t, zc_tensor *places, zc_tensor *values, zc_update_op op, bool is_view)
{
    if (!is_view || op != ZC_UPDATE_SET || zc_dtype_of(values) != zc_dtype_of(t) || zc_is_weak(values) ||
        !are_all(places, t))
        return zc_update(t, places, values, op);
    zc_tensor *full = zc_broadcast_to(values, zc_rank(places), zc_shape(places));
    zc_tensor *shaped = full != NULL ? zc_reshape(full, zc_rank(t), zc_shape(t)) : NULL;
    zc_release(full);
    return shaped;
}

/* Counts a write that was recorded; one at once leaves none. */
static void note_written(array_object *owner, bool is_done)
{
    owner->recorded = is_done ? 0 : owner->recorded + (owner->recorded < UINT32_MAX);
}

/* Lets the owner's tensor be updated, by values of all of the array's parts: 1 where it is done, 0 where the tensor is
 * another context's or is replaced as a whole, -1 after a failure. */
static int assign(const core_frame *frame, array_object *owner, const zc_tensor *places, zc_tensor **values,
                  bool is_view)
{
    int done = 0;
    BEGIN_SECTION((PyObject *)owner)
    const zc_tensor *before = owner->tensor;
    if (zc_context_of(before) == frame->ctx && !(is_view && are_all(places, before))) {
        const bool is_done = core_assign_keeping(owner, places, values) == ZC_OK;
        note_written(owner, owner->tensor == before);
        done = is_done ? 1 : zc_error_status(frame->ctx) != ZC_OK ? -1 : 0; /* 0: another thread came in between */
        owner->version += is_done;
    }
    END_SECTION()
    return done;
}

/* Changes the owner's elements at places that number them. */
static bool put(core_frame *frame, array_object *array, zc_tensor *places, zc_tensor **values, zc_update_op op,
                bool is_view)
{
    array_object *owner = core_owner(array);
    core_end_loan(owner); /* it is no element of another array any more */
    const bool is_plain = op == ZC_UPDATE_SET && array->part == CORE_WHOLE;
    const int assigned = is_plain ? assign(frame, owner, places, values, is_view) : 0;
    if (assigned != 0)
        return assigned > 0 || (core_raise(frame), false);
    for (bool done = false; !done;) {
        core_moment seen = core_look(owner);
        zc_tensor *base = core_here(frame, zc_retain(seen.tensor)), *new = NULL;
        zc_tensor *put = array->part == CORE_WHOLE ? zc_retain(*values) : joined(frame, array, &seen, places, *values);
        if (base != NULL && put != NULL) {
            new = updated(base, places, put, op, is_view);
            if (new == NULL)
                (void)core_raise(frame);
        }
        done = new == NULL || swap(owner, seen.tensor, new) || (zc_release(new), false);
        zc_release(put);
        zc_release(base);
        core_forget(&seen);
        if (new == NULL)
            return false;
    }
    note_written(owner, false);
    return true;
}

/* Tells that so many writes were recorded that the elements are to be computed: each takes memory, and time whenever
 * they are read, so that together they cost as much as the elements: or so many times as much. */
static bool are_due(array_object *owner, uint32_t times)
{
    enum { LEAST_WRITES = 16, BYTES_PER_WRITE = 64 << 10 };
    bool are_due;
    BEGIN_SECTION((PyObject *)owner)
    const int64_t item = (int64_t)zc_dtype_bytes(zc_dtype_of(owner->tensor));
    const int64_t writes = owner->recorded / times;
    are_due = writes >= LEAST_WRITES && zc_size(owner->tensor) / BYTES_PER_WRITE <= writes / item;
    END_SECTION()
    return are_due;
}

/* Computes an owner's elements where that is due, so that writes change them where they are, and the values that were
 * read of it, which would keep what was recorded. What cannot be computed now stays as it is recorded, and is refused
 * where it is read. False with an exception when the call is stopped. */
static bool settle(core_frame *frame, array_object *owner)
{
    core_settled s = {.is = {NULL}};
    if (zc_context_options(frame->ctx).recompute || !core_lends_few(owner))
        return true;
    core_moment seen = core_look(owner);
    core_look_at_lent(frame, owner, &s);
    s.asked[0] = core_here(frame, zc_retain(seen.tensor));
    if (s.asked[0] != NULL)
        core_compute_begin(frame);
    if (s.asked[0] != NULL &&
        core_compute_end(frame, zc_materialize_all(1 + s.count, (const zc_tensor *const *)s.asked, s.is)))
        s.is[0] = swap(owner, seen.tensor, s.is[0]) ? NULL : s.is[0]; /* else another thread wrote meanwhile */
    else
        (void)core_forgive();
    core_forget(&seen);
    core_put_lent(owner, &s);
    note_written(owner, true);
    return PyErr_Occurred() == NULL;
}

bool core_settle_before(core_frame *frame, array_object *owner)
{
    return !are_due(owner, 1) || settle(frame, owner);
}

/* Changes the owner's elements, and computes them where that is due: where values were read of it, when the next one
 * is, since what was written may be recorded on them and is still there. */
static bool write_to_owner(core_frame *frame, array_object *array, zc_tensor *places, zc_tensor **values,
                           zc_update_op op, bool is_view)
{
    enum { PATIENCE = 4 };
    array_object *owner = core_owner(array);
    return put(frame, array, places, values, op, is_view) &&
           (!are_due(owner, owner->lent != NULL ? PATIENCE : 1) || settle(frame, owner));
}

/* The same by values that are the caller's, who keeps the reference. */
static bool write_values(core_frame *frame, array_object *array, zc_tensor *places, zc_tensor *values, zc_update_op op,
                         bool is_view)
{
    zc_tensor *own = zc_retain(values);
    const bool done = write_to_owner(frame, array, places, &own, op, is_view);
    zc_release(own);
    return done;
}

/* Sets all elements of a view. */
static bool write_view(core_frame *frame, array_object *view, zc_tensor *values)
{
    core_moment seen = core_look(view);
    zc_tensor *places = places_at(frame, view, &seen);
    core_forget(&seen);
    bool done = places != NULL && write_values(frame, view, places, values, ZC_UPDATE_SET, true);
    zc_release(places);
    return done;
}

/* Which of its own elements a part changes is no place of its owner's, so all of the part are written. */
static bool write_part(core_frame *frame, array_object *view, zc_tensor *places, zc_tensor *values, zc_update_op op)
{
    zc_tensor *t = core_here(frame, core_current(frame, (PyObject *)view));
    zc_tensor *new = t != NULL ? zc_update(t, places, values, op) : NULL;
    if (t != NULL && new == NULL)
        (void)core_raise(frame);
    zc_release(t);
    bool done = new != NULL &&write_view(frame, view, new);
    zc_release(new);
    return done;
}

static void write_own(array_object *owner, zc_tensor *values)
{
    zc_tensor *old;
    core_end_loan(owner); /* it is no element of another array any more */
    BEGIN_SECTION((PyObject *)owner)
    old = owner->tensor;
    owner->tensor = zc_retain(values);
    owner->version++;
    END_SECTION()
    zc_release(old);
}

/* Sets all elements, and computes them when that was recorded so often: each write may hold as much memory as the
 * array. Fewer make one pass, and what is larger is computed where that is asked for. */
static bool write_whole(core_frame *frame, array_object *owner, zc_tensor *values)
{
    enum { MOST_RECORDED = 32, MOST_BYTES = 256 << 20 };
    const int64_t item = (int64_t)zc_dtype_bytes(zc_dtype_of(values));
    write_own(owner, values);
    note_written(owner, false);
    if (owner->recorded < MOST_RECORDED || zc_size(values) > MOST_BYTES / item || zc_varies(values))
        return true;
    return settle(frame, owner);
}

/* Notes where a copy is written to that perhaps nobody reads. */
static void note_write(array_object *owner)
{
    PyFrameObject *at = owner->is_copy ? PyEval_GetFrame() : NULL;
    if (at != NULL)
        owner->line = PyFrame_GetLineNumber(at);
}

bool core_write(core_frame *frame, array_object *array, zc_tensor *places, zc_tensor *values, zc_update_op op)
{
    bool done = true;
    if (places == NULL && array->owner == NULL)
        done = write_whole(frame, array, values);
    else if (places == NULL)
        done = write_view(frame, array, values);
    else if (array->part != CORE_WHOLE)
        done = write_part(frame, array, places, values, op);
    else
        done = write_values(frame, array, places, values, op, false); /* at places one by one */
    if (done)
        note_write(core_owner(array));
    return done;
}

/* Lets a view of few elements forget the tensor that the caller has of it, so that this is the only handle: the view is
 * taken anew by its places when it is read. False with an exception. */
static bool give_tensor(core_frame *frame, array_object *view, const zc_tensor *seen)
{
    static const int64_t still[ZC_MAX_RANK];
    static const char zero[16];
    if (view->part != CORE_WHOLE || zc_size(seen) > CORE_FEW)
        return true;
    core_moment mine = core_look(view);
    zc_tensor *places = mine.tensor == seen ? places_at(frame, view, &mine) : NULL;
    zc_tensor *none = places != NULL ? zc_constant(frame->ctx, zc_dtype_of(seen), zero) : NULL;
    zc_tensor *stand_in =
        none != NULL ? zc_as_strided(none, zc_rank(seen), zc_shape(seen), still, 0) : NULL; /* of dtype and shape */
    zc_tensor *unused[] = {stand_in, places};
    BEGIN_SECTION((PyObject *)view)
    if (stand_in != NULL && view->tensor == seen) {
        unused[0] = view->tensor;
        unused[1] = view->places;
        view->tensor = stand_in;
        view->places = places;
        view->version = UINT64_MAX;
    }
    END_SECTION()
    zc_release(unused[0]);
    zc_release(unused[1]);
    zc_release(none);
    core_forget(&mine);
    if (places != NULL && stand_in == NULL)
        (void)core_raise(frame);
    return PyErr_Occurred() == NULL;
}

bool core_set(core_frame *frame, array_object *array, zc_tensor *places, array_object *from, zc_tensor **values)
{
    array_object *owner = core_owner(array);
    if (from != NULL && from->owner == owner && !give_tensor(frame, from, *values))
        return false;
    const bool done = write_to_owner(frame, array, places, values, ZC_UPDATE_SET, true);
    if (done)
        note_write(owner);
    return done;
}

bool core_is_writable(const array_object *array, const char *subject)
{
    if (array->is_read_only || array->is_locked)
        PyErr_Format(PyExc_ValueError,
                     "%s is read-only: it was made so, or shows a broadcast, a diagonal or windows, whose elements are "
                     "written to in the array that they are of",
                     subject);
    return !array->is_read_only && !array->is_locked;
}

/* The line tells a write to a temporary, which goes in the statement that wrote, from one to an array with a name. */
void core_warn_of_lost_write(array_object *array)
{
    PyFrameObject *at = PyErr_Occurred() == NULL ? PyEval_GetFrame() : NULL;
    if (at == NULL || PyFrame_GetLineNumber(at) != array->line)
        return;
    if (PyErr_WarnEx(bound.lost_write,
                     "elements were written to a copy that nothing refers to: an index by arrays, and a reshape or "
                     "ravel() of elements that do not lie in order, copies",
                     1) != 0)
        PyErr_WriteUnraisable(NULL);
}
