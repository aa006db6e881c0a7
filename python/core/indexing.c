/*
 * x[key] of integers, slices, None and one ellipsis, which is a view. Every other key, and each that is refused, is
 * left to _indexing.py: a loop that takes slices spends most of its time here.
 */
#include "python/core/calls.h"

/* A key as its parts are applied to the view. Invariant: `view` is owned. */
typedef struct walk {
    zc_tensor *view;
    int axis; /* of the view: what the next part is about */
} walk;

/* Whether x[key] is a view, and how many axes the key names. */
static bool count_axes(PyObject *key, int rank, int *named)
{
    const Py_ssize_t count = PyTuple_Size(key);
    int ellipses = 0;
    *named = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *part = PyTuple_GetItem(key, i);
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

/* view_at(x, key): the view, or None where the key asks for something else. key is a tuple. */
static PyObject *view_at(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    core_call call;
    int named, done = 1;
    if (!core_begin(&call, "an index", "t", arguments, count < 1 ? count : 1))
        return NULL;
    walk w = {.view = zc_retain(T0)};
    const int rank = zc_rank(w.view);
    if (count != 2 || !PyTuple_Check(arguments[1]) || !count_axes(arguments[1], rank, &named))
        done = 0;
    for (Py_ssize_t i = 0; done == 1 && i < PyTuple_Size(arguments[1]); i++)
        done = apply(&w, PyTuple_GetItem(arguments[1], i), rank - named);
    const bool is_raised = done < 0 && PyErr_Occurred() != NULL;
    if (done != 0 && !is_raised)
        return core_end_tensor(&call, w.view);
    zc_release(w.view);
    core_end(&call);
    return is_raised ? NULL : Py_NewRef(Py_None);
}

PyMethodDef core_indexing_functions[] = {
    {"view_at", FAST(view_at), METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};
