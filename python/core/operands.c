/* Operands of calls: arrays, Python's numbers, and arrays of other libraries. */
#include <string.h>

#include "python/core/core.h"

/* Tells whether o is a Python integer that neither int64 nor uint64 has. */
static bool is_beyond(PyObject *o)
{
    int overflow = 0;
    if (o != NULL && PyLong_Check(o))
        (void)PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow <= 0)
        return overflow < 0;
    (void)PyLong_AsUnsignedLongLong(o);
    const bool has_failed = PyErr_Occurred() != NULL;
    PyErr_Clear();
    return has_failed;
}

/* The nearest float, infinite beyond the largest one. */
static double nearest_float(PyObject *integer)
{
    int overflow;
    double value = PyLong_AsDouble(integer);
    if (value != -1 || PyErr_Occurred() == NULL)
        return value;
    PyErr_Clear();
    (void)PyLong_AsLongLongAndOverflow(integer, &overflow);
    return overflow * Py_HUGE_VAL;
}

static zc_tensor *weak_float(core_frame *frame, double value, zc_tensor **owned)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    zc_tensor **kept = core_kept_scalar(frame, 'f', bits);
    return *owned = zc_retain(*kept != NULL ? *kept : (*kept = zc_weak_float(frame->ctx, value)));
}

static zc_tensor *weak_integer(core_frame *frame, PyObject *o, zc_tensor **owned)
{
    int overflow;
    long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow != 0 && is_beyond(o)) /* until core_settle() knows the other operands */
        return weak_float(frame, nearest_float(o), owned);
    if (overflow != 0) {
        const uint64_t large = PyLong_AsUnsignedLongLong(o);
        zc_tensor **kept = core_kept_scalar(frame, 'u', large);
        return *owned = zc_retain(*kept != NULL ? *kept : (*kept = zc_weak_uint(frame->ctx, large)));
    }
    zc_tensor **kept = core_kept_scalar(frame, 'i', (uint64_t)value);
    return *owned = zc_retain(*kept != NULL ? *kept : (*kept = zc_weak_int(frame->ctx, value)));
}

/* A Python number as an operand. What the frame keeps may go for the next one, so it gets a reference of its own. */
static zc_tensor *scalar(core_frame *frame, PyObject *o, zc_tensor **owned)
{
    if (PyBool_Check(o))
        return *owned = zc_weak_bool(frame->ctx, o == Py_True);
    if (PyLong_Check(o))
        return weak_integer(frame, o, owned);
    if (PyFloat_Check(o))
        return weak_float(frame, PyFloat_AsDouble(o), owned);
    return *owned = zc_weak_complex(frame->ctx, PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o));
}

/* Converts another library's array by the Python side. */
static zc_tensor *converted(core_frame *frame, PyObject *o)
{
    PyObject *array = PyObject_CallFunctionObjArgs(bound.convert, o, NULL);
    zc_tensor *t = NULL;
    if (array != NULL && core_is_array(array))
        (void)core_operand(frame, array, &t);
    Py_XDECREF(array);
    return t;
}

/* Tells whether o takes the dtype of what it meets: a Python number, also of a subclass, but none that has a dtype, as
 * NumPy's float64 does, which is a Python float. */
static bool is_number(PyObject *o)
{
    if (PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyBool_Check(o) || PyComplex_CheckExact(o))
        return true;
    return (PyLong_Check(o) || PyFloat_Check(o) || PyComplex_Check(o)) &&
           PyObject_HasAttrString((PyObject *)Py_TYPE(o), "dtype") == 0;
}

zc_tensor *core_operand(core_frame *frame, PyObject *o, zc_tensor **owned)
{
    zc_context *ctx = frame->ctx;
    *owned = NULL;
    if (core_is_array(o)) {
        *owned = core_here(frame, core_current(frame, o));
        return *owned;
    }
    zc_tensor *t = is_number(o) ? scalar(frame, o, owned) : (*owned = converted(frame, o));
    if (t == NULL && PyErr_Occurred() == NULL && zc_error_status(ctx) != ZC_OK)
        (void)core_raise(frame);
    return t;
}

static bool is_inexact(zc_dtype dtype)
{
    return dtype != ZC_BOOL && !core_is_integer(dtype);
}

bool core_settle(Py_ssize_t count, PyObject *const *objects, zc_tensor *const *t)
{
    bool meets_float = false;
    for (Py_ssize_t i = 0; i < count; i++)
        meets_float = meets_float || (t[i] != NULL && !is_beyond(objects[i]) && is_inexact(zc_dtype_of(t[i])));
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!is_beyond(objects[i]))
            continue;
        const bool fits = meets_float && (PyLong_AsDouble(objects[i]) != -1 || PyErr_Occurred() == NULL);
        if (!fits && (PyErr_Occurred() == NULL || PyErr_ExceptionMatches(PyExc_OverflowError)))
            PyErr_Format(PyExc_OverflowError, "the integer %S does not fit in the dtype of the other operands",
                         objects[i]);
        if (!fits)
            return false;
    }
    return true;
}

/* The same of operands that are compared: by value, so that an integer beyond every dtype is an infinity. */
static bool settle_compared(core_frame *frame, PyObject *const *objects, zc_tensor **t, zc_tensor **owned)
{
    for (int i = 0; i < 2; i++) {
        if (!is_beyond(objects[i]) || is_inexact(zc_dtype_of(t[1 - i])))
            continue;
        int overflow;
        (void)PyLong_AsLongLongAndOverflow(objects[i], &overflow);
        double infinite = overflow * Py_HUGE_VAL;
        zc_release(owned[i]);
        t[i] = owned[i] = zc_constant(frame->ctx, ZC_FLOAT64, &infinite);
        if (t[i] == NULL)
            return core_raise(frame) != NULL;
    }
    return true;
}

static bool is_comparison(core_binary function)
{
    return function == zc_equal || function == zc_not_equal || function == zc_less || function == zc_less_equal ||
           function == zc_greater || function == zc_greater_equal;
}

static PyObject *refuse(PyObject *o, bool is_operator)
{
    if (PyErr_Occurred() != NULL)
        return NULL;
    if (is_operator)
        Py_RETURN_NOTIMPLEMENTED;
    return PyErr_Format(PyExc_TypeError, "expected an array or a number, not %R", (PyObject *)Py_TYPE(o));
}

PyObject *core_call_1(core_unary function, PyObject *x)
{
    core_frame *frame = core_enter();
    if (frame == NULL)
        return NULL;
    zc_tensor *owned, *t = core_operand(frame, x, &owned);
    bool ok = t != NULL && core_settle(1, &x, &t);
    zc_tensor *result = ok ? function(t) : NULL;
    zc_release(owned);
    PyObject *array = ok ? core_wrap(frame, result) : refuse(x, false);
    core_leave(frame);
    return array;
}

PyObject *core_call_2(core_binary function, PyObject *x, PyObject *y, bool is_operator)
{
    core_frame *frame = core_enter();
    if (frame == NULL)
        return NULL;
    PyObject *const objects[2] = {x, y};
    zc_tensor *owned[2] = {NULL, NULL}, *t[2] = {core_operand(frame, x, &owned[0]), NULL};
    if (t[0] != NULL)
        t[1] = core_operand(frame, y, &owned[1]);
    bool ok = t[1] != NULL;
    if (ok && (PyLong_Check(x) || PyLong_Check(y)) && function != zc_divide) /* which makes floats of integers itself */
        ok = is_comparison(function) ? settle_compared(frame, objects, t, owned) : core_settle(2, objects, t);
    zc_tensor *result = ok ? function(t[0], t[1]) : NULL;
    zc_release(owned[0]);
    zc_release(owned[1]);
    PyObject *array = ok ? core_wrap(frame, result) : refuse(t[0] == NULL ? x : y, is_operator);
    core_leave(frame);
    return array;
}
