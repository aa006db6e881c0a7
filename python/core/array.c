/* The type of arrays: a handle with operators. All else that an array can do is Python (zerocast/_array.py). */
#include "python/core/core.h"

#include <stddef.h>
#include <string.h>
#include <structmember.h>

PyTypeObject *array_base;

PyObject *core_wrap(core_frame *frame, zc_tensor *t)
{
    if (t == NULL)
        return core_raise(frame);
    return (PyObject *)core_new(bound.array, t);
}

PyObject *core_wrap_foreign(core_frame *frame, zc_tensor *t)
{
    PyObject *array = core_wrap(frame, t);
    if (array != NULL) {
        ((array_object *)array)->is_foreign = true;
        core_expect_pending(frame, (size_t)zc_size(t) * zc_dtype_bytes(zc_dtype_of(t)));
    }
    return array;
}

array_object *core_new(PyTypeObject *type, zc_tensor *t)
{
    array_object *array = (array_object *)PyType_GenericAlloc(type, 0);
    if (array == NULL)
        zc_release(t);
    else
        array->tensor = t;
    return array;
}

static void dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc end = (freefunc)PyType_GetSlot(type, Py_tp_free); /* a subclass may be the collector's */
    array_object *array = (array_object *)self;
    core_end_loans(array); /* before functions of the program run, which may write to the lender */
    if (array->line != 0)
        core_warn_of_lost_write(array);
    if (array->is_remembered)
        core_forget_mask(array);
    if (array->weak_references != NULL)
        PyObject_ClearWeakRefs(self);
    zc_release(array->tensor);
    if (array->places != NULL)
        zc_release(array->places);
    Py_XDECREF((PyObject *)array->owner);
    end(self);
    Py_DECREF(type);
}

/* Arrays are made by functions; Array(x) is a copy: another one on the same tensor, so that no element is copied. */
static PyObject *array_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    PyObject *from;
    if (keywords != NULL && PyDict_Size(keywords) != 0) {
        PyErr_SetString(PyExc_TypeError, "Array takes no keywords");
        return NULL;
    }
    if (!PyArg_ParseTuple(arguments, "O!:Array", (PyObject *)array_base, &from))
        return NULL;
    core_frame *frame = core_enter();
    if (frame == NULL)
        return NULL;
    zc_tensor *t = core_current(frame, from);
    core_leave(frame);
    array_object *array = t != NULL ? core_new(type, t) : NULL, *owner = ((array_object *)from)->owner;
    if (array != NULL)
        array->is_made = ((array_object *)from)->is_made || owner != NULL;
    if (array != NULL && owner != NULL)
        core_lend_copy(owner, array);
    return (PyObject *)array;
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

/* Tells a sequence of Python's and a whole number that was read of an array: the sequence is repeated, as by NumPy's.
 */
static bool is_repetition(PyObject *sequence, PyObject *times)
{
    return (PyList_CheckExact(sequence) || PyTuple_CheckExact(sequence)) && core_is_array(times) &&
           core_is_value((array_object *)times) && core_is_integer(zc_dtype_of(((array_object *)times)->tensor));
}

static PyObject *multiply(PyObject *x, PyObject *y)
{
    if (is_repetition(x, y) || is_repetition(y, x))
        Py_RETURN_NOTIMPLEMENTED;
    return core_call_2(zc_multiply, x, y, true);
}

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

/* Compares elements with None, which none is: NumPy's rule. */
static PyObject *compare_with_none(PyObject *x, bool differs)
{
    core_frame *frame = core_enter();
    if (frame == NULL)
        return NULL;
    zc_tensor *t = core_hold(x);
    PyObject *truths = core_wrap(frame, zc_full(frame->ctx, zc_rank(t), zc_shape(t), ZC_BOOL, differs));
    zc_release(t);
    core_leave(frame);
    return truths;
}

static PyObject *compare(PyObject *x, PyObject *y, int op)
{
    static const core_binary functions[] = {
        [Py_LT] = zc_less,      [Py_LE] = zc_less_equal, [Py_EQ] = zc_equal,
        [Py_NE] = zc_not_equal, [Py_GT] = zc_greater,    [Py_GE] = zc_greater_equal,
    };
    if (y == Py_None && (op == Py_EQ || op == Py_NE))
        return compare_with_none(x, op == Py_NE);
    return core_call_2(functions[op], x, y, true);
}

/* ---- Operators in place: the elements of the array change, its shape and dtype do not ---- */

/* NumPy's rule "same kind": bool, unsigned, signed, float, complex, each to itself and to what follows. */
static int kind_of(zc_dtype dtype)
{
    if (dtype == ZC_BOOL)
        return 0;
    if (core_is_integer(dtype))
        return dtype >= ZC_UINT8 ? 1 : 2;
    return dtype == ZC_COMPLEX64 || dtype == ZC_COMPLEX128 ? 4 : 3;
}

static bool have_one_shape(const zc_tensor *a, const zc_tensor *b)
{
    int rank = zc_rank(a);
    return rank == zc_rank(b) && (rank == 0 || memcmp(zc_shape(a), zc_shape(b), (size_t)rank * sizeof(int64_t)) == 0);
}

/* Writes the result to x, in the dtype of x. False with an exception. */
static bool write_result(core_frame *frame, PyObject *x, PyObject *result)
{
    zc_tensor *was = core_hold(x), *is = core_here(frame, core_current(frame, result));
    bool done = false;
    if (is != NULL && !have_one_shape(was, is))
        PyErr_SetString(PyExc_ValueError, "an operator in place does not change the shape of an array");
    else if (is != NULL && kind_of(zc_dtype_of(is)) > kind_of(zc_dtype_of(was)))
        PyErr_Format(PyExc_TypeError, "an operator in place does not cast %s to %s", zc_dtype_name(zc_dtype_of(is)),
                     zc_dtype_name(zc_dtype_of(was)));
    else if (is != NULL && core_is_writable((array_object *)x, "output array")) {
        zc_tensor *cast = zc_astype(is, zc_dtype_of(was));
        done =
            cast != NULL ? core_write(frame, (array_object *)x, NULL, cast, ZC_UPDATE_SET) : core_raise(frame) != NULL;
        zc_release(cast);
    }
    zc_release(was);
    zc_release(is);
    return done;
}

/* Takes over the result of the operator that is not in place. */
static PyObject *in_place(PyObject *x, PyObject *result)
{
    if (result == NULL || !core_is_array(result) || core_is_value((array_object *)x))
        return result;
    core_frame *frame = core_enter();
    bool done = frame != NULL && write_result(frame, x, result);
    Py_DECREF(result);
    if (frame != NULL)
        core_leave(frame);
    return done ? Py_NewRef(x) : NULL;
}

#define IN_PLACE(slot)                                                                                                 \
    static PyObject *slot##_in_place(PyObject *x, PyObject *y)                                                         \
    {                                                                                                                  \
        return in_place(x, slot(x, y));                                                                                \
    }
IN_PLACE(subtract)
IN_PLACE(multiply)
IN_PLACE(true_divide)
IN_PLACE(floor_divide)
IN_PLACE(remainder_of)
IN_PLACE(matrix_multiply)
IN_PLACE(bit_and)
IN_PLACE(bit_or)
IN_PLACE(bit_xor)
IN_PLACE(left_shift)
IN_PLACE(right_shift)

/* Subclasses get this one as the concatenation in place of sequences, too, whose answer Python takes for the result
 * whatever it is; so what leaves the operator to y, or refuses it, is asked here. */
static PyObject *add_in_place(PyObject *x, PyObject *y)
{
    PyObject *result = in_place(x, add(x, y));
    if (result != Py_NotImplemented)
        return result;
    Py_DECREF(result);
    return PyNumber_Add(x, y);
}

static PyObject *power_in_place(PyObject *x, PyObject *y, PyObject *modulus)
{
    return in_place(x, power(x, y, modulus));
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

/* The elements of now, to look at. NULL with an exception. */
static zc_tensor *look_at(PyObject *self)
{
    core_frame *frame = core_enter();
    zc_tensor *t = frame != NULL ? core_current(frame, self) : NULL;
    if (frame != NULL)
        core_leave(frame);
    return t;
}

static PyObject *get_strides(PyObject *self, void *unused)
{
    (void)unused;
    zc_tensor *t = look_at(self);
    PyObject *fact = t != NULL ? tuple_of(zc_strides(t), zc_rank(t)) : NULL;
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

static Py_ssize_t length(PyObject *self)
{
    zc_tensor *t = core_hold(self);
    const Py_ssize_t found = zc_rank(t) > 0 ? (Py_ssize_t)zc_shape(t)[0] : -1;
    zc_release(t);
    if (found < 0)
        PyErr_SetString(PyExc_TypeError, "an array of rank 0 has no length");
    return found;
}

/* Walks the first axis. */
static PyObject *iterate(PyObject *self)
{
    zc_tensor *t = core_hold(self);
    const int rank = zc_rank(t);
    zc_release(t);
    if (rank > 0)
        return PySeqIter_New(self);
    PyErr_SetString(PyExc_TypeError, "an array of rank 0 has no elements to walk");
    return NULL;
}

static PyObject *get_exists(PyObject *self, void *unused)
{
    (void)unused;
    zc_tensor *t = look_at(self);
    PyObject *fact = t != NULL ? PyBool_FromLong(zc_is_view(t)) : NULL;
    zc_release(t);
    return fact;
}

static PyObject *get_broadcast_axes(PyObject *self, void *unused)
{
    (void)unused;
    zc_tensor *t = look_at(self);
    if (t == NULL)
        return NULL;
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

static PyObject *get_base(PyObject *self, void *unused)
{
    (void)unused;
    array_object *owner = ((array_object *)self)->owner;
    return Py_NewRef(owner != NULL ? (PyObject *)owner : Py_None);
}

static PyGetSetDef facts[] = {
    {"shape", get_shape, core_set_shape, "The sizes of the axes. Another shape of the same elements can be assigned.",
     NULL},
    {"base", get_base, NULL, "The array whose elements this one shows, or None where they are its own.", NULL},
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

static PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(array_object, weak_references), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "A handle on a lazy tensor."},
    {Py_tp_members, members},
    {Py_tp_new, array_new},
    {Py_tp_dealloc, dealloc},
    {Py_tp_hash, core_hash},
    {Py_tp_richcompare, compare},
    {Py_tp_getset, facts},
    {Py_tp_methods, methods},
    {Py_bf_getbuffer, core_get_buffer},
    {Py_tp_iter, iterate},
    {Py_mp_length, length},
    {Py_sq_length, length},
    {Py_mp_subscript, core_subscript},
    {Py_mp_ass_subscript, core_assign},
    {Py_sq_item, core_subscript_at},
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
    {Py_nb_inplace_add, add_in_place},
    {Py_nb_inplace_subtract, subtract_in_place},
    {Py_nb_inplace_multiply, multiply_in_place},
    {Py_nb_inplace_true_divide, true_divide_in_place},
    {Py_nb_inplace_floor_divide, floor_divide_in_place},
    {Py_nb_inplace_remainder, remainder_of_in_place},
    {Py_nb_inplace_power, power_in_place},
    {Py_nb_inplace_matrix_multiply, matrix_multiply_in_place},
    {Py_nb_inplace_and, bit_and_in_place},
    {Py_nb_inplace_or, bit_or_in_place},
    {Py_nb_inplace_xor, bit_xor_in_place},
    {Py_nb_inplace_lshift, left_shift_in_place},
    {Py_nb_inplace_rshift, right_shift_in_place},
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
