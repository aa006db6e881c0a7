/* Functions that make views, and what the Python side does with arrays that share elements. */
#include "python/core/aliases.h"

static zc_tensor *places_of(array_object *array)
{
    zc_tensor *places;
    BEGIN_SECTION((PyObject *)array)
    places = array->places != NULL ? zc_retain(array->places) : NULL;
    END_SECTION()
    return places;
}

bool core_begin_view(core_call *call, core_viewed *of, const char *name, const char *letters,
                     PyObject *const *arguments, Py_ssize_t count)
{
    *of = (core_viewed){0};
    if (count > 0 && core_is_array(arguments[0])) {
        of->array = (array_object *)arguments[0];
        of->version = core_version(core_owner(of->array));
        of->places = of->array->owner != NULL ? places_of(of->array) : NULL;
    }
    if (!core_begin(call, name, letters, arguments, count)) {
        zc_release(of->places);
        return false;
    }
    if (of->array == NULL || (of->places == NULL && (of->array->owner != NULL || core_is_row_major(call->t[0], true))))
        return true;
    of->places = of->places != NULL ? core_here(call->frame, of->places) : core_numbers(call->frame, of->array);
    if (of->places == NULL)
        core_end(call);
    return of->places != NULL;
}

PyObject *core_end_copy(core_call *call, core_viewed *of, zc_tensor *t)
{
    zc_release(of->places);
    return core_end_tensor(call, t);
}

PyObject *core_end_view(core_call *call, core_viewed *of, zc_tensor *view, zc_tensor *shown, bool is_writable)
{
    const bool has_failed = view == NULL || (of->places != NULL && shown == NULL);
    array_object *array = of->array;
    if (has_failed) {
        zc_release(view);
        view = NULL;
    }
    PyObject *result = core_end_copy(call, of, view);
    if (result == NULL || array == NULL) {
        zc_release(shown);
        return result;
    }
    array_object *made = (array_object *)result;
    made->owner = (array_object *)Py_NewRef((PyObject *)core_owner(array));
    made->places = shown;
    made->version = of->version;
    made->part = array->part;
    made->is_read_only = !is_writable || array->is_read_only;
    made->is_locked = array->is_locked;
    return result;
}

/* ---- Views that take more than a row of functions.def ---- */

/* reshape(x, sizes): a view where the order of the elements allows it, else a copy. */
static PyObject *reshape(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    core_call call;
    core_viewed of;
    if (!core_begin_view(&call, &of, "reshape", "ts", arguments, count))
        return NULL;
    zc_tensor *shown = zc_reshape_view(of.places != NULL ? of.places : T0, S0);
    if (shown != NULL && of.places == NULL)
        return core_end_view(&call, &of, shown, NULL, true);
    if (shown != NULL)
        return core_end_view(&call, &of, zc_reshape(T0, S0), shown, true);
    zc_error_clear(call.ctx);
    PyObject *copy = core_end_copy(&call, &of, zc_reshape(T0, S0));
    if (copy != NULL)
        ((array_object *)copy)->is_copy = true;
    return copy;
}

/* The real or imaginary part, which of complex elements is a view. */
static PyObject *view_part(PyObject *const *arguments, Py_ssize_t count, core_part part)
{
    core_call call;
    core_viewed of;
    if (!core_begin_view(&call, &of, part == CORE_REAL ? "real" : "imag", "t", arguments, count))
        return NULL;
    const bool is_complex = zc_dtype_of(T0) == ZC_COMPLEX64 || zc_dtype_of(T0) == ZC_COMPLEX128;
    zc_tensor *t = part == CORE_REAL ? zc_real(T0) : zc_imag(T0), *shown = NULL;
    if (!is_complex && part == CORE_IMAG) { /* zeros that are nowhere */
        PyObject *zeros = core_end_copy(&call, &of, t);
        if (zeros != NULL)
            ((array_object *)zeros)->is_read_only = true;
        return zeros;
    }
    if (of.array != NULL && is_complex && of.places == NULL)
        of.places = core_places(call.frame, of.array); /* no strides of a part tell it */
    if (of.places != NULL)
        shown = zc_retain(of.places);
    if (of.array != NULL && is_complex && shown == NULL) {
        zc_release(t);
        t = NULL;
    }
    PyObject *view = core_end_view(&call, &of, t, shown, true);
    if (view != NULL && is_complex && of.array != NULL)
        ((array_object *)view)->part = (uint8_t)part;
    return view;
}

static PyObject *real(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    return view_part(arguments, count, CORE_REAL);
}

static PyObject *imag(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    return view_part(arguments, count, CORE_IMAG);
}

int core_set_shape(PyObject *self, PyObject *shape, void *unused)
{
    (void)unused;
    if (shape == NULL) {
        PyErr_SetString(PyExc_AttributeError, "the shape of an array cannot be deleted");
        return -1;
    }
    PyObject *const arguments[] = {self, shape};
    PyObject *other = reshape(NULL, arguments, 2);
    if (other == NULL)
        return -1;
    array_object *array = (array_object *)self, *from = (array_object *)other;
    if (from->owner == NULL) {
        Py_DECREF(other);
        PyErr_SetString(PyExc_AttributeError, "elements that do not lie in order get another shape by reshape(), which "
                                              "copies them");
        return -1;
    }
    zc_tensor *old[] = {NULL, NULL};
    BEGIN_SECTION(self)
    old[0] = array->tensor;
    array->tensor = zc_retain(from->tensor);
    old[1] = array->places;
    array->places = array->owner != NULL && from->places != NULL ? zc_retain(from->places) : NULL;
    if (array->owner != NULL)
        array->version = from->version;
    END_SECTION()
    zc_release(old[0]);
    zc_release(old[1]);
    Py_DECREF(other);
    return 0;
}

/* ---- Functions for the Python side ---- */

/* Reads an array and leaves out what is none. */
static array_object *array_in(PyObject *const *arguments, Py_ssize_t count, Py_ssize_t wanted, const char *name)
{
    if (count == wanted && core_is_array(arguments[0]))
        return (array_object *)arguments[0];
    PyErr_Format(PyExc_TypeError, "%s() takes an array and %zd arguments more", name, wanted - 1);
    return NULL;
}

/* places(x): which of its owner's elements x shows. */
static PyObject *places(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    array_object *array = array_in(arguments, count, 1, "places");
    core_frame *frame = array != NULL ? core_enter() : NULL;
    if (frame == NULL)
        return NULL;
    zc_tensor *t = core_places(frame, array);
    PyObject *result = t != NULL ? core_wrap(frame, t) : NULL;
    core_leave(frame);
    return result;
}

/* shown(x): which of its owner's elements x shows, also of a part. */
static PyObject *shown_by(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    array_object *array = array_in(arguments, count, 1, "shown");
    if (array == NULL || array->part == CORE_WHOLE)
        return array != NULL ? places(module, arguments, count) : NULL;
    core_frame *frame = core_enter();
    if (frame == NULL)
        return NULL;
    core_moment seen = core_look(array);
    PyObject *result = core_wrap(frame, zc_adopt(frame->ctx, seen.places)); /* which parts keep */
    core_forget(&seen);
    core_leave(frame);
    return result;
}

/* write(x, values): all elements of x, in its shape and dtype. */
static PyObject *write_all(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    core_call call;
    array_object *array = array_in(arguments, count, 2, "write");
    if (array == NULL || !core_is_writable(array, "assignment destination") ||
        !core_begin(&call, "write", "t", arguments + 1, 1))
        return NULL;
    bool done = core_write(call.frame, array, NULL, T0, ZC_UPDATE_SET);
    core_end(&call);
    return done ? Py_NewRef(Py_None) : NULL;
}

/* update_at(x, places, values, op): elements of x at places, which are views of those that places(x) gives, or taken
 * of them. */
static PyObject *update_at(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    core_call call;
    array_object *array = array_in(arguments, count, 4, "update_at");
    if (array == NULL || !core_is_writable(array, "assignment destination") ||
        !core_begin(&call, "update_at", "tti", arguments + 1, 3))
        return NULL;
    bool done = core_write(call.frame, array, T0, T1, (zc_update_op)N0);
    core_end(&call);
    return done ? Py_NewRef(Py_None) : NULL;
}

/* The three that follow change what a function has just made, before anybody else has it. */

/* detached(x): with the same elements, of its own. */
static PyObject *detached(PyObject *module, PyObject *x)
{
    (void)module;
    array_object *array = (array_object *)x;
    if (!core_is_array(x))
        return PyErr_Format(PyExc_TypeError, "detached() takes an array");
    zc_release(array->places);
    array->places = NULL;
    Py_CLEAR(array->owner);
    array->version = 0;
    array->part = CORE_WHOLE;
    array->is_read_only = array->is_locked = false;
    return Py_NewRef(x);
}

/* made(x): of rank 0 an array, and no value. */
static PyObject *made(PyObject *module, PyObject *x)
{
    (void)module;
    if (!core_is_array(x))
        return PyErr_Format(PyExc_TypeError, "made() takes an array");
    ((array_object *)x)->is_made = true;
    return Py_NewRef(x);
}

/* copied(x): a copy that an index or ravel() made. */
static PyObject *copied(PyObject *module, PyObject *x)
{
    (void)module;
    if (!core_is_array(x))
        return PyErr_Format(PyExc_TypeError, "copied() takes an array");
    ((array_object *)x)->is_copy = true;
    return detached(NULL, x);
}

/* lock(x): refuses writes through x, and through views that are made of it from now on. */
static PyObject *lock(PyObject *module, PyObject *x)
{
    (void)module;
    if (!core_is_array(x))
        return PyErr_Format(PyExc_TypeError, "lock() takes an array");
    ((array_object *)x)->is_locked = true;
    Py_RETURN_NONE;
}

/* unlock(x): takes writes again; False where x, or the array whose elements it shows, is read-only. */
static PyObject *unlock(PyObject *module, PyObject *x)
{
    (void)module;
    if (!core_is_array(x))
        return PyErr_Format(PyExc_TypeError, "unlock() takes an array");
    array_object *array = (array_object *)x;
    const bool may_write = !array->is_read_only && (array->owner == NULL || !array->owner->is_locked);
    array->is_locked &= !may_write;
    return PyBool_FromLong(may_write);
}

/* is_foreign(x): whether x shows memory as another library handed it in. */
static PyObject *is_foreign(PyObject *module, PyObject *x)
{
    (void)module;
    if (!core_is_array(x))
        return PyErr_Format(PyExc_TypeError, "is_foreign() takes an array");
    array_object *owner = core_owner((array_object *)x);
    return PyBool_FromLong(owner->is_foreign && core_version(owner) == 0);
}

/* is_contiguous(x): whether x shows elements of its owner that follow each other, in order. */
static PyObject *is_contiguous(PyObject *module, PyObject *x)
{
    (void)module;
    if (!core_is_array(x))
        return PyErr_Format(PyExc_TypeError, "is_contiguous() takes an array");
    array_object *array = (array_object *)x;
    core_moment seen = core_look(array);
    bool result = array->owner == NULL || core_is_row_major(seen.places != NULL ? seen.places : seen.tensor, false);
    if (array->part != CORE_WHOLE) /* the other part lies between */
        result = zc_size(seen.tensor) <= 1;
    core_forget(&seen);
    return PyBool_FromLong(result);
}

/* part(x): 0 where x shows whole elements, 1 where real parts, 2 where imaginary ones. */
static PyObject *part(PyObject *module, PyObject *x)
{
    (void)module;
    return core_is_array(x) ? PyLong_FromLong(((array_object *)x)->part)
                            : PyErr_Format(PyExc_TypeError, "part() takes an array");
}

PyMethodDef core_aliasing_functions[] = {
    {"reshape", FAST(reshape), METH_FASTCALL, NULL},
    {"real", FAST(real), METH_FASTCALL, NULL},
    {"imag", FAST(imag), METH_FASTCALL, NULL},
    {"places", FAST(places), METH_FASTCALL, NULL},
    {"shown", FAST(shown_by), METH_FASTCALL, NULL},
    {"write", FAST(write_all), METH_FASTCALL, NULL},
    {"update_at", FAST(update_at), METH_FASTCALL, NULL},
    {"detached", detached, METH_O, NULL},
    {"lock", lock, METH_O, NULL},
    {"unlock", unlock, METH_O, NULL},
    {"made", made, METH_O, NULL},
    {"copied", copied, METH_O, NULL},
    {"is_contiguous", is_contiguous, METH_O, NULL},
    {"is_foreign", is_foreign, METH_O, NULL},
    {"part", part, METH_O, NULL},
    {"positions", core_positions, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
