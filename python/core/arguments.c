/* Positional arguments, read by letters, and the ends of calls. */
#include <limits.h>
#include <stddef.h>
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

/* An axis that there cannot be is refused here, since it would not fit in the library's argument. */
static bool read_axis(PyObject *o, int64_t *out)
{
    int overflow;
    PyObject *index = PyNumber_Index(o);
    if (index == NULL)
        return false;
    long long value = PyLong_AsLongLongAndOverflow(index, &overflow);
    bool is_axis = overflow == 0 && value >= INT_MIN && value <= INT_MAX;
    PyObject *type = is_axis ? NULL : PyObject_CallNoArgs(bound.axis_error);
    if (type != NULL)
        PyErr_Format(type, "axis %S is out of bounds", index);
    Py_XDECREF(type);
    Py_DECREF(index);
    *out = value;
    return is_axis;
}

/* An exception about what was expected, in the place of Python's about iteration. False. */
static bool refuse_list(PyObject *o, const char *expected)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    bool has_items = PyObject_HasAttrString((PyObject *)Py_TYPE(o), "__iter__") != 0;
    PyErr_Restore(type, value, trace);
    if (!has_items && PyErr_ExceptionMatches(PyExc_TypeError))
        PyErr_Format(PyExc_TypeError, "expected %s, not %R", expected, (PyObject *)Py_TYPE(o));
    return false;
}

static bool add_to_list(core_list *list, PyObject *o, bool is_axes)
{
    if (list->count == ZC_MAX_RANK) {
        PyErr_Format(PyExc_ValueError, "more than %d axes", ZC_MAX_RANK);
        return false;
    }
    int64_t value;
    if (!(is_axes ? read_axis(o, &value) : read_number(o, &value)))
        return false;
    list->sizes[list->count] = value;
    list->axes[list->count++] = is_axes ? (int)value : 0;
    return true;
}

/* A list of sizes or axes; None is count -1. */
static bool read_list(PyObject *o, bool is_axes, core_list *list)
{
    list->count = o == Py_None ? -1 : 0;
    list->axes_at = o == Py_None ? NULL : list->axes;
    if (o == Py_None)
        return true;
    if (core_is_one_integer(o))
        return add_to_list(list, o, is_axes);
    PyObject *items = PyObject_GetIter(o), *item; /* not all of them at once: there may be too many */
    if (items == NULL)
        return refuse_list(o, "an integer or a list of them");
    bool ok = true;
    while (ok && (item = PyIter_Next(items)) != NULL) {
        ok = add_to_list(list, item, is_axes);
        Py_DECREF(item);
    }
    Py_DECREF(items);
    return ok && PyErr_Occurred() == NULL;
}

/* A list of numbers that may be longer than a rank. */
static bool read_numbers(core_call *call, PyObject *o)
{
    PyObject *items = PySequence_Tuple(o);
    if (items == NULL)
        return refuse_list(o, "a list of integers");
    Py_ssize_t count = PyTuple_Size(items);
    call->numbers = count <= INT_MAX ? PyMem_Calloc((size_t)count + 1, sizeof *call->numbers) : NULL;
    call->number_count = (int)count;
    bool ok = call->numbers != NULL;
    if (!ok)
        (void)PyErr_NoMemory();
    for (Py_ssize_t i = 0; ok && i < count; i++)
        ok = read_number(PyTuple_GetItem(items, i), &call->numbers[i]);
    Py_DECREF(items);
    return ok;
}

static bool read_tensor(core_call *call, int at, PyObject *o, const char *name)
{
    call->objects[at] = o;
    call->t[at] = core_operand(call->frame, o, &call->owned[at]);
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
        return refuse_list(o, "a list of arrays");
    Py_ssize_t count = PyTuple_Size(items);
    call->kept_tensors = items;
    call->tensors = PyMem_Calloc(2 * (size_t)count + 1, sizeof *call->tensors);
    if (call->tensors == NULL || count > INT_MAX) {
        (void)PyErr_NoMemory();
        return false;
    }
    call->tensors_owned = call->tensors + count;
    call->tensor_count = (int)count;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PyTuple_GetItem(items, i);
        call->tensors[i] = core_operand(call->frame, item, &call->tensors_owned[i]);
        if (call->tensors[i] == NULL && PyErr_Occurred() == NULL)
            PyErr_Format(PyExc_TypeError, "%s takes arrays and numbers, not %R", name, (PyObject *)Py_TYPE(item));
        if (call->tensors[i] == NULL)
            return false;
    }
    return true;
}

static bool read_text(core_call *call, PyObject *o)
{
    call->kept_text = PyUnicode_AsUTF8String(o);
    return call->kept_text != NULL && PyBytes_AsStringAndSize(call->kept_text, (char **)&call->text, NULL) == 0;
}

/* A path of text, bytes or what os.fspath() takes, as the file system has it. */
static bool read_path(core_call *call, PyObject *o)
{
    call->frame->path = o;
    if (PyUnicode_FSConverter(o, &call->kept_text) == 0)
        return false;
    call->text = PyBytes_AsString(call->kept_text);
    return call->text != NULL;
}

/* A tuple of paths, as the pointers and what they point into. */
static bool read_paths(core_call *call, PyObject *o, const char *name)
{
    Py_ssize_t count = PyTuple_Check(o) ? PyTuple_Size(o) : -1;
    if (count != call->tensor_count) {
        PyErr_Format(PyExc_TypeError, "%s takes a path for each array", name);
        return false;
    }
    call->kept_texts = PyTuple_New(count);
    call->texts = PyMem_Calloc((size_t)count + 1, sizeof *call->texts);
    if (call->kept_texts == NULL || call->texts == NULL) {
        (void)PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *bytes;
        if (PyUnicode_FSConverter(PyTuple_GetItem(o, i), &bytes) == 0 ||
            PyTuple_SetItem(call->kept_texts, i, bytes) != 0)
            return false;
        call->texts[i] = PyBytes_AsString(bytes);
    }
    return true;
}

/* Numbers of arguments of each sort that have been read. */
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
    case 'p':
        return read_path(call, o);
    case 'P':
        return read_paths(call, o, name);
    case 'n':
        return read_numbers(call, o);
    case 'x':
        return read_axis(o, &call->number[at->numbers++]);
    case 's':
    case 'a':
    case 'e':
        if (!read_list(o, letter != 's', &call->list[at->lists++]))
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

/* Everything but the frame. */
static void drop(core_call *call)
{
    for (int i = 0; i < CORE_TENSORS; i++)
        zc_release(call->owned[i]);
    for (int i = 0; i < call->tensor_count; i++)
        zc_release(call->tensors_owned[i]);
    PyMem_Free(call->tensors);
    PyMem_Free(call->numbers);
    PyMem_Free((void *)call->texts);
    Py_XDECREF(call->kept_tensors);
    Py_XDECREF(call->kept_texts);
    Py_XDECREF(call->kept_text);
    call->frame->path = NULL;
}

/* Integers beyond 64 bits, in the light of the other operands. */
static bool settle(core_call *call)
{
    if (!core_settle(CORE_TENSORS, call->objects, call->t))
        return false;
    bool ok = true;
    if (call->tensor_count > 0) {
        PyObject **objects = PyMem_Calloc((size_t)call->tensor_count, sizeof *objects);
        for (int i = 0; objects != NULL && i < call->tensor_count; i++)
            objects[i] = PyTuple_GetItem(call->kept_tensors, i);
        ok = objects != NULL ? core_settle(call->tensor_count, objects, call->tensors) : (PyErr_NoMemory(), false);
        PyMem_Free(objects);
    }
    return ok;
}

bool core_begin(core_call *call, const char *name, const char *letters, PyObject *const *arguments, Py_ssize_t count)
{
    Py_ssize_t wanted = (Py_ssize_t)strlen(letters);
    if (count != wanted) {
        PyErr_Format(PyExc_TypeError, "%s takes %zd arguments, not %zd", name, wanted, count);
        return false;
    }
    core_frame *frame = core_enter();
    if (frame == NULL)
        return false;
    memset(call, 0, offsetof(core_call, list));
    call->frame = frame;
    call->ctx = frame->ctx;
    places at = {0};
    bool ok = true;
    for (Py_ssize_t i = 0; ok && i < count; i++)
        ok = read_one(call, name, letters[i], arguments[i], &at);
    ok = ok && settle(call);
    if (!ok)
        core_end(call);
    return ok;
}

void core_end(core_call *call)
{
    drop(call);
    core_leave(call->frame);
}

PyObject *core_end_tensor(core_call *call, zc_tensor *t)
{
    drop(call);
    PyObject *array = core_wrap(call->frame, t);
    core_leave(call->frame);
    return array;
}

PyObject *core_end_tensors(core_call *call, zc_status status, zc_tensor **out, int count)
{
    drop(call);
    PyObject *result = status == ZC_OK ? PyTuple_New(count) : core_raise(call->frame);
    for (int i = 0; i < count; i++) {
        PyObject *array = result != NULL ? core_wrap(call->frame, out[i]) : (zc_release(out[i]), NULL);
        if (array != NULL)
            (void)PyTuple_SetItem(result, i, array);
        else
            Py_CLEAR(result);
    }
    core_leave(call->frame);
    return result;
}
