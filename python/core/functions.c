/*
 * The functions that record. Those of one row each in the library's tables of operations and reductions are made from
 * these rows, with the array API's arguments; the others from functions.def, with positional arguments for the Python
 * side.
 */
#include "python/core/calls.h"

/* ---- Elementwise operations ---- */

static bool has_count(const char *name, Py_ssize_t count, Py_ssize_t wanted)
{
    if (count != wanted)
        PyErr_Format(PyExc_TypeError, "%s() takes %zd arguments, not %zd", name, wanted, count);
    return count == wanted;
}

static PyObject *call_3(core_ternary function, PyObject *const *arguments)
{
    core_call call;
    if (!core_begin(&call, "an operation", "ttt", arguments, 3))
        return NULL;
    return core_end_tensor(&call, function(call.t[0], call.t[1], call.t[2]));
}

#define CALL_1(name) core_call_1(zc_##name, arguments[0])
#define CALL_2(name) core_call_2(zc_##name, arguments[0], arguments[1], false)
#define CALL_3(name) call_3(zc_##name, arguments)
#define ZC_OP(NAME, name, arity, ...)                                                                                  \
    static PyObject *op_##name(PyObject *module, PyObject *const *arguments, Py_ssize_t count)                         \
    {                                                                                                                  \
        (void)module;                                                                                                  \
        return has_count(#name, count, arity) ? CALL_##arity(name) : NULL;                                             \
    }
#include "runtime/ops/ops.def"
#undef ZC_OP

/* ---- Reductions ---- */

typedef zc_tensor *(*reduction)(const zc_tensor *x, int count, const int *axes, bool keepdims);

typedef struct reduced {
    PyObject *axis, *dtype, *keepdims;
} reduced;

static bool read_keywords(const char *name, PyObject *const *values, PyObject *names, reduced *out)
{
    Py_ssize_t count = names != NULL ? PyTuple_Size(names) : 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *keyword = PyTuple_GetItem(names, i);
        PyObject **place = PyUnicode_CompareWithASCIIString(keyword, "axis") == 0       ? &out->axis
                           : PyUnicode_CompareWithASCIIString(keyword, "dtype") == 0    ? &out->dtype
                           : PyUnicode_CompareWithASCIIString(keyword, "keepdims") == 0 ? &out->keepdims
                                                                                        : NULL;
        if (place == NULL) {
            PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", name, keyword);
            return false;
        }
        *place = values[i];
    }
    return true;
}

/* x in that dtype: what is added up is converted first. */
static zc_tensor *in_dtype(zc_tensor *x, PyObject *dtype)
{
    PyObject *code = PyObject_CallFunctionObjArgs(bound.code_of, dtype, NULL);
    long number = code != NULL ? PyLong_AsLong(code) : -1;
    Py_XDECREF(code);
    return number < 0 ? NULL : zc_astype(x, (zc_dtype)number);
}

static PyObject *reduce(const char *name, reduction function, PyObject *const *arguments, Py_ssize_t count,
                        PyObject *names)
{
    reduced given = {Py_None, Py_None, Py_False};
    if (!has_count(name, count, 1) || !read_keywords(name, arguments + count, names, &given))
        return NULL;
    int keeps = PyObject_IsTrue(given.keepdims);
    core_call call;
    PyObject *const read[] = {arguments[0], given.axis};
    if (keeps < 0 || !core_begin(&call, name, "ta", read, 2))
        return NULL;
    zc_tensor *x = call.t[0], *converted = given.dtype != Py_None ? in_dtype(x, given.dtype) : NULL, *result = NULL;
    if (given.dtype == Py_None || converted != NULL)
        result = function(converted != NULL ? converted : x, call.list[0].count, call.list[0].axes_at, keeps);
    zc_tensor *rounded = result != NULL && converted != NULL ? zc_astype(result, zc_dtype_of(converted)) : NULL;
    if (converted != NULL) {
        zc_release(result);
        result = rounded;
    }
    zc_release(converted);
    return core_end_tensor(&call, result);
}

#define ZC_REDUCTION(NAME, name, ...)                                                                                  \
    static PyObject *reduction_##name(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names) \
    {                                                                                                                  \
        (void)module;                                                                                                  \
        return reduce(#name, zc_##name, arguments, count, names);                                                      \
    }
#include "runtime/ops/reductions.def"
#undef ZC_REDUCTION

/* ---- The others ---- */

#define RECORDS(name, letters, result)                                                                                 \
    static PyObject *record_##name(PyObject *module, PyObject *const *arguments, Py_ssize_t count)                     \
    {                                                                                                                  \
        (void)module;                                                                                                  \
        core_call call;                                                                                                \
        if (!core_begin(&call, #name, letters, arguments, count))                                                      \
            return NULL;                                                                                               \
        return core_end_tensor(&call, result);                                                                         \
    }
/* Tells whether the places of the operand are to be viewed, too; then they are the first argument from now on. */
static bool turns_to_places(core_call *call, const core_viewed *of, const zc_tensor *view)
{
    call->t[0] = of->places;
    return view != NULL && of->places != NULL;
}

#define VIEW(name, letters, result, is_writable)                                                                       \
    static PyObject *record_##name(PyObject *module, PyObject *const *arguments, Py_ssize_t count)                     \
    {                                                                                                                  \
        core_call call;                                                                                                \
        core_viewed of;                                                                                                \
        if (!core_begin_view(&call, &of, #name, letters, arguments, count))                                            \
            return (void)module, NULL;                                                                                 \
        zc_tensor *view = result, *shown = turns_to_places(&call, &of, view) ? result : NULL;                          \
        return core_end_view(&call, &of, view, shown, is_writable);                                                    \
    }
#define VIEWS(name, letters, result) VIEW(name, letters, result, true)
#define SHOWS(name, letters, result) VIEW(name, letters, result, false)
#include "python/core/functions.def"
#undef RECORDS
#undef VIEWS
#undef SHOWS

/* ---- The table ---- */

#define SIGNATURE_1 "($module, x, /)\n--\n\n"
#define SIGNATURE_2 "($module, x1, x2, /)\n--\n\n"
#define SIGNATURE_3 "($module, x1, x2, x3, /)\n--\n\n"

PyMethodDef core_functions[] = {
#define ZC_OP(NAME, name, arity, ...)                                                                                  \
    {#name, FAST(op_##name), METH_FASTCALL, #name SIGNATURE_##arity "Elementwise " #name "."},
#include "runtime/ops/ops.def"
#undef ZC_OP
#define ZC_REDUCTION(NAME, name, ...)                                                                                  \
    {#name, FAST(reduction_##name), METH_FASTCALL | METH_KEYWORDS,                                                     \
     #name "($module, x, /, *, axis=None, dtype=None, keepdims=False)\n--\n\nThe " #name " over axes."},
#include "runtime/ops/reductions.def"
#undef ZC_REDUCTION
#define RECORDS(name, letters, result) {#name, FAST(record_##name), METH_FASTCALL, NULL},
#define VIEWS                          RECORDS
#define SHOWS                          RECORDS
#include "python/core/functions.def"
#undef RECORDS
#undef VIEWS
#undef SHOWS
    {NULL, NULL, 0, NULL},
};
