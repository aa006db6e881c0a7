/*
 * Elements that Python functions read and take: from_source() and materialize_to().
 *
 * The library calls them on the thread that computes, which has given up the GIL; they may use no arrays, as the
 * progress function. An exception of theirs stays raised: it is what the call ends with, unless
 * the library tries again and succeeds.
 */
#include "python/core/calls.h"

/* A tuple of numbers, or NULL with an exception. */
static PyObject *numbers_as_tuple(int rank, const int64_t *numbers)
{
    PyObject *tuple = PyTuple_New(rank);
    for (int a = 0; a < rank && tuple != NULL; a++) {
        PyObject *number = PyLong_FromLongLong(numbers[a]);
        if (number == NULL || PyTuple_SetItem(tuple, a, number) != 0) {
            Py_DECREF(tuple);
            tuple = NULL;
        }
    }
    return tuple;
}

/* A Python function, and what it is called with: windows of so many axes and elements of so many bytes. */
typedef struct function {
    PyObject *called;
    int rank;
    size_t item;
    int64_t size; /* of all elements; of a sink 0 */
    bool has_raised;
} function;

/* Tells whether the function may be called. An exception that it has raised is forgotten where the library tries again,
 * but none that ends programs, as KeyboardInterrupt, and none that another function has raised. */
static bool is_ready(const function *f)
{
    if (PyErr_Occurred() != NULL && f->has_raised && PyErr_ExceptionMatches(PyExc_Exception))
        PyErr_Clear();
    return PyErr_Occurred() == NULL;
}

/* Calls function(start, count, memory): NULL, or the sentence of an exception, which stays raised. */
static const char *call_window(function *f, const int64_t *start, const int64_t *count, void *memory, int access)
{
    size_t bytes = f->item;
    for (int a = 0; a < f->rank; a++)
        bytes *= (size_t)count[a]; /* in memory */
    PyGILState_STATE state = PyGILState_Ensure();
    if (!is_ready(f)) {
        PyGILState_Release(state);
        return "an exception was raised";
    }
    PyObject *first = numbers_as_tuple(f->rank, start), *counts = numbers_as_tuple(f->rank, count);
    PyObject *view = PyMemoryView_FromMemory(memory, (Py_ssize_t)bytes, access), *result = NULL;
    if (first != NULL && counts != NULL && view != NULL)
        result = PyObject_CallFunctionObjArgs(f->called, first, counts, view, NULL);
    const bool is_done = result != NULL;
    f->has_raised = !is_done;
    Py_XDECREF(result);
    Py_XDECREF(view); /* memory ends behind the call: the function may not keep it */
    Py_XDECREF(counts);
    Py_XDECREF(first);
    PyGILState_Release(state);
    return is_done ? NULL : "an exception was raised";
}

/* ---- From a function ---- */

static const char *read_window(void *user, const int64_t *start, const int64_t *count, void *elements)
{
    return call_window(user, start, count, elements, PyBUF_WRITE);
}

/* From any thread, with the GIL or without. */
static void end_source(void *user)
{
    if (!Py_IsInitialized())
        return;
    PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF(((function *)user)->called);
    PyMem_Free(user);
    PyGILState_Release(state);
}

/* from_source(dtype, shape, chunk, read): an array of what read(start, count, memory) writes to memory. */
static PyObject *from_source(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    core_call call;
    if (count != 4 || !PyCallable_Check(arguments[3])) {
        PyErr_SetString(PyExc_TypeError, "from_source() takes a dtype, a shape, a chunk and a function");
        return NULL;
    }
    if (!core_begin(&call, "from_source", "iss", arguments, 3))
        return NULL;
    function *f = PyMem_Malloc(sizeof *f);
    if (f == NULL) {
        core_end(&call);
        return PyErr_NoMemory();
    }
    *f = (function){Py_NewRef(arguments[3]), call.list[0].count, zc_dtype_bytes((zc_dtype)N0), 1, false};
    for (int a = 0; a < f->rank; a++)
        f->size = __builtin_mul_overflow(f->size, call.list[0].sizes[a], &f->size) ? -1 : f->size;
    const bool is_chunked = call.list[1].count == call.list[0].count;
    const zc_source source = {
        .user = f, .read = read_window, .release = end_source, .chunk = is_chunked ? call.list[1].sizes : NULL};
    return core_end_tensor(&call, zc_from_source(call.ctx, (zc_dtype)N0, S0, &source));
}

/* The function that reads what a tensor is a view of; NULL: none does. */
static const function *read_by(const zc_tensor *t)
{
    const zc_source *source = zc_source_of(t);
    return source != NULL && source->read == read_window ? source->user : NULL;
}

/* is_sourced(x): whether x is a view of what a function reads, in memory or not. */
static PyObject *is_sourced(PyObject *module, PyObject *x)
{
    (void)module;
    core_frame *frame = core_enter();
    if (frame == NULL)
        return NULL;
    zc_tensor *t = core_current(frame, x);
    PyObject *result = t != NULL ? PyBool_FromLong(read_by(t) != NULL) : NULL;
    zc_release(t);
    core_leave(frame);
    return result;
}

/* source_of(x): the function that reads x, where x is all of its elements in a row; else None. */
static PyObject *source_of(PyObject *module, PyObject *x)
{
    (void)module;
    PyObject *result = NULL;
    core_frame *frame = core_is_array(x) ? core_enter() : NULL;
    if (frame == NULL)
        return PyErr_Occurred() != NULL ? NULL : Py_NewRef(Py_None);
    zc_tensor *t = core_current(frame, x);
    const function *f = read_by(t);
    const bool is_row = t != NULL && zc_rank(t) == 1 && zc_offset(t) == 0 && (zc_size(t) < 2 || zc_strides(t)[0] == 1);
    if (t != NULL)
        result = Py_NewRef(f != NULL && is_row && zc_size(t) == f->size ? f->called : Py_None);
    zc_release(t);
    core_leave(frame);
    return result;
}

/* ---- To a function ---- */

static const char *write_window(void *user, const int64_t *start, const int64_t *count, const void *elements)
{
    return call_window(user, start, count, (void *)(uintptr_t)elements, PyBUF_READ);
}

/* materialize_to(x, chunk, write): calls write(start, count, memory) for blocks of whole chunks of x. */
static PyObject *materialize_to(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    core_call call;
    if (count != 3 || !PyCallable_Check(arguments[2])) {
        PyErr_SetString(PyExc_TypeError, "materialize_to() takes an array, a chunk and a function");
        return NULL;
    }
    if (!core_begin(&call, "materialize_to", "ts", arguments, 2))
        return NULL;
    function f = {arguments[2], zc_rank(T0), zc_dtype_bytes(zc_dtype_of(T0)), 0, false};
    const bool is_chunked = call.list[0].count == f.rank;
    const zc_sink sink = {.user = &f, .write = write_window, .chunk = is_chunked ? call.list[0].sizes : NULL};
    core_compute_begin(call.frame);
    const bool is_done = core_compute_end(call.frame, zc_materialize_to(T0, &sink));
    core_end(&call);
    return is_done ? Py_NewRef(Py_None) : NULL;
}

PyMethodDef core_source_functions[] = {
    {"from_source", FAST(from_source), METH_FASTCALL, NULL},
    {"source_of", source_of, METH_O, NULL},
    {"is_sourced", is_sourced, METH_O, NULL},
    {"materialize_to", FAST(materialize_to), METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};
