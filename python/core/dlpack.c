/* DLPack, version 1 and the legacy form, in Python's capsules. */
#include <stdlib.h>

#include "python/core/calls.h"

/* DLPack's structures, as https://dmlc.github.io/dlpack declares them. */
typedef struct DLTensor {
    void *data;
    struct {
        int32_t type, id;
    } device;
    int32_t ndim;
    struct {
        uint8_t code, bits;
        uint16_t lanes;
    } dtype;
    int64_t *shape;
    int64_t *strides;
    uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensor {
    DLTensor dl_tensor;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;

typedef struct DLManagedTensorVersioned {
    uint32_t major, minor;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    DLTensor dl_tensor;
} DLManagedTensorVersioned;

static const char versioned_name[] = "dltensor_versioned", legacy_name[] = "dltensor";

/* A capsule that nobody has taken over ends what it holds. */
static void end_versioned(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, versioned_name)) {
        DLManagedTensorVersioned *held = PyCapsule_GetPointer(capsule, versioned_name);
        if (held->deleter != NULL)
            held->deleter(held);
    }
}

static void end_legacy(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, legacy_name)) {
        DLManagedTensor *held = PyCapsule_GetPointer(capsule, legacy_name);
        if (held->deleter != NULL)
            held->deleter(held);
    }
}

static PyObject *versioned_capsule(DLManagedTensorVersioned *out)
{
    PyObject *capsule = PyCapsule_New(out, versioned_name, end_versioned);
    if (capsule == NULL)
        out->deleter(out);
    return capsule;
}

static PyObject *legacy_capsule(DLManagedTensor *out)
{
    PyObject *capsule = PyCapsule_New(out, legacy_name, end_legacy);
    if (capsule == NULL)
        out->deleter(out);
    return capsule;
}

/* The legacy form over a versioned one, for a consumer who asked for no copy: it cannot be told "read-only". */
typedef struct shown {
    DLManagedTensor legacy;
    DLManagedTensorVersioned *held;
} shown;

static void end_shown(DLManagedTensor *self)
{
    shown *s = self->manager_ctx;
    s->held->deleter(s->held);
    free(s);
}

static PyObject *shown_capsule(DLManagedTensorVersioned *held)
{
    shown *s = malloc(sizeof *s);
    if (s == NULL) {
        held->deleter(held);
        return PyErr_NoMemory();
    }
    *s = (shown){{held->dl_tensor, s, end_shown}, held};
    return legacy_capsule(&s->legacy);
}

/* Forms of to_dlpack(). */
enum { LEGACY = 0, VERSIONED = 1, VERSIONED_COPY = 2, LEGACY_SHOWN = 3 };

static zc_status export_tensor(zc_tensor *t, int64_t form, DLManagedTensorVersioned **versioned,
                               DLManagedTensor **legacy)
{
    if (form == LEGACY)
        return zc_to_dlpack_legacy(t, legacy);
    return zc_to_dlpack(t, form == VERSIONED_COPY, versioned);
}

/* to_dlpack(array, form) */
static PyObject *to_dlpack(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    core_call call;
    if (!core_begin(&call, "to_dlpack", "ti", arguments, count))
        return NULL;
    DLManagedTensorVersioned *versioned = NULL;
    DLManagedTensor *legacy = NULL;
    const int64_t form = N0;
    zc_tensor *copy = form == VERSIONED_COPY ? zc_copy(T0) : NULL;
    core_compute_begin(call.frame);
    zc_status status = ZC_ERROR_MEMORY; /* of the copy, which says so itself */
    if (copy != NULL || form != VERSIONED_COPY)
        status = export_tensor(copy != NULL ? copy : T0, form, &versioned, &legacy);
    bool ok = core_compute_end(call.frame, status);
    zc_release(copy);
    core_end(&call);
    if (legacy != NULL)
        return ok ? legacy_capsule(legacy) : (legacy->deleter(legacy), NULL);
    if (versioned != NULL && !ok) /* interrupted when all was done */
        versioned->deleter(versioned);
    if (versioned == NULL || !ok)
        return NULL;
    return form == LEGACY_SHOWN ? shown_capsule(versioned) : versioned_capsule(versioned);
}

/* The bytes around the data pointer that the tensor's elements take: what lies before it, and all of it. */
static bool reach(const DLTensor *t, int64_t *before, int64_t *bytes)
{
    int64_t item = (t->dtype.bits * t->dtype.lanes + 7) / 8, low = 0, high = item, dense = item;
    for (int a = t->ndim; a-- > 0;) {
        int64_t steps = t->shape[a] - 1, stride, far;
        if (steps < 0) {
            *before = *bytes = 0;
            return true;
        }
        if (t->strides == NULL)
            stride = dense;
        else if (__builtin_mul_overflow(t->strides[a], item, &stride))
            return false;
        if (__builtin_mul_overflow(dense, t->shape[a], &dense) || __builtin_mul_overflow(steps, stride, &far) ||
            __builtin_add_overflow(far < 0 ? low : high, far, far < 0 ? &low : &high))
            return false;
    }
    *before = -low;
    return !__builtin_sub_overflow(high, low, bytes);
}

/* Finds the memory that a tensor's elements lie in; false with an exception. */
static bool extent(const DLTensor *t, const void **memory, size_t *bytes)
{
    int64_t before, all;
    if (t->ndim < 0 || t->ndim > ZC_MAX_RANK || (t->ndim > 0 && t->shape == NULL) || !reach(t, &before, &all)) {
        PyErr_SetString(PyExc_BufferError,
                        "a DLPack tensor without a shape, or with axes or strides that there cannot be");
        return false;
    }
    *memory = t->data != NULL ? (const char *)t->data + t->byte_offset - before : NULL;
    *bytes = (size_t)all;
    return true;
}

static zc_tensor *take_versioned(zc_context *ctx, PyObject *capsule)
{
    DLManagedTensorVersioned *held = PyCapsule_GetPointer(capsule, versioned_name);
    const void *memory;
    size_t bytes;
    if (held == NULL)
        return NULL;
    if (held->major != 1) {
        PyErr_Format(PyExc_BufferError, "DLPack version %u.%u is not known", held->major, held->minor);
        return NULL;
    }
    if (!extent(&held->dl_tensor, &memory, &bytes) || PyCapsule_SetName(capsule, "used_dltensor_versioned") != 0)
        return NULL;
    return zc_from_dlpack(ctx, held, memory, bytes);
}

static zc_tensor *take_legacy(zc_context *ctx, PyObject *capsule)
{
    DLManagedTensor *held = PyCapsule_GetPointer(capsule, legacy_name);
    const void *memory;
    size_t bytes;
    if (held == NULL || !extent(&held->dl_tensor, &memory, &bytes) || PyCapsule_SetName(capsule, "used_dltensor") != 0)
        return NULL;
    return zc_from_dlpack_legacy(ctx, held, memory, bytes);
}

/* from_dlpack(capsule): takes it over. */
static PyObject *from_dlpack(PyObject *module, PyObject *capsule)
{
    (void)module;
    bool is_versioned = PyCapsule_IsValid(capsule, versioned_name);
    if (!is_versioned && !PyCapsule_IsValid(capsule, legacy_name))
        return PyErr_Format(PyExc_TypeError, "expected a DLPack capsule that nobody has taken over, not %R", capsule);
    core_frame *frame = core_enter();
    if (frame == NULL)
        return NULL;
    zc_tensor *t = is_versioned ? take_versioned(frame->ctx, capsule) : take_legacy(frame->ctx, capsule);
    PyObject *array = core_wrap_foreign(frame, t);
    core_leave(frame);
    return array;
}

PyMethodDef core_dlpack_functions[] = {
    {"to_dlpack", FAST(to_dlpack), METH_FASTCALL, NULL},
    {"from_dlpack", from_dlpack, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
