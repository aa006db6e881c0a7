/* Functions that compute, have several results, or tell something. */
#include "python/core/calls.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for so many results, all NULL, and gives up the GIL for what computes. False with an exception, and the
 * call has ended. */
static bool start(core_call *call, int count, bool computes, zc_tensor ***out)
{
    *out = PyMem_Calloc((size_t)(count > 0 ? count : 1), sizeof **out);
    if (*out == NULL) {
        core_end(call);
        (void)PyErr_NoMemory();
        return false;
    }
    if (computes)
        core_compute_begin(call->frame);
    return true;
}

/* A failure was raised already by core_compute_end; what there is goes. */
static PyObject *give_up(core_call *call, zc_tensor **out, int count)
{
    for (int i = 0; i < count; i++)
        zc_release(out[i]);
    PyMem_Free(out);
    core_end(call);
    return NULL;
}

/* Ends the call with a tuple of the results, or with the one that there is by the function's nature. */
static PyObject *stop(core_call *call, zc_status status, int count, bool computes, bool is_one, zc_tensor **out)
{
    if (computes && !core_compute_end(call->frame, status))
        return give_up(call, out, count);
    bool has_one = is_one && status == ZC_OK;
    PyObject *result = has_one ? core_end_tensor(call, out[0]) : core_end_tensors(call, status, out, count);
    PyMem_Free(out);
    return result;
}

#define OUT              out
#define COMPUTES         true
#define RECORDS          false
#define IS_ONE(how_many) (#how_many[0] == '1')
#define RETURNS(name, letters, how_many, computes, calls)                                                              \
    static PyObject *returns_##name(PyObject *module, PyObject *const *arguments, Py_ssize_t given)                    \
    {                                                                                                                  \
        core_call call;                                                                                                \
        zc_tensor **out;                                                                                               \
        if (!core_begin(&call, #name, letters, arguments, given) || !start(&call, how_many, computes, &out))           \
            return (void)module, NULL;                                                                                 \
        return stop(&call, calls, how_many, computes, IS_ONE(how_many), out);                                          \
    }
#include "python/core/computed.def"
#undef RETURNS

/* ---- Facts ---- */

/* Ends a call with a fact that it found, made of a status and what stands for success. */
static PyObject *end_fact(core_call *call, zc_status status, PyObject *fact)
{
    PyObject *result = status == ZC_OK ? fact : core_raise(call->frame);
    core_end(call);
    return result;
}

static PyObject *result_type(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    core_call call;
    if (!core_begin(&call, "result_type", "T", arguments, count))
        return NULL;
    zc_dtype dtype;
    zc_status status = zc_result_type(ALL, &dtype);
    return end_fact(&call, status, status == ZC_OK ? PyLong_FromLong(dtype) : NULL);
}

static PyObject *varies(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    core_call call;
    if (!core_begin(&call, "varies", "t", arguments, count))
        return NULL;
    bool result = zc_varies(T0);
    core_end(&call);
    return PyBool_FromLong(result);
}

static PyObject *cost(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    core_call call;
    if (!core_begin(&call, "cost", "T", arguments, count))
        return NULL;
    zc_cost c = {0};
    zc_status status = call.tensor_count == 1 ? zc_cost_of(call.tensors[0], &c) : zc_cost_of_all(ALL, &c);
    PyObject *fact = status != ZC_OK
                         ? NULL
                         : Py_BuildValue("LLLLLLL", (long long)c.logical_bytes, (long long)c.held_bytes,
                                         (long long)c.written_bytes, (long long)c.peak_bytes, (long long)c.plan_bytes,
                                         (long long)c.work, (long long)c.kept_bytes);
    return end_fact(&call, status, fact);
}

static PyObject *explain(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    core_call call;
    if (!core_begin(&call, "explain", "Ti", arguments, count))
        return NULL;
    char *text = NULL;
    zc_status status = call.tensor_count == 1 ? zc_explain(call.tensors[0], (zc_format)N0, &text)
                                              : zc_explain_all(ALL, (zc_format)N0, &text);
    PyObject *fact = status == ZC_OK ? PyUnicode_FromString(text) : NULL;
    if (status == ZC_OK)
        zc_text_free(call.ctx, text);
    return end_fact(&call, status, fact);
}

/* ---- Files ---- */

static PyObject *open_file(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    core_call call;
    if (!core_begin(&call, "open", "p", arguments, count))
        return NULL;
    core_compute_begin(call.frame); /* it may have to convert */
    zc_tensor *t = zc_open(call.ctx, call.text);
    if (!core_compute_end(call.frame, t != NULL ? ZC_OK : ZC_ERROR_FILE)) {
        zc_release(t);
        core_end(&call);
        return NULL;
    }
    return core_end_tensor(&call, t);
}

/* Ends a call that saved what it computed, and returns None. */
static PyObject *saved(core_call *call, zc_status status)
{
    bool ok = core_compute_end(call->frame, status);
    core_end(call);
    if (!ok)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *save_file(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    core_call call;
    if (!core_begin(&call, "save", "tp", arguments, count))
        return NULL;
    core_compute_begin(call.frame);
    return saved(&call, zc_save(T0, call.text));
}

static PyObject *save_files(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    core_call call;
    if (!core_begin(&call, "save_all", "TP", arguments, count))
        return NULL;
    core_compute_begin(call.frame);
    return saved(&call, zc_save_all(ALL, call.texts));
}

/* Arrays of a file that were opened, with their names; all of them are more where some are of other dtypes. */
typedef struct members {
    zc_tensor **tensors;
    char **names; /* NULL: without a name */
    int count, room, all;
    bool is_out; /* of memory */
} members;

static bool make_room(members *m)
{
    if (m->count < m->room)
        return true;
    const int room = m->room > 0 && m->room <= INT_MAX / 2 ? 2 * m->room : 16;
    zc_tensor **tensors = room > m->count ? realloc(m->tensors, (size_t)room * sizeof *tensors) : NULL;
    if (tensors == NULL)
        return false;
    m->tensors = tensors;
    char **names = realloc(m->names, (size_t)room * sizeof *names);
    if (names == NULL)
        return false;
    m->names = names;
    m->room = room;
    return true;
}

/* Without the interpreter's lock. */
static bool take_member(void *user, const char *name, zc_tensor *t)
{
    members *m = user;
    m->all++;
    if (t == NULL)
        return true;
    const size_t bytes = name == NULL ? 1 : strlen(name) + 1;
    char *copy = make_room(m) ? malloc(bytes) : NULL;
    m->is_out = copy == NULL;
    if (m->is_out) {
        zc_release(t);
        return false;
    }
    memcpy(copy, name == NULL ? "" : name, bytes);
    m->tensors[m->count] = t;
    m->names[m->count++] = copy;
    return true;
}

/* The names as a tuple. */
static PyObject *name_members(const members *m)
{
    PyObject *names = PyTuple_New(m->count);
    for (int i = 0; names != NULL && i < m->count; i++) {
        PyObject *name = PyUnicode_DecodeFSDefault(m->names[i]);
        if (name == NULL || PyTuple_SetItem(names, i, name) != 0)
            Py_CLEAR(names);
    }
    return names;
}

/* Gives the number of arrays that a file has, the names of those that are opened, and these. */
static PyObject *open_members(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    core_call call;
    members m = {.count = 0};
    if (!core_begin(&call, "open", "p", arguments, count))
        return NULL;
    core_compute_begin(call.frame); /* it may have to convert */
    const zc_status status = zc_open_members(call.ctx, call.text, take_member, &m);
    const bool is_open = core_compute_end(call.frame, status) && status == ZC_OK;
    PyObject *names = !is_open ? NULL : m.is_out ? PyErr_NoMemory() : name_members(&m), *result = NULL;
    for (int i = 0; i < m.count; i++)
        free(m.names[i]);
    free(m.names);
    if (names != NULL) {
        PyObject *arrays = core_end_tensors(&call, ZC_OK, m.tensors, m.count);
        result = arrays != NULL ? Py_BuildValue("(iOO)", m.all, names, arrays) : NULL;
        Py_XDECREF(arrays);
        Py_DECREF(names);
    } else {
        for (int i = 0; i < m.count; i++)
            zc_release(m.tensors[i]);
        core_end(&call);
    }
    free(m.tensors);
    return result;
}

static PyObject *save_members(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    core_call call;
    if (!core_begin(&call, "save", "TPp", arguments, count))
        return NULL;
    core_compute_begin(call.frame);
    return saved(&call, zc_save_members(ALL, call.texts, call.text));
}

static PyObject *allocator_name(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyUnicode_FromString(zc_allocator_name());
}

PyMethodDef core_computing_functions[] = {
#define RETURNS(name, letters, how_many, computes, calls) {#name, FAST(returns_##name), METH_FASTCALL, NULL},
#include "python/core/computed.def"
#undef RETURNS
    {"result_type", FAST(result_type), METH_FASTCALL, NULL},
    {"varies", FAST(varies), METH_FASTCALL, NULL},
    {"cost", FAST(cost), METH_FASTCALL, NULL},
    {"explain", FAST(explain), METH_FASTCALL, NULL},
    {"open", FAST(open_file), METH_FASTCALL, NULL},
    {"save", FAST(save_file), METH_FASTCALL, NULL},
    {"save_all", FAST(save_files), METH_FASTCALL, NULL},
    {"open_members", FAST(open_members), METH_FASTCALL, NULL},
    {"save_members", FAST(save_members), METH_FASTCALL, NULL},
    {"allocator_name", allocator_name, METH_NOARGS, NULL},
    {"memory", core_memory, METH_NOARGS, NULL},
    {"trim", core_trim, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
