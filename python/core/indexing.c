/*
 * x[key] and x[key] = v of integers, slices, None and one ellipsis, which are views, and of a list or an array of
 * integers, which list rows, or a mask over the first axes. Every other key, and each that is refused, is left to
 * _indexing.py: a loop that takes slices spends most of its time here.
 */
#include "python/core/aliases.h"

/* A key as its parts are applied to the view. Invariant: `view` is owned. */
typedef struct walk {
    zc_tensor *view;
    int axis; /* of the view: what the next part is about */
} walk;

static Py_ssize_t count_parts(PyObject *key)
{
    return PyTuple_CheckExact(key) ? PyTuple_Size(key) : 1;
}

static PyObject *part_at(PyObject *key, Py_ssize_t i)
{
    return PyTuple_CheckExact(key) ? PyTuple_GetItem(key, i) : key;
}

/* Tells an integer that a computation or a full index gave. */
static bool is_integer_value(PyObject *part)
{
    zc_tensor *t = core_hold(part);
    const bool is_integer = core_is_integer(zc_dtype_of(t)) && zc_rank(t) == 0;
    zc_release(t);
    return is_integer && ((array_object *)part)->owner == NULL && !((array_object *)part)->is_made;
}

/* Tells NumPy's integers, ours, and others that are integers by __index__ alone: an array that was made with one
 * element is a key of its own kind. */
static bool is_like_integer(PyObject *part)
{
    if (!PyIndex_Check(part) || PyLong_CheckExact(part) || PyBool_Check(part))
        return false;
    if (core_is_array(part))
        return is_integer_value(part);
    return PyType_GetSlot(Py_TYPE(part), Py_mp_length) == NULL && PyType_GetSlot(Py_TYPE(part), Py_sq_length) == NULL;
}

/* The part, or the Python integer that it is like. A new reference, or NULL with an exception. */
static PyObject *plain_part(PyObject *part)
{
    PyObject *integer = is_like_integer(part) ? PyNumber_Index(part) : NULL;
    if (integer == NULL && PyErr_Occurred() != NULL && PyErr_ExceptionMatches(PyExc_TypeError))
        PyErr_Clear(); /* NumPy's bools say so */
    return integer != NULL || PyErr_Occurred() != NULL ? integer : Py_NewRef(part);
}

/* The key with Python's integers. A new reference, or NULL with an exception. */
static PyObject *plain_key(PyObject *key)
{
    bool is_plain = true;
    const Py_ssize_t count = count_parts(key);
    for (Py_ssize_t i = 0; i < count && is_plain; i++)
        is_plain = !is_like_integer(part_at(key, i));
    if (is_plain || !PyTuple_CheckExact(key))
        return is_plain ? Py_NewRef(key) : plain_part(key);
    PyObject *plain = PyTuple_New(count);
    for (Py_ssize_t i = 0; i < count && plain != NULL; i++) {
        PyObject *part = plain_part(part_at(key, i));
        if (part == NULL || PyTuple_SetItem(plain, i, part) != 0)
            Py_CLEAR(plain);
    }
    return plain;
}

/* Tells whether x[key] is a view; counts the axes that the key names. */
static bool count_axes(PyObject *key, int rank, int *named)
{
    const Py_ssize_t count = count_parts(key);
    int ellipses = 0;
    *named = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *part = part_at(key, i);
        ellipses += part == Py_Ellipsis;
        if (PyLong_CheckExact(part) || PySlice_Check(part))
            (*named)++;
        else if (part != Py_None && part != Py_Ellipsis)
            return false;
    }
    return ellipses <= 1 && *named <= rank;
}

static bool move_to(walk *w, zc_tensor *view)
{
    zc_release(w->view);
    w->view = view;
    return view != NULL;
}

/* The three that follow: 1 where it is done, 0 where the key is another's, -1 with a failure. */
static int apply_integer(walk *w, PyObject *part)
{
    int overflow;
    const long long at = PyLong_AsLongLongAndOverflow(part, &overflow);
    const int64_t n = zc_shape(w->view)[w->axis];
    if (overflow != 0 || at < -n || at >= n)
        return 0;
    return move_to(w, zc_index(w->view, w->axis, at)) ? 1 : -1;
}

static int apply_slice(walk *w, PyObject *part)
{
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(part, &start, &stop, &step) != 0) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_ValueError))
            return -1; /* a bound's __index__ raised it, a KeyboardInterrupt perhaps */
        PyErr_Clear(); /* it is said in our words there */
        return 0;
    }
    const bool is_whole = start == 0 && stop == PY_SSIZE_T_MAX && step == 1;
    start += start == PY_SSIZE_T_MIN; /* which is ZC_NONE; both are before the first element */
    stop += stop == PY_SSIZE_T_MIN;
    if (!is_whole && !move_to(w, zc_slice(w->view, w->axis, start, stop, step)))
        return -1;
    w->axis++;
    return 1;
}

static int apply(walk *w, PyObject *part, int left_out)
{
    if (PyLong_CheckExact(part))
        return apply_integer(w, part);
    if (PySlice_Check(part))
        return apply_slice(w, part);
    if (part == Py_Ellipsis) {
        w->axis += left_out;
        return 1;
    }
    return move_to(w, zc_expand_dims(w->view, w->axis++)) ? 1 : -1;
}

/* The view of t by the key: 1 where it is done, 0 where the key is another's, -1 with a failure of the frame's context
 * or an exception. */
static int walk_key(zc_tensor *t, PyObject *key, zc_tensor **view)
{
    walk w = {.view = zc_retain(t)};
    const int rank = zc_rank(t);
    int named, done = count_axes(key, rank, &named) ? 1 : 0;
    for (Py_ssize_t i = 0; done == 1 && i < count_parts(key); i++)
        done = apply(&w, part_at(key, i), rank - named);
    if (done != 1) {
        zc_release(w.view);
        w.view = NULL;
    }
    *view = w.view;
    return done;
}

/* Tells whether the key is integers alone, for all axes: NumPy gives a scalar then, which shares nothing. */
static bool is_full(PyObject *key, int rank)
{
    bool is_integers = count_parts(key) == rank;
    for (Py_ssize_t i = 0; is_integers && i < rank; i++)
        is_integers = PyLong_CheckExact(part_at(key, i));
    return is_integers;
}

/* x[i, j, ...], an integer for each axis. NULL without an exception where an integer is outside. */
static PyObject *element_at(PyObject *self, PyObject *key)
{
    core_frame *frame = core_enter();
    if (frame == NULL)
        return NULL;
    array_object *owner = core_owner((array_object *)self);
    const bool is_ready = owner->recorded == 0 || core_settle_before(frame, owner);
    zc_tensor *t = is_ready ? core_here(frame, core_current(frame, self)) : NULL, *view = NULL;
    const int done = t != NULL ? walk_key(t, key, &view) : 0;
    PyObject *element = done != 0 ? core_wrap(frame, view) : NULL;
    if (element != NULL)
        core_lend(owner, (array_object *)element);
    zc_release(t);
    core_leave(frame);
    return element;
}

/* Ends a call with the view that a key asks for. */
static PyObject *end_key(core_call *call, core_viewed *of, zc_tensor *view, PyObject *key)
{
    zc_tensor *shown = NULL;
    if (view != NULL && of->places != NULL)
        (void)walk_key(of->places, key, &shown);
    return core_end_view(call, of, view, shown, true);
}

/* ---- Listed rows ---- */

/* Reads an item of a list; *overflow: it is beyond 64 bits. False, perhaps with an exception, where it is no integer.
 */
static bool read_position(PyObject *item, int64_t *position, int *overflow)
{
    PyObject *integer = PyLong_CheckExact(item) ? Py_NewRef(item) : is_like_integer(item) ? PyNumber_Index(item) : NULL;
    if (integer != NULL)
        *position = PyLong_AsLongLongAndOverflow(integer, overflow);
    Py_XDECREF(integer);
    return integer != NULL;
}

/* Positions along an axis of that size from a list of integers; NULL, perhaps without an error, where the key is
 * another's: other items, or many of them. One that is outside is refused, as by NumPy, when it is listed. */
static zc_tensor *listed_positions(core_frame *frame, PyObject *list, int64_t size)
{
    enum { MOST = 512 };
    int64_t positions[MOST];
    const Py_ssize_t count = PyList_Size(list);
    bool are_integers = count > 0 && count <= MOST;
    for (Py_ssize_t i = 0; i < count && are_integers; i++) {
        PyObject *item = PySequence_GetItem(list, i);
        int overflow = 0;
        are_integers = item != NULL && read_position(item, &positions[i], &overflow);
        const bool is_outside = are_integers && (overflow != 0 || positions[i] < -size || positions[i] >= size);
        if (is_outside)
            PyErr_Format(PyExc_IndexError, "index %S is out of bounds for axis 0 of size %lld", item, (long long)size);
        Py_XDECREF(item);
        if (is_outside)
            return NULL;
    }
    if (PyErr_Occurred() != NULL && PyErr_ExceptionMatches(PyExc_TypeError))
        PyErr_Clear(); /* NumPy's bools say so */
    if (PyErr_Occurred() != NULL || !are_integers)
        return NULL;
    return zc_from_data(frame->ctx, ZC_INT64, ZC_SHAPE(count), positions, (size_t)count * sizeof *positions);
}

/* Tells an array with axes, of that dtype. */
static bool is_array_of(PyObject *key, zc_dtype dtype)
{
    if (!core_is_array(key))
        return false;
    zc_tensor *t = core_hold(key);
    const bool is_so = zc_dtype_of(t) == dtype && zc_rank(t) > 0;
    zc_release(t);
    return is_so;
}

/* Tells a list, or an array of integers or bools with axes. */
static bool may_list(PyObject *key)
{
    return PyList_CheckExact(key) || is_array_of(key, ZC_INT64) || is_array_of(key, ZC_BOOL);
}

/* Tells a mask over the first axes of t. */
static bool fits_mask(const zc_tensor *t, PyObject *key)
{
    zc_tensor *mask = core_hold(key);
    const int rank = zc_rank(mask);
    bool fits = rank <= zc_rank(t) && zc_size(mask) > 0;
    for (int a = 0; fits && a < rank; a++)
        fits = zc_shape(mask)[a] == zc_shape(t)[a];
    zc_release(mask);
    return fits;
}

/* Lets the first axes, those of a mask, be one. NULL with a failure of the context. */
static zc_tensor *join_axes(const zc_tensor *t, PyObject *key)
{
    int64_t shape[ZC_MAX_RANK];
    zc_tensor *mask = core_hold(key);
    const int left_out = zc_rank(mask) - 1, rank = zc_rank(t) - left_out;
    shape[0] = zc_size(mask);
    for (int a = 1; a < rank; a++)
        shape[a] = zc_shape(t)[a + left_out];
    zc_release(mask);
    return zc_reshape(t, rank, shape);
}

/* Positions along t's first axis, or along all axes of the key where that is a mask; NULL, perhaps without an error,
 * where the key is another's. */
static zc_tensor *find_positions(core_frame *frame, const zc_tensor *t, PyObject *key)
{
    if (PyList_CheckExact(key))
        return listed_positions(frame, key, zc_shape(t)[0]);
    if (is_array_of(key, ZC_BOOL))
        return fits_mask(t, key) ? core_find_positions(frame, key) : NULL;
    return core_here(frame, core_current(frame, key));
}

/* Takes t's rows that a key lists: 1 where it is done, 0 where the key is another's, -1 with a failure of the frame's
 * context or an exception. */
static int take_listed(core_frame *frame, const zc_tensor *t, PyObject *key, zc_tensor **rows)
{
    *rows = NULL;
    if (zc_rank(t) == 0)
        return 0;
    zc_tensor *positions = find_positions(frame, t, key), *joined = NULL;
    if (positions == NULL)
        return PyErr_Occurred() != NULL || zc_error_status(frame->ctx) != ZC_OK ? -1 : 0;
    if (is_array_of(key, ZC_BOOL))
        t = joined = join_axes(t, key);
    if (t != NULL)
        *rows = zc_gather(t, ZC_AXES(0), (const zc_tensor *[]){positions});
    zc_release(joined);
    zc_release(positions);
    return *rows != NULL ? 1 : -1;
}

/* NULL without an exception where the key is another's. */
static PyObject *listed_rows(PyObject *self, PyObject *key)
{
    core_frame *frame = core_enter();
    if (frame == NULL)
        return NULL;
    zc_tensor *t = core_here(frame, core_current(frame, self)), *rows = NULL;
    const int done = t != NULL ? take_listed(frame, t, key, &rows) : 0;
    PyObject *copy = done == 1 ? core_wrap(frame, rows) : NULL;
    if (done < 0 && PyErr_Occurred() == NULL)
        (void)core_raise(frame);
    if (copy != NULL)
        ((array_object *)copy)->is_copy = true;
    zc_release(t);
    core_leave(frame);
    return copy;
}

static PyObject *subscript(PyObject *self, PyObject *key)
{
    core_call call;
    core_viewed of;
    zc_tensor *view, *held = core_hold(self);
    const bool is_element = is_full(key, zc_rank(held));
    zc_release(held);
    PyObject *element = is_element ? element_at(self, key) : may_list(key) ? listed_rows(self, key) : NULL;
    if (element != NULL || PyErr_Occurred() != NULL)
        return element;
    if (!core_begin_view(&call, &of, "an index", "t", &self, 1))
        return NULL;
    const int done = walk_key(call.t[0], key, &view);
    if (done != 0)
        return end_key(&call, &of, view, key);
    zc_release(of.places);
    core_end(&call);
    return PyObject_CallFunctionObjArgs(bound.get, self, key, NULL);
}

PyObject *core_subscript(PyObject *self, PyObject *key)
{
    PyObject *plain = plain_key(key), *item = plain != NULL ? subscript(self, plain) : NULL;
    Py_XDECREF(plain);
    return item;
}

PyObject *core_subscript_at(PyObject *self, Py_ssize_t at)
{
    PyObject *key = PyLong_FromSsize_t(at), *item = key != NULL ? core_subscript(self, key) : NULL;
    Py_XDECREF(key);
    return item;
}

/* ---- x[key] = v ---- */

/* Tells whether v shows the very elements at the places: x[0] += 1 assigns what it has changed. */
static bool is_there(const array_object *array, PyObject *v, const zc_tensor *places)
{
    if (!core_is_array(v))
        return false;
    array_object *value = (array_object *)v;
    if (value->owner == NULL || value->owner != core_owner((array_object *)array) || value->part != CORE_WHOLE)
        return false;
    core_moment seen = core_look(value);
    const zc_tensor *theirs = seen.places != NULL ? seen.places : seen.tensor;
    const int rank = zc_rank(places);
    bool is_same = rank == zc_rank(theirs) && zc_offset(places) == zc_offset(theirs);
    for (int a = 0; is_same && a < rank; a++)
        is_same = zc_shape(places)[a] == zc_shape(theirs)[a] && zc_strides(places)[a] == zc_strides(theirs)[a];
    core_forget(&seen);
    return is_same;
}

/* Tells whether v goes into elements of that dtype as an operand does: no conversion loses anything unasked. */
static bool is_kept(PyObject *v, zc_dtype dtype, int rank)
{
    if (core_is_array(v)) {
        const zc_tensor *t = ((array_object *)v)->tensor;
        return zc_dtype_of(t) == dtype && zc_rank(t) <= rank;
    }
    int overflow = 0;
    if (PyLong_CheckExact(v) && dtype != ZC_BOOL)
        return PyLong_AsLongLongAndOverflow(v, &overflow), overflow == 0;
    return PyBool_Check(v) || (PyFloat_CheckExact(v) && dtype != ZC_BOOL && !core_is_integer(dtype));
}

/* Sets the elements at places to an operand, whose reference may be another one afterwards. */
static bool set_places(core_frame *frame, array_object *array, zc_tensor *places, bool is_listed, PyObject *v,
                       zc_tensor **owned)
{
    zc_tensor *values = core_operand(frame, v, owned);
    if (values == NULL)
        return false;
    return is_listed ? core_write(frame, array, places, values, ZC_UPDATE_SET)
                     : core_set(frame, array, places, core_is_array(v) ? (array_object *)v : NULL, owned);
}

/* Tells a value that a mask chooses for its elements: one number needs no positions. */
static bool is_chosen(PyObject *key, PyObject *v)
{
    return is_array_of(key, ZC_BOOL) && !(core_is_array(v) && zc_rank(((array_object *)v)->tensor) > 0);
}

/* 1 where it is done, 0 where _indexing.py is to do it, -1 with an exception. */
static int assign_places(core_frame *frame, array_object *array, PyObject *key, PyObject *v)
{
    const bool is_listed = may_list(key);
    if (is_chosen(key, v))
        return 0;
    zc_tensor *all = core_places(frame, array), *places = NULL, *owned = NULL;
    int done = all == NULL ? -1 : is_listed ? take_listed(frame, all, key, &places) : walk_key(all, key, &places);
    if (done == 1 && (is_listed || !is_there(array, v, places))) {
        if (!is_kept(v, zc_dtype_of(array->tensor), zc_rank(places)))
            done = 0;
        else if (!set_places(frame, array, places, is_listed, v, &owned))
            done = -1;
    }
    if (done < 0 && PyErr_Occurred() == NULL)
        (void)core_raise(frame);
    zc_release(owned);
    zc_release(places);
    zc_release(all);
    return done;
}

static int assign(PyObject *self, PyObject *key, PyObject *value)
{
    array_object *array = (array_object *)self;
    core_frame *frame = core_is_writable(array, "assignment destination") ? core_enter() : NULL;
    if (frame == NULL)
        return -1;
    int done = array->part == CORE_WHOLE ? assign_places(frame, array, key, value) : 0;
    core_leave(frame);
    if (done != 0)
        return done < 0 ? -1 : 0;
    PyObject *none = PyObject_CallFunctionObjArgs(bound.put, self, key, value, NULL);
    Py_XDECREF(none);
    return none != NULL ? 0 : -1;
}

int core_assign(PyObject *self, PyObject *key, PyObject *value)
{
    if (value == NULL) {
        PyErr_SetString(PyExc_TypeError, "elements of an array cannot be deleted");
        return -1;
    }
    PyObject *plain = plain_key(key);
    const int done = plain != NULL ? assign(self, plain, value) : -1;
    Py_XDECREF(plain);
    return done;
}
