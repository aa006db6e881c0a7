/* The type of arrays: a handle with operators. All else that an array can do is Python (zerocast/_array.py). */
#include <string.h>

#include "python/core/core.h"

PyTypeObject *array_base;

PyObject *core_wrap(zc_context *ctx, zc_tensor *t)
{
    if (t == NULL)
        return core_raise(ctx);
    PyObject *array = PyType_GenericAlloc(bound.array, 0);
    if (array == NULL)
        zc_release(t);
    else
        ((array_object *)array)->tensor = t;
    return array;
}

/* Free-threaded interpreters have sections for what the GIL does elsewhere. */
#if defined(Py_GIL_DISABLED)
#define BEGIN_SECTION(array) Py_BEGIN_CRITICAL_SECTION(array)
#define END_SECTION()        Py_END_CRITICAL_SECTION()
#else
#define BEGIN_SECTION(array) {
#define END_SECTION()        }
#endif

zc_tensor *core_hold(PyObject *array)
{
    zc_tensor *t;
    BEGIN_SECTION(array)
    t = zc_retain(((array_object *)array)->tensor);
    END_SECTION()
    return t;
}

PyObject *core_rebind(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    if (count != 2 || !core_is_array(arguments[0]) || !core_is_array(arguments[1]))
        return PyErr_Format(PyExc_TypeError, "rebind() takes two arrays");
    array_object *self = (array_object *)arguments[0];
    zc_tensor *new = core_hold(arguments[1]), *old;
    BEGIN_SECTION(arguments[0])
    old = self->tensor;
    self->tensor = new;
    END_SECTION()
    zc_release(old);
    Py_RETURN_NONE;
}

static void dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc end = (freefunc)PyType_GetSlot(type, Py_tp_free); /* a subclass may be the collector's */
    zc_release(((array_object *)self)->tensor);
    end(self);
    Py_DECREF(type);
}

/* Arrays are made by functions; Array(x) is another one on the same tensor. */
static PyObject *array_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    PyObject *from;
    if (keywords != NULL && PyDict_Size(keywords) != 0) {
        PyErr_SetString(PyExc_TypeError, "Array takes no keywords");
        return NULL;
    }
    if (!PyArg_ParseTuple(arguments, "O!:Array", (PyObject *)array_base, &from))
        return NULL;
    PyObject *array = PyType_GenericAlloc(type, 0);
    if (array != NULL)
        ((array_object *)array)->tensor = core_hold(from);
    return array;
}

/* ---- Operands ---- */

static zc_tensor *weak_integer(zc_context *ctx, PyObject *o, zc_tensor **owned)
{
    int overflow;
    long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow == 0) {
        zc_tensor **kept = core_kept_scalar('i', (uint64_t)value);
        return *owned = zc_retain(*kept != NULL ? *kept : (*kept = zc_weak_int(ctx, value)));
    }
    uint64_t large = overflow > 0 ? PyLong_AsUnsignedLongLong(o) : 0;
    if (overflow > 0 && PyErr_Occurred() == NULL)
        return *owned = zc_constant(ctx, ZC_UINT64, &large);
    PyErr_Format(PyExc_OverflowError, "the integer %S does not fit in any dtype", o);
    return NULL;
}

static zc_tensor *weak_float(zc_context *ctx, double value, zc_tensor **owned)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    zc_tensor **kept = core_kept_scalar('f', bits);
    return *owned = zc_retain(*kept != NULL ? *kept : (*kept = zc_weak_float(ctx, value)));
}

/* A Python number as an operand. What the context keeps may go for the next one, so it gets a reference of its own. */
static zc_tensor *scalar(zc_context *ctx, PyObject *o, zc_tensor **owned)
{
    if (PyBool_Check(o))
        return *owned = zc_weak_bool(ctx, o == Py_True);
    if (PyLong_Check(o))
        return weak_integer(ctx, o, owned);
    if (PyFloat_Check(o))
        return weak_float(ctx, PyFloat_AsDouble(o), owned);
    return *owned = zc_weak_complex(ctx, PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o));
}

/* What the Python side makes of another library's array. */
static zc_tensor *converted(zc_context *ctx, PyObject *o)
{
    PyObject *array = PyObject_CallFunctionObjArgs(bound.convert, o, NULL);
    zc_tensor *t = NULL;
    if (array != NULL && core_is_array(array))
        (void)core_operand(ctx, array, &t);
    Py_XDECREF(array);
    return t;
}

zc_tensor *core_operand(zc_context *ctx, PyObject *o, zc_tensor **owned)
{
    *owned = NULL;
    if (core_is_array(o)) {
        zc_tensor *t = core_hold(o);
        *owned = zc_context_of(t) == ctx ? t : zc_adopt(ctx, t);
        if (*owned != t)
            zc_release(t);
        if (*owned == NULL)
            (void)core_raise(ctx);
        return *owned;
    }
    bool is_scalar = PyLong_Check(o) || PyFloat_Check(o) || PyComplex_Check(o);
    zc_tensor *t = is_scalar ? scalar(ctx, o, owned) : (*owned = converted(ctx, o));
    if (t == NULL && PyErr_Occurred() == NULL && zc_error_status(ctx) != ZC_OK)
        (void)core_raise(ctx);
    return t;
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
    zc_context *ctx = core_context();
    zc_tensor *owned, *t = ctx != NULL ? core_operand(ctx, x, &owned) : NULL;
    if (t == NULL)
        return refuse(x, false);
    zc_tensor *result = function(t);
    zc_release(owned);
    return core_wrap(ctx, result);
}

PyObject *core_call_2(core_binary function, PyObject *x, PyObject *y, bool is_operator)
{
    zc_context *ctx = core_context();
    zc_tensor *owned_x, *owned_y, *a = ctx != NULL ? core_operand(ctx, x, &owned_x) : NULL;
    if (a == NULL)
        return refuse(x, is_operator);
    zc_tensor *b = core_operand(ctx, y, &owned_y);
    if (b == NULL) {
        zc_release(owned_x);
        return refuse(y, is_operator);
    }
    zc_tensor *result = function(a, b);
    zc_release(owned_x);
    zc_release(owned_y);
    return core_wrap(ctx, result);
}

/* ---- Operators ---- */

#define OPERATOR_2(slot, function)                                                                                     \
    static PyObject *slot(PyObject *x, PyObject *y)                                                                    \
    {                                                                                                                  \
        return core_call_2(function, x, y, true);                                                                      \
    }
#define OPERATOR_1(slot, function)                                                                                     \
    static PyObject *slot(PyObject *x)                                                                                 \
    {                                                                                                                  \
        return core_call_1(function, x);                                                                               \
    }
OPERATOR_2(add, zc_add)
OPERATOR_2(subtract, zc_subtract)
OPERATOR_2(multiply, zc_multiply)
OPERATOR_2(true_divide, zc_divide)
OPERATOR_2(floor_divide, zc_floor_divide)
OPERATOR_2(remainder_of, zc_remainder)
OPERATOR_2(matrix_multiply, zc_matmul)
OPERATOR_2(bit_and, zc_bitwise_and)
OPERATOR_2(bit_or, zc_bitwise_or)
OPERATOR_2(bit_xor, zc_bitwise_xor)
OPERATOR_2(left_shift, zc_bitwise_left_shift)
OPERATOR_2(right_shift, zc_bitwise_right_shift)
OPERATOR_1(negative, zc_negative)
OPERATOR_1(positive, zc_positive)
OPERATOR_1(absolute, zc_abs)
OPERATOR_1(invert, zc_bitwise_invert)

static PyObject *power(PyObject *x, PyObject *y, PyObject *modulus)
{
    if (modulus != Py_None)
        Py_RETURN_NOTIMPLEMENTED;
    return core_call_2(zc_pow, x, y, true);
}

static PyObject *divmod_of(PyObject *x, PyObject *y)
{
    PyObject *quotient = core_call_2(zc_floor_divide, x, y, true);
    if (quotient == NULL || quotient == Py_NotImplemented)
        return quotient;
    PyObject *rest = core_call_2(zc_remainder, x, y, true);
    return Py_BuildValue("(NN)", quotient, rest); /* NULL where the rest is */
}

/* ---- Comparisons ---- */

/* Whether a Python integer beside an array is one that the array's dtype does not hold. Such a one is compared by its
 * value: no uint8 equals -1. */
static bool is_beyond(PyObject *array, PyObject *o)
{
    if (!PyLong_Check(o) || PyBool_Check(o))
        return false;
    zc_tensor *t = core_hold(array);
    zc_dtype dtype = zc_dtype_of(t);
    zc_release(t);
    if (!core_is_integer(dtype))
        return false;
    int overflow, bits = 8 * (int)zc_dtype_bytes(dtype);
    long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (dtype >= ZC_UINT8)
        return overflow < 0 || (overflow == 0 && value < 0) || (bits < 64 && (overflow > 0 || value >> bits != 0));
    return overflow != 0 || (bits < 64 && (value >> (bits - 1)) != (value < 0 ? -1 : 0));
}

/* An array of the value that compares as it does: an int64, or an infinity where no dtype holds it. */
static PyObject *strong(PyObject *o)
{
    zc_context *ctx = core_context();
    int overflow;
    int64_t value = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (ctx == NULL)
        return NULL;
    uint64_t large = overflow > 0 ? PyLong_AsUnsignedLongLong(o) : 0;
    bool is_large = overflow > 0 && PyErr_Occurred() == NULL;
    PyErr_Clear();
    double infinite = overflow * Py_HUGE_VAL;
    if (is_large)
        return core_wrap(ctx, zc_constant(ctx, ZC_UINT64, &large));
    return core_wrap(ctx, overflow != 0 ? zc_constant(ctx, ZC_FLOAT64, &infinite) : zc_constant(ctx, ZC_INT64, &value));
}

static PyObject *compare(PyObject *x, PyObject *y, int op)
{
    static const core_binary functions[] = {
        [Py_LT] = zc_less,      [Py_LE] = zc_less_equal, [Py_EQ] = zc_equal,
        [Py_NE] = zc_not_equal, [Py_GT] = zc_greater,    [Py_GE] = zc_greater_equal,
    };
    if (!is_beyond(x, y))
        return core_call_2(functions[op], x, y, true);
    PyObject *value = strong(y);
    PyObject *result = value != NULL ? core_call_2(functions[op], x, value, true) : NULL;
    Py_XDECREF(value);
    return result;
}

/* ---- Facts ---- */

static PyObject *tuple_of(const int64_t *values, int count)
{
    PyObject *tuple = PyTuple_New(count);
    for (int i = 0; tuple != NULL && i < count; i++) {
        PyObject *value = PyLong_FromLongLong(values[i]);
        if (value == NULL || PyTuple_SetItem(tuple, i, value) != 0)
            Py_CLEAR(tuple);
    }
    return tuple;
}

static PyObject *get_shape(PyObject *self, void *unused)
{
    (void)unused;
    zc_tensor *t = core_hold(self);
    PyObject *fact = tuple_of(zc_shape(t), zc_rank(t));
    zc_release(t);
    return fact;
}

static PyObject *get_strides(PyObject *self, void *unused)
{
    (void)unused;
    zc_tensor *t = core_hold(self);
    PyObject *fact = tuple_of(zc_strides(t), zc_rank(t));
    zc_release(t);
    return fact;
}

static PyObject *get_ndim(PyObject *self, void *unused)
{
    (void)unused;
    zc_tensor *t = core_hold(self);
    PyObject *fact = PyLong_FromLong(zc_rank(t));
    zc_release(t);
    return fact;
}

static PyObject *get_size(PyObject *self, void *unused)
{
    (void)unused;
    zc_tensor *t = core_hold(self);
    PyObject *fact = PyLong_FromLongLong(zc_size(t));
    zc_release(t);
    return fact;
}

static PyObject *get_dtype(PyObject *self, void *unused)
{
    (void)unused;
    zc_tensor *t = core_hold(self);
    PyObject *fact = Py_XNewRef(PyTuple_GetItem(bound.dtypes, zc_dtype_of(t)));
    zc_release(t);
    return fact;
}

static PyObject *get_exists(PyObject *self, void *unused)
{
    (void)unused;
    zc_tensor *t = core_hold(self);
    PyObject *fact = PyBool_FromLong(zc_is_view(t));
    zc_release(t);
    return fact;
}

static PyObject *get_broadcast_axes(PyObject *self, void *unused)
{
    (void)unused;
    zc_tensor *t = core_hold(self);
    uint64_t axes = zc_broadcast_axes(t);
    zc_release(t);
    int64_t list[ZC_MAX_RANK];
    int count = 0;
    for (int a = 0; a < ZC_MAX_RANK; a++) {
        if (axes >> a & 1)
            list[count++] = a;
    }
    return tuple_of(list, count);
}

static PyGetSetDef facts[] = {
    {"shape", get_shape, NULL, "The sizes of the axes.", NULL},
    {"dtype", get_dtype, NULL, "What the elements are.", NULL},
    {"ndim", get_ndim, NULL, "The number of axes.", NULL},
    {"size", get_size, NULL, "The number of elements.", NULL},
    {"strides", get_strides, NULL, "Strides in elements of the node behind the handle; 0 repeats.", NULL},
    {"broadcast_axes", get_broadcast_axes, NULL, "The axes along which elements repeat by a stride of 0.", NULL},
    {"exists", get_exists, NULL, "Whether this is a view of memory that exists: nothing is left to compute.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"item", core_item, METH_NOARGS, "item($self, /)\n--\n\nThe element of an array of one, as Python's number."},
    {"__complex__", core_as_complex, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "A handle on a lazy tensor."},
    {Py_tp_new, array_new},
    {Py_tp_dealloc, dealloc},
    {Py_tp_hash, PyObject_HashNotImplemented},
    {Py_tp_richcompare, compare},
    {Py_tp_getset, facts},
    {Py_tp_methods, methods},
    {Py_nb_add, add},
    {Py_nb_subtract, subtract},
    {Py_nb_multiply, multiply},
    {Py_nb_true_divide, true_divide},
    {Py_nb_floor_divide, floor_divide},
    {Py_nb_remainder, remainder_of},
    {Py_nb_divmod, divmod_of},
    {Py_nb_power, power},
    {Py_nb_matrix_multiply, matrix_multiply},
    {Py_nb_and, bit_and},
    {Py_nb_or, bit_or},
    {Py_nb_xor, bit_xor},
    {Py_nb_lshift, left_shift},
    {Py_nb_rshift, right_shift},
    {Py_nb_negative, negative},
    {Py_nb_positive, positive},
    {Py_nb_absolute, absolute},
    {Py_nb_invert, invert},
    {Py_nb_float, core_as_float},
    {Py_nb_int, core_as_int},
    {Py_nb_index, core_as_index},
    {Py_nb_bool, core_as_bool},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "zerocast._core.Array",
    .basicsize = sizeof(array_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = slots,
};

bool core_array_init(PyObject *module)
{
    array_base = (PyTypeObject *)PyType_FromSpec(&spec);
    bound.array = array_base;
    return array_base != NULL && PyModule_AddObjectRef(module, "Array", (PyObject *)array_base) == 0;
}
