/* Elements as Python's own numbers. */
#include <math.h>
#include <string.h>

#include "python/core/core.h"

zc_tensor *core_computed(core_frame *frame, PyObject *array, bool compact)
{
    zc_tensor *owned, *t = core_operand(frame, array, &owned), *out = NULL;
    if (t == NULL)
        return NULL;
    if (compact && zc_is_view(t))
        return owned;
    core_compute_begin(frame);
    zc_status status = compact ? zc_compact(t, &out) : zc_materialize(t, &out);
    bool ok = core_compute_end(frame, status);
    zc_release(owned);
    if (!ok)
        zc_release(out);
    return ok ? out : NULL;
}

/* A float32 as a double, also where the process takes subnormals for zero. */
static double widened(const float *at)
{
    uint32_t bits;
    memcpy(&bits, at, sizeof bits);
    if ((bits & 0x7f800000) != 0)
        return (double)*at;
    const double size = ldexp((double)(bits & 0x7fffff), -149); /* normal, as a double */
    return bits >> 31 != 0 ? -size : size;
}

/* The elements as float32, computed, in the place of t; NULL with an exception. */
static zc_tensor *widen(core_frame *frame, zc_tensor *t)
{
    zc_tensor *wide = zc_astype(t, ZC_FLOAT32), *out = NULL;
    zc_release(t);
    if (wide == NULL) {
        (void)core_raise(frame);
        return NULL;
    }
    core_compute_begin(frame);
    const bool ok = core_compute_end(frame, zc_materialize(wide, &out));
    zc_release(wide);
    if (!ok)
        zc_release(out);
    return ok ? out : NULL;
}

static PyObject *half_float(core_frame *frame, zc_tensor *t)
{
    zc_tensor *wide = widen(frame, zc_retain(t));
    PyObject *value = wide != NULL ? PyFloat_FromDouble(widened(zc_data(wide))) : NULL;
    zc_release(wide);
    return value;
}

/* An element as Python's own number, of any dtype but floats of 16 bits. */
static PyObject *wide_number_at(zc_dtype dtype, const void *at)
{
    switch (dtype) {
    case ZC_BOOL:
        return PyBool_FromLong(*(const char *)at != 0);
    case ZC_INT8:
        return PyLong_FromLong(*(const int8_t *)at);
    case ZC_INT16:
        return PyLong_FromLong(*(const int16_t *)at);
    case ZC_INT32:
        return PyLong_FromLong(*(const int32_t *)at);
    case ZC_INT64:
        return PyLong_FromLongLong(*(const int64_t *)at);
    case ZC_UINT8:
        return PyLong_FromLong(*(const uint8_t *)at);
    case ZC_UINT16:
        return PyLong_FromLong(*(const uint16_t *)at);
    case ZC_UINT32:
        return PyLong_FromUnsignedLong(*(const uint32_t *)at);
    case ZC_UINT64:
        return PyLong_FromUnsignedLongLong(*(const uint64_t *)at);
    case ZC_FLOAT32:
        return PyFloat_FromDouble(widened(at));
    case ZC_FLOAT64:
        return PyFloat_FromDouble(*(const double *)at);
    case ZC_COMPLEX64:
        return PyComplex_FromDoubles(widened(at), widened((const float *)at + 1));
    default:
        return PyComplex_FromDoubles(((const double *)at)[0], ((const double *)at)[1]);
    }
}

static bool is_half(zc_dtype dtype)
{
    return dtype == ZC_FLOAT16 || dtype == ZC_BFLOAT16;
}

/* The only element of t as Python's own number. */
static PyObject *number_at(core_frame *frame, zc_tensor *t, const void *at)
{
    return is_half(zc_dtype_of(t)) ? half_float(frame, t) : wide_number_at(zc_dtype_of(t), at);
}

/* ---- Lists ---- */

/* The elements from one on, of the axes from one on, as nested lists. recursion: the rank */
static PyObject *list_from(const zc_tensor *t, int axis, const char *at)
{
    const zc_dtype dtype = zc_dtype_of(t);
    if (axis == zc_rank(t))
        return wide_number_at(dtype, at);
    const int64_t extent = zc_shape(t)[axis];
    const int64_t step = zc_size(t) > 0 ? zc_strides(t)[axis] * (int64_t)zc_dtype_bytes(dtype) : 0;
    PyObject *list = PyList_New((Py_ssize_t)extent);
    for (int64_t i = 0; list != NULL && i < extent; i++) {
        PyObject *item = list_from(t, axis + 1, at + i * step);
        if (item == NULL || PyList_SetItem(list, (Py_ssize_t)i, item) != 0) {
            Py_DECREF(list);
            return NULL;
        }
    }
    return list;
}

PyObject *core_to_list(PyObject *module, PyObject *array)
{
    (void)module;
    if (!core_is_array(array))
        return PyErr_Format(PyExc_TypeError, "to_list() takes an array");
    core_frame *frame = core_enter();
    if (frame == NULL)
        return NULL;
    zc_tensor *t = core_computed(frame, array, true);
    if (t != NULL && is_half(zc_dtype_of(t)))
        t = widen(frame, t);
    core_leave(frame);
    PyObject *list = t != NULL ? list_from(t, 0, zc_data(t)) : NULL;
    zc_release(t);
    return list;
}

/* ---- Numbers ---- */

/* Computes an element, which stays in memory where it is asked for again. */
static PyObject *compute_number(core_frame *frame, PyObject *self)
{
    zc_tensor *t = core_computed(frame, self, false);
    PyObject *value = t != NULL ? number_at(frame, t, zc_data(t)) : NULL;
    zc_release(t);
    return value;
}

static PyObject *as_number(PyObject *self, const char *kind)
{
    core_frame *frame = core_enter();
    if (frame == NULL)
        return NULL;
    PyObject *value = NULL;
    uint64_t element[2];
    zc_tensor *t = core_here(frame, core_current(frame, self));
    if (t != NULL && zc_size(t) != 1)
        PyErr_Format(PyExc_TypeError, "only an array of one element is a %s", kind);
    else if (t != NULL)
        value = zc_peek(t, element) ? number_at(frame, t, element) : compute_number(frame, self);
    zc_release(t);
    core_leave(frame);
    return value;
}

PyObject *core_item(PyObject *self, PyObject *unused)
{
    (void)unused;
    return as_number(self, "number");
}

PyObject *core_as_float(PyObject *self)
{
    PyObject *value = as_number(self, "float");
    if (value == NULL || PyFloat_Check(value))
        return value;
    if (PyComplex_Check(value)) {
        Py_DECREF(value);
        PyErr_SetString(PyExc_TypeError, "a complex array is no float");
        return NULL;
    }
    PyObject *result = PyNumber_Float(value);
    Py_DECREF(value);
    return result;
}

PyObject *core_as_int(PyObject *self)
{
    PyObject *value = as_number(self, "int");
    PyObject *result = value != NULL ? PyNumber_Long(value) : NULL; /* refuses complex, NaN and infinities */
    Py_XDECREF(value);
    return result;
}

PyObject *core_as_index(PyObject *self)
{
    zc_tensor *t = core_hold(self);
    bool is_index = core_is_integer(zc_dtype_of(t)) && zc_rank(t) == 0;
    zc_release(t);
    if (is_index)
        return as_number(self, "index");
    PyErr_SetString(PyExc_TypeError, "only an integer array of rank 0 is an index");
    return NULL;
}

PyObject *core_as_complex(PyObject *self, PyObject *unused)
{
    (void)unused;
    PyObject *value = as_number(self, "complex number");
    if (value == NULL || PyComplex_Check(value))
        return value;
    double real = PyFloat_AsDouble(value);
    Py_DECREF(value);
    return real == -1 && PyErr_Occurred() != NULL ? NULL : PyComplex_FromDoubles(real, 0);
}

/* Values have the hash of Python's number, which they equal, or, of no number, one of their own; the elements of arrays
 * may change. */
Py_hash_t core_hash(PyObject *self)
{
    if (!core_is_value((array_object *)self))
        return PyObject_HashNotImplemented(self);
    PyObject *value = as_number(self, "number"), *equals = NULL;
    if (value != NULL)
        equals = PyObject_RichCompare(value, value, Py_EQ);
    if (equals == Py_False) { /* each NaN that Python makes has another hash */
        Py_DECREF(value);
        value = PyLong_FromVoidPtr(self);
    }
    const Py_hash_t hash = equals != NULL && value != NULL ? PyObject_Hash(value) : -1;
    Py_XDECREF(equals);
    Py_XDECREF(value);
    return hash;
}

int core_as_bool(PyObject *self)
{
    zc_tensor *t = core_hold(self);
    const bool is_one = zc_size(t) == 1;
    zc_release(t);
    if (!is_one) {
        PyErr_SetString(PyExc_ValueError, "the truth of an array with more than one element, or none, is ambiguous; "
                                          "use zerocast.any() or zerocast.all()");
        return -1;
    }
    PyObject *value = as_number(self, "bool");
    int truth = value != NULL ? PyObject_IsTrue(value) : -1;
    Py_XDECREF(value);
    return truth;
}

bool core_is_one_integer(PyObject *o)
{
    if (PyLong_Check(o) || !PyIndex_Check(o))
        return PyLong_Check(o);
    if (!PySequence_Check(o) && PyObject_HasAttrString(o, "__len__") == 0)
        return true;
    bool is_one = PyObject_Size(o) < 0; /* arrays of rank 0 have no length */
    PyErr_Clear();
    return is_one;
}
