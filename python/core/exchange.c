/* Memory in and out: the buffer protocol and DLPack. Nothing that exists is copied. */
#include <stdlib.h>
#include <string.h>

#include "python/core/calls.h"

/* ---- Formats of the buffer protocol ---- */

typedef struct format {
    const char *text;
    zc_dtype dtype;
} format;

#define LONG(sign) (sizeof(long) == 8 ? ZC_##sign##64 : ZC_##sign##32)

/* Formats of the machine's own sizes; the first one of a dtype is written. */
static const format formats[] = {
    {"?", ZC_BOOL},
    {"b", ZC_INT8},
    {"h", ZC_INT16},
    {"i", ZC_INT32},
    {"B", ZC_UINT8},
    {"H", ZC_UINT16},
    {"I", ZC_UINT32},
    {"e", ZC_FLOAT16},
    {"f", ZC_FLOAT32},
    {"d", ZC_FLOAT64},
    {"Zf", ZC_COMPLEX64},
    {"Zd", ZC_COMPLEX128},
    {"l", LONG(INT)},
    {"L", LONG(UINT)},
    {"q", ZC_INT64},
    {"Q", ZC_UINT64},
    {"F", ZC_COMPLEX64},
    {"D", ZC_COMPLEX128},
    {"n", sizeof(Py_ssize_t) == 8 ? ZC_INT64 : ZC_INT32},
    {"N", sizeof(size_t) == 8 ? ZC_UINT64 : ZC_UINT32},
};

/* A prefix tells the order of bytes, which machines have as the library does, little-endian; and of what size a long
 * is: the standard's 4, but for '@' and none, the machine's. */
static bool dtype_of_format(const char *text, zc_dtype *dtype)
{
    bool is_standard = *text == '=' || *text == '<', is_swapped = *text == '>' || *text == '!';
    if (is_standard || is_swapped || *text == '@')
        text++;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(formats[i].text, text) == 0) {
            *dtype = is_standard && *text == 'l'   ? ZC_INT32
                     : is_standard && *text == 'L' ? ZC_UINT32
                                                   : formats[i].dtype;
            return !is_swapped || zc_dtype_bytes(*dtype) == 1;
        }
    }
    return false;
}

/* NULL where the protocol has none: bfloat16. */
static const char *format_of_dtype(zc_dtype dtype)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (formats[i].dtype == dtype)
            return formats[i].text;
    }
    return NULL;
}

/* ---- In: from_buffer(object) ---- */

/* Ends a buffer of Python's, from any thread. */
static void release_buffer(void *user, void *memory)
{
    (void)memory;
    if (!Py_IsInitialized())
        return;
    PyGILState_STATE state = PyGILState_Ensure();
    PyBuffer_Release(user);
    free(user);
    PyGILState_Release(state);
}

/* The lowest and the end of the highest byte that a shape with strides in bytes reaches; false where it wraps. */
static bool reach(int rank, const int64_t *shape, const int64_t *strides, int64_t item, int64_t *low, int64_t *high)
{
    *low = 0;
    *high = item;
    for (int a = 0; a < rank; a++) {
        int64_t steps = shape[a] - 1, far;
        if (steps < 0) { /* no elements */
            *low = *high = 0;
            return true;
        }
        if (__builtin_mul_overflow(steps, strides[a], &far) ||
            __builtin_add_overflow(far < 0 ? *low : *high, far, far < 0 ? low : high))
            return false;
    }
    return true;
}

/* The shape and the strides in bytes of a view, which may leave out both: row-major, and one axis of what there is. */
static bool dims_of(const Py_buffer *view, int64_t *shape, int64_t *bytes)
{
    int64_t dense = view->itemsize;
    for (int a = view->ndim; a-- > 0;) {
        shape[a] = view->shape != NULL ? view->shape[a] : view->len / view->itemsize;
        bytes[a] = view->strides != NULL ? view->strides[a] : dense;
        if (__builtin_mul_overflow(dense, shape[a], &dense))
            return false;
    }
    return view->shape != NULL || view->ndim <= 1;
}

static bool strides_in_elements(int rank, const int64_t *shape, const int64_t *bytes, int64_t item, int64_t *strides)
{
    for (int a = 0; a < rank; a++) {
        if (shape[a] > 1 && bytes[a] % item != 0)
            return false;
        strides[a] = bytes[a] / item;
    }
    return true;
}

static bool is_of_our_dtypes(const Py_buffer *view, zc_dtype *dtype)
{
    const char *text = view->format != NULL ? view->format : "B";
    if (view->ndim >= 0 && view->ndim <= ZC_MAX_RANK && dtype_of_format(text, dtype) &&
        (Py_ssize_t)zc_dtype_bytes(*dtype) == view->itemsize)
        return true;
    PyErr_Format(PyExc_TypeError, "elements of format '%s' and %zd bytes are none of zerocast's dtypes", text,
                 view->itemsize);
    return false;
}

static bool has_pointers(const Py_buffer *view)
{
    for (int a = 0; view->suboffsets != NULL && a < view->ndim; a++) {
        if (view->suboffsets[a] >= 0)
            return true;
    }
    return false;
}

/* Takes over the view, which is freed with the tensor or here. */
static zc_tensor *import_view(zc_context *ctx, Py_buffer *view)
{
    zc_dtype dtype;
    int64_t shape[ZC_MAX_RANK], bytes[ZC_MAX_RANK], strides[ZC_MAX_RANK], low = 0, high = 0;
    bool ok = is_of_our_dtypes(view, &dtype);
    if (ok && (has_pointers(view) || !dims_of(view, shape, bytes) ||
               !strides_in_elements(view->ndim, shape, bytes, view->itemsize, strides) ||
               !reach(view->ndim, shape, bytes, view->itemsize, &low, &high))) {
        PyErr_SetString(PyExc_ValueError, "a buffer whose elements do not lie at whole strides cannot be shared");
        ok = false;
    }
    if (!ok) {
        release_buffer(view, NULL);
        return NULL;
    }
    const char *begin = view->buf != NULL ? (const char *)view->buf + low : NULL;
    return zc_import(ctx, dtype, view->ndim, shape, strides, -low / view->itemsize, begin, (size_t)(high - low),
                     release_buffer, view);
}

static PyObject *from_buffer(PyObject *module, PyObject *object)
{
    (void)module;
    Py_buffer *view = malloc(sizeof *view);
    if (view == NULL)
        return PyErr_NoMemory();
    if (PyObject_GetBuffer(object, view, PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
        free(view);
        return NULL;
    }
    core_frame *frame = core_enter();
    if (frame == NULL) {
        release_buffer(view, NULL);
        return NULL;
    }
    PyObject *array = core_wrap_foreign(frame, import_view(frame->ctx, view));
    core_leave(frame);
    return array;
}

/* from_bytes(buffer, dtype, shape): a copy of what is row-major. */
static PyObject *from_bytes(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    core_call call;
    Py_buffer view;
    if (count < 1 || !core_begin(&call, "from_bytes", "is", arguments + 1, count - 1))
        return NULL;
    if (PyObject_GetBuffer(arguments[0], &view, PyBUF_SIMPLE) != 0) {
        core_end(&call);
        return NULL;
    }
    zc_tensor *t = zc_from_data(call.ctx, (zc_dtype)N0, S0, view.buf, (size_t)view.len);
    PyBuffer_Release(&view);
    return core_end_tensor(&call, t);
}

/* ---- Graphs ---- */

PyObject *core_arrays_of(core_frame *frame, int count, const zc_tensor *const *tensors)
{
    PyObject *list = PyTuple_New(count);
    for (int i = 0; list != NULL && i < count; i++) {
        PyObject *array = core_wrap(frame, zc_adopt(frame->ctx, tensors[i]));
        if (array != NULL)
            (void)PyTuple_SetItem(list, i, array);
        else
            Py_CLEAR(list);
    }
    return list;
}

/* serialize(array): bytes that tell what it stands for, and a tuple of the arrays in memory that it does over. */
static PyObject *serialize(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    core_call call;
    if (!core_begin(&call, "serialize", "t", arguments, count))
        return NULL;
    size_t size;
    zc_serialized *serialized = NULL;
    const zc_tensor *const *inputs, *t = T0;
    zc_status status = zc_serialize(1, &t, &serialized);
    PyObject *result = status == ZC_OK ? NULL : core_raise(call.frame);
    if (status == ZC_OK) {
        const char *bytes = zc_serialized_bytes(serialized, &size);
        int input_count = zc_serialized_inputs(serialized, &inputs);
        PyObject *arrays = core_arrays_of(call.frame, input_count, inputs);
        if (arrays != NULL)
            result = Py_BuildValue("y#N", bytes, (Py_ssize_t)size, arrays);
        zc_serialized_free(serialized);
    }
    core_end(&call);
    return result;
}

/* deserialize(bytes, arrays): the array that it was. */
static PyObject *deserialize(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    core_call call;
    Py_buffer view;
    if (count < 1 || !core_begin(&call, "deserialize", "T", arguments + 1, count - 1))
        return NULL;
    if (PyObject_GetBuffer(arguments[0], &view, PyBUF_SIMPLE) != 0) {
        core_end(&call);
        return NULL;
    }
    zc_tensor *t;
    (void)zc_deserialize(call.ctx, view.buf, (size_t)view.len, ALL, 1, &t);
    PyBuffer_Release(&view);
    return core_end_tensor(&call, t);
}

/* ---- Out: memory(array) ---- */

/* Elements that exist, for the buffer protocol: read-only. */
typedef struct memory_object {
    PyObject_HEAD zc_tensor *tensor;
    Py_ssize_t dims[2 * ZC_MAX_RANK]; /* shape, then strides in bytes */
} memory_object;

PyTypeObject *memory_type;

static void memory_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    zc_release(((memory_object *)self)->tensor);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* Tells elements that follow each other, the first axis slowest, or fastest. */
static bool is_dense(const memory_object *m, bool is_row_major)
{
    const int rank = zc_rank(m->tensor);
    Py_ssize_t wanted = (Py_ssize_t)zc_dtype_bytes(zc_dtype_of(m->tensor));
    for (int i = 0; i < rank; i++) {
        const int a = is_row_major ? rank - 1 - i : i;
        if (m->dims[a] != 1 && m->dims[rank + a] != wanted)
            return false;
        wanted *= m->dims[a]; /* proven: the bytes of a tensor that exists densely up to here */
    }
    return true;
}

/* Tells whether a request, as PyObject_GetBuffer takes it, is of this kind. */
static bool asks_for(int flags, int kind)
{
    return (flags & kind) == kind;
}

/* Tells why a request is refused; NULL: it is not. */
static const char *refusal_of(const memory_object *m, int flags)
{
    if (format_of_dtype(zc_dtype_of(m->tensor)) == NULL)
        return "the buffer protocol does not know bfloat16";
    if ((flags & PyBUF_WRITABLE) != 0)
        return "the memory is read-only";
    if ((!asks_for(flags, PyBUF_STRIDES) || asks_for(flags, PyBUF_C_CONTIGUOUS)) && !is_dense(m, true))
        return "the memory is not row-major";
    if (asks_for(flags, PyBUF_F_CONTIGUOUS) && !is_dense(m, false))
        return "the memory is not column-major";
    const bool has_gaps = asks_for(flags, PyBUF_ANY_CONTIGUOUS) && !is_dense(m, true) && !is_dense(m, false);
    return has_gaps ? "the memory has gaps" : NULL;
}

static int get_buffer(PyObject *self, Py_buffer *view, int flags)
{
    memory_object *m = (memory_object *)self;
    zc_dtype dtype = zc_dtype_of(m->tensor);
    int rank = zc_rank(m->tensor);
    int64_t item = (int64_t)zc_dtype_bytes(dtype);
    bool is_strided = asks_for(flags, PyBUF_STRIDES);
    const char *refusal = refusal_of(m, flags);
    view->obj = NULL;
    if (refusal != NULL) {
        PyErr_SetString(PyExc_BufferError, refusal);
        return -1;
    }
    view->buf = (void *)zc_data(m->tensor);
    view->obj = Py_NewRef(self);
    view->len = (Py_ssize_t)(zc_size(m->tensor) * item); /* saturated when the axes repeat beyond memory */
    view->itemsize = (Py_ssize_t)item;
    view->readonly = 1;
    view->ndim = (flags & PyBUF_ND) != 0 ? rank : 1; /* of bytes without a shape */
    view->format = (flags & PyBUF_FORMAT) != 0 ? (char *)format_of_dtype(dtype) : NULL;
    view->shape = (flags & PyBUF_ND) != 0 ? m->dims : NULL;
    view->strides = is_strided ? m->dims + rank : NULL;
    view->suboffsets = NULL;
    view->internal = NULL;
    return 0;
}

/* Wraps a tensor that exists, and releases it where that fails. */
static PyObject *show(zc_tensor *t)
{
    PyObject *self = PyType_GenericAlloc(memory_type, 0);
    if (self == NULL) {
        zc_release(t);
        return NULL;
    }
    memory_object *m = (memory_object *)self;
    m->tensor = t;
    int rank = zc_rank(t);
    for (int a = 0; a < rank; a++) {
        m->dims[a] = (Py_ssize_t)zc_shape(t)[a];
        m->dims[rank + a] = (Py_ssize_t)zc_strides(t)[a] * (Py_ssize_t)zc_dtype_bytes(zc_dtype_of(t));
    }
    return self;
}

/* memory_of(array, dense): its elements, computed where they are not. */
static PyObject *memory_of(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    if (count != 2 || !core_is_array(arguments[0]))
        return PyErr_Format(PyExc_TypeError, "memory() takes an array, and whether it has to be dense");
    int dense = PyObject_IsTrue(arguments[1]);
    core_frame *frame = dense < 0 ? NULL : core_enter();
    if (frame == NULL)
        return NULL;
    zc_tensor *t = core_computed(frame, arguments[0], dense == 0);
    core_leave(frame);
    return t != NULL ? show(t) : NULL;
}

/* The memory of an array whose elements exist. NumPy drops whatever a buffer raises and asks __array__ next: what is
 * computed here could neither be interrupted nor end by an exception. */
static PyObject *show_existing(PyObject *array)
{
    core_frame *frame = core_enter();
    if (frame == NULL)
        return NULL;
    zc_tensor *t = core_here(frame, core_current(frame, array));
    core_leave(frame);
    if (t == NULL || zc_is_view(t))
        return t != NULL ? show(t) : NULL;
    zc_release(t);
    PyErr_SetString(PyExc_BufferError, "the elements are not computed: numpy.asarray(x) and bytes(x) compute them");
    return NULL;
}

/* Who asks for bytes alone may give the buffer back and go on to read it for as long as the array lives, as
 * numpy.frombuffer does; a later write to the array leaves that memory. A memoryview, and NumPy's array over one, keep
 * it. */
int core_get_buffer(PyObject *self, Py_buffer *view, int flags)
{
    view->obj = NULL;
    if (!asks_for(flags, PyBUF_STRIDES | PyBUF_FORMAT)) {
        PyErr_SetString(PyExc_BufferError, "an array is no string of bytes: take memoryview(x) or bytes(x)");
        return -1;
    }
    PyObject *memory = show_existing(self);
    if (memory == NULL)
        return -1;
    const int status = PyObject_GetBuffer(memory, view, flags);
    Py_DECREF(memory);
    return status;
}

/* into(array, buffer): computes into memory that can be written. */
static PyObject *into(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    core_call call;
    Py_buffer view;
    if (count != 2 || !core_begin(&call, "into", "t", arguments, 1))
        return count != 2 ? PyErr_Format(PyExc_TypeError, "into() takes an array and a buffer") : NULL;
    if (PyObject_GetBuffer(arguments[1], &view, PyBUF_WRITABLE) != 0) {
        core_end(&call);
        return NULL;
    }
    core_compute_begin(call.frame);
    zc_status status = zc_materialize_into(T0, view.buf, (size_t)view.len, NULL, 0);
    bool ok = core_compute_end(call.frame, status);
    PyBuffer_Release(&view);
    core_end(&call);
    if (!ok)
        return NULL;
    Py_RETURN_NONE;
}

static PyType_Slot memory_slots[] = {
    {Py_tp_doc, "Elements that exist, for the buffer protocol."},
    {Py_tp_dealloc, memory_dealloc},
    {Py_bf_getbuffer, get_buffer},
    {0, NULL},
};

static PyType_Spec memory_spec = {
    .name = "zerocast._core.Memory",
    .basicsize = sizeof(memory_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = memory_slots,
};

bool core_memory_init(PyObject *module)
{
    memory_type = (PyTypeObject *)PyType_FromSpec(&memory_spec);
    return memory_type != NULL && PyModule_AddObjectRef(module, "Memory", (PyObject *)memory_type) == 0;
}

PyMethodDef core_exchange_functions[] = {
    {"from_buffer", from_buffer, METH_O, NULL},
    {"from_bytes", FAST(from_bytes), METH_FASTCALL, NULL},
    {"serialize", FAST(serialize), METH_FASTCALL, NULL},
    {"deserialize", FAST(deserialize), METH_FASTCALL, NULL},
    {"memory_of", FAST(memory_of), METH_FASTCALL, NULL},
    {"into", FAST(into), METH_FASTCALL, NULL},
    {"to_list", core_to_list, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
