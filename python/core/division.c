/*
 * Expressions divided into pieces, for schedulers: a division travels as bytes and the arrays that it reads, and each
 * call restores it in the context of its thread.
 */
#include "python/core/calls.h"

/* ---- Making ---- */

/* The extents of chunks, one list after the other, as a list for each tensor. */
static void split_chunks(const core_call *call, const int64_t **chunks)
{
    const int64_t *next = call->numbers;
    for (int i = 0; i < call->tensor_count; i++) {
        chunks[i] = next;
        next += zc_rank(call->tensors[i]);
    }
}

static int all_ranks(const core_call *call)
{
    int all = 0;
    for (int i = 0; i < call->tensor_count; i++)
        all += zc_rank(call->tensors[i]);
    return all;
}

/* division(arrays, extents of chunks, limit): bytes, and a tuple of the arrays that the division reads. */
static PyObject *make_division(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    core_call call;
    if (!core_begin(&call, "division", "Tni", arguments, count))
        return NULL;
    const int64_t **chunks = PyMem_Calloc((size_t)call.tensor_count + 1, sizeof *chunks);
    if (chunks == NULL) {
        core_end(&call);
        return PyErr_NoMemory();
    }
    const bool has_chunks = call.number_count == all_ranks(&call) && call.number_count > 0;
    split_chunks(&call, chunks);
    const zc_division_options options = {.chunks = has_chunks ? chunks : NULL, .limit = N0};
    zc_division *made = NULL;
    zc_status status = zc_division_make(ALL, &options, &made);
    PyMem_Free((void *)chunks);
    PyObject *result = status == ZC_OK ? NULL : core_raise(call.frame);
    if (status == ZC_OK) {
        size_t size;
        const zc_tensor *const *inputs;
        const char *bytes = zc_division_bytes(made, &size);
        const int input_count = zc_division_inputs(made, &inputs);
        PyObject *arrays = core_arrays_of(call.frame, input_count, inputs);
        if (arrays != NULL)
            result = Py_BuildValue("y#N", bytes, (Py_ssize_t)size, arrays);
        zc_division_free(made);
    }
    core_end(&call);
    return result;
}

/* ---- Pieces ---- */

/* Restores a division of `bytes` over the first tensors of the call. NULL with an exception. */
static zc_division *restore(core_call *call, PyObject *bytes, int count)
{
    Py_buffer view;
    zc_division *made = NULL;
    if (PyObject_GetBuffer(bytes, &view, PyBUF_SIMPLE) != 0)
        return NULL;
    if (zc_division_restore(call->ctx, view.buf, (size_t)view.len, count, (const zc_tensor *const *)call->tensors,
                            &made) != ZC_OK)
        (void)core_raise(call->frame);
    PyBuffer_Release(&view);
    return made;
}

static PyObject *tuple_of(int count, const int64_t *numbers)
{
    PyObject *tuple = PyTuple_New(count);
    for (int i = 0; i < count && tuple != NULL; i++) {
        PyObject *number = PyLong_FromLongLong(numbers[i]);
        if (number == NULL || PyTuple_SetItem(tuple, i, number) != 0)
            Py_CLEAR(tuple);
    }
    return tuple;
}

/* (kind, of, first, count, needs, outputs, bytes, rule). */
static PyObject *describe(core_call *call, const zc_division *division, int64_t i)
{
    zc_piece p;
    if (zc_division_piece(division, i, &p) != ZC_OK)
        return core_raise(call->frame);
    return Py_BuildValue("iiNNNiLs", (int)p.kind, (int)p.of, tuple_of(p.rank, p.first), tuple_of(p.rank, p.count),
                         tuple_of(p.need_count, p.needs), (int)p.outputs, (long long)p.bytes, p.rule);
}

/* pieces(bytes, arrays): a list of what the pieces are. */
static PyObject *pieces(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    core_call call;
    if (count != 2 || !core_begin(&call, "pieces", "T", arguments + 1, 1))
        return NULL;
    zc_division *division = restore(&call, arguments[0], call.tensor_count);
    const int64_t all = division != NULL ? zc_division_count(division) : 0;
    PyObject *list = division != NULL ? PyList_New(0) : NULL;
    for (int64_t i = 0; i < all && list != NULL; i++) {
        PyObject *piece = describe(&call, division, i);
        if (piece == NULL || PyList_Append(list, piece) != 0)
            Py_CLEAR(list);
        Py_XDECREF(piece);
    }
    zc_division_free(division);
    core_end(&call);
    return list;
}

/* The arrays of a tuple, which take over the tensors; NULL with an exception. */
static PyObject *take_arrays(core_frame *frame, int count, zc_tensor **tensors)
{
    PyObject *result = PyTuple_New(count);
    for (int i = 0; i < count; i++) {
        PyObject *array = result != NULL ? core_wrap(frame, tensors[i]) : NULL;
        if (result == NULL)
            zc_release(tensors[i]);
        else if (array == NULL || PyTuple_SetItem(result, i, array) != 0)
            Py_CLEAR(result);
    }
    return result;
}

/* piece(bytes, arrays, inputs, i): a tuple of the lazy arrays that piece i gives. The first `inputs` arrays are those
 * of the division, the others what the pieces that it needs have given. */
static PyObject *piece(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    core_call call;
    if (count != 4 || !core_begin(&call, "piece", "Tii", arguments + 1, 3))
        return NULL;
    const int inputs = N0 >= 0 && N0 <= call.tensor_count ? (int)N0 : call.tensor_count;
    zc_tensor *out[2] = {NULL, NULL};
    zc_piece p;
    zc_division *division = restore(&call, arguments[0], inputs);
    PyObject *result = NULL;
    if (division != NULL && (zc_division_piece(division, N1, &p) != ZC_OK ||
                             zc_division_record(division, N1, call.tensor_count - inputs,
                                                (const zc_tensor *const *)call.tensors + inputs, out) != ZC_OK))
        (void)core_raise(call.frame);
    else if (division != NULL)
        result = take_arrays(call.frame, p.outputs, out);
    zc_division_free(division);
    core_end(&call);
    return result;
}

PyMethodDef core_division_functions[] = {
    {"division", FAST(make_division), METH_FASTCALL, NULL},
    {"pieces", FAST(pieces), METH_FASTCALL, NULL},
    {"piece", FAST(piece), METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};
