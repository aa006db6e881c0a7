/* Positional arguments, read by letters, and the ends of calls. */
#include <limits.h>
#include <string.h>

#include "python/core/core.h"

static bool read_number(PyObject *o, int64_t *out)
{
    PyObject *index = PyNumber_Index(o);
    if (index == NULL)
        return false;
    *out = PyLong_AsLongLong(index);
    Py_DECREF(index);
    return *out != -1 || PyErr_Occurred() == NULL;
}

static bool add_to_list(core_list *list, PyObject *o)
{
    if (list->count == ZC_MAX_RANK) {
        PyErr_Format(PyExc_ValueError, "more than %d axes", ZC_MAX_RANK);
        return false;
    }
    int64_t value;
    if (!read_number(o, &value))
        return false;
    list->sizes[list->count] = value;
    list->axes[list->count++] = value < INT_MIN || value > INT_MAX ? INT_MAX : (int)value;
    return true;
}

bool core_read_list(PyObject *o, core_list *list)
{
    list->count = o == Py_None ? -1 : 0;
    list->axes_at = o == Py_None ? NULL : list->axes;
    if (o == Py_None)
        return true;
    if (PyLong_Check(o) || PyIndex_Check(o))
        return add_to_list(list, o);
    PyObject *items = PySequence_Tuple(o);
    if (items == NULL)
        return false;
    bool ok = true;
    Py_ssize_t count = PyTuple_Size(items);
    for (Py_ssize_t i = 0; ok && i < count; i++)
        ok = add_to_list(list, PyTuple_GetItem(items, i));
    Py_DECREF(items);
    return ok;
}

static bool read_tensor(core_call *call, int at, PyObject *o, const char *name)
{
    call->t[at] = core_operand(call->ctx, o, &call->owned[at]);
    if (call->t[at] != NULL)
        return true;
    if (PyErr_Occurred() == NULL)
        PyErr_Format(PyExc_TypeError, "%s takes arrays and numbers, not %R", name, (PyObject *)Py_TYPE(o));
    return false;
}

/* A list of tensors: the pointers, then those of them that are owned. */
static bool read_tensors(core_call *call, PyObject *o, const char *name)
{
    PyObject *items = PySequence_Tuple(o);
    if (items == NULL)
        return false;
    Py_ssize_t count = PyTuple_Size(items);
    call->kept = items; /* the tensors live as long as the arrays do */
    call->tensors = PyMem_Calloc(2 * (size_t)count + 1, sizeof *call->tensors);
    if (call->tensors == NULL || count > INT_MAX) {
        (void)PyErr_NoMemory();
        return false;
    }
    call->tensors_owned = call->tensors + count;
    call->tensor_count = (int)count;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PyTuple_GetItem(items, i);
        call->tensors[i] = core_operand(call->ctx, item, &call->tensors_owned[i]);
        if (call->tensors[i] == NULL && PyErr_Occurred() == NULL)
            PyErr_Format(PyExc_TypeError, "%s takes arrays and numbers, not %R", name, (PyObject *)Py_TYPE(item));
        if (call->tensors[i] == NULL)
            return false;
    }
    return true;
}

static bool read_text(core_call *call, PyObject *o)
{
    call->kept = PyUnicode_AsUTF8String(o);
    call->text = call->kept != NULL ? PyBytes_AsString(call->kept) : NULL;
    return call->text != NULL;
}

/* A tuple of texts, as the pointers and what they point into. */
static bool read_texts(core_call *call, PyObject *o, const char *name)
{
    Py_ssize_t count = PyTuple_Check(o) ? PyTuple_Size(o) : -1;
    if (count != call->tensor_count) {
        PyErr_Format(PyExc_TypeError, "%s takes a text for each array", name);
        return false;
    }
    call->kept_texts = PyTuple_New(count);
    call->texts = PyMem_Calloc((size_t)count + 1, sizeof *call->texts);
    if (call->kept_texts == NULL || call->texts == NULL) {
        (void)PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *bytes = PyUnicode_AsUTF8String(PyTuple_GetItem(o, i));
        if (bytes == NULL || PyTuple_SetItem(call->kept_texts, i, bytes) != 0)
            return false;
        call->texts[i] = PyBytes_AsString(bytes);
    }
    return true;
}

/* How many arguments of each sort have been read. */
typedef struct places {
    int tensors, lists, numbers;
} places;

static bool read_one(core_call *call, const char *name, char letter, PyObject *o, places *at)
{
    switch (letter) {
    case '?':
        if (o == Py_None) {
            at->tensors++;
            return true;
        }
        return read_tensor(call, at->tensors++, o, name);
    case 't':
        return read_tensor(call, at->tensors++, o, name);
    case 'T':
        return read_tensors(call, o, name);
    case 'Z':
        return read_texts(call, o, name);
    case 's':
    case 'a':
    case 'e':
        if (!core_read_list(o, &call->list[at->lists++]))
            return false;
        if (letter != 'a' && call->list[at->lists - 1].count < 0)
            call->list[at->lists - 1].count = 0;
        return true;
    case 'i':
        return read_number(o, &call->number[at->numbers++]);
    case 'd':
        call->real = PyFloat_AsDouble(o);
        return call->real != -1 || PyErr_Occurred() == NULL;
    default:
        return read_text(call, o);
    }
}

bool core_begin(core_call *call, const char *name, const char *letters, PyObject *const *arguments, Py_ssize_t count)
{
    call->ctx = core_context();
    if (call->ctx == NULL)
        return false;
    for (int i = 0; i < CORE_TENSORS; i++)
        call->t[i] = call->owned[i] = NULL;
    call->tensors = call->tensors_owned = NULL;
    call->tensor_count = 0;
    call->texts = NULL;
    call->kept = call->kept_texts = NULL;
    Py_ssize_t wanted = (Py_ssize_t)strlen(letters);
    if (count != wanted) {
        PyErr_Format(PyExc_TypeError, "%s takes %zd arguments, not %zd", name, wanted, count);
        return false;
    }
    places at = {0};
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!read_one(call, name, letters[i], arguments[i], &at)) {
            core_end(call);
            return false;
        }
    }
    return true;
}

void core_end(core_call *call)
{
    for (int i = 0; i < CORE_TENSORS; i++)
        zc_release(call->owned[i]);
    for (int i = 0; i < call->tensor_count; i++)
        zc_release(call->tensors_owned[i]);
    PyMem_Free(call->tensors);
    PyMem_Free((void *)call->texts);
    Py_XDECREF(call->kept);
    Py_XDECREF(call->kept_texts);
}

PyObject *core_end_tensor(core_call *call, zc_tensor *t)
{
    zc_context *ctx = call->ctx;
    core_end(call);
    return core_wrap(ctx, t);
}

PyObject *core_end_tensors(core_call *call, zc_status status, zc_tensor **out, int count)
{
    zc_context *ctx = call->ctx;
    core_end(call);
    if (status != ZC_OK)
        return core_raise(ctx);
    PyObject *result = PyTuple_New(count);
    for (int i = 0; i < count; i++) {
        PyObject *array = result != NULL ? core_wrap(ctx, out[i]) : (zc_release(out[i]), NULL);
        if (array != NULL)
            (void)PyTuple_SetItem(result, i, array);
        else
            Py_CLEAR(result);
    }
    return result;
}
