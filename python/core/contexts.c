/* The contexts of threads: a stack for each, whose top is at work. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "python/core/core.h"

/* A Python number that was an operand before: x + 1 in a loop makes no new constant. */
typedef struct kept_scalar {
    char kind;
    uint64_t bits;
    zc_tensor *tensor;
} kept_scalar;

enum { KEPT_SCALARS = 16 };

typedef struct frame {
    struct frame *below;
    zc_context *ctx;
    PyObject *progress;   /* called with done and total, or NULL */
    PyThreadState *saved; /* while the GIL is given up */
    int64_t looked;       /* when signals were looked at, in nanoseconds */
    kept_scalar scalars[KEPT_SCALARS];
} frame;

static _Thread_local frame *top;
static pthread_key_t key; /* for the thread's end */

/* How long a call computes before it looks at signals and draws. */
static const int64_t look_after = 50000000;

static int64_t now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* With the GIL. False when the call is to stop, and there is an exception. */
static bool look(frame *f, int64_t done, int64_t total)
{
    if (PyErr_CheckSignals() != 0)
        return false;
    if (f->progress == NULL)
        return true;
    PyObject *result = PyObject_CallFunction(f->progress, "LL", (long long)done, (long long)total);
    Py_XDECREF(result);
    return result != NULL;
}

static bool report(void *user, int64_t done, int64_t total)
{
    frame *f = user;
    int64_t time = now();
    if (time - f->looked < look_after)
        return true;
    f->looked = time;
    PyEval_RestoreThread(f->saved);
    bool goes_on = look(f, done, total);
    f->saved = PyEval_SaveThread();
    return goes_on;
}

static void free_frame(frame *f)
{
    for (int i = 0; i < KEPT_SCALARS; i++)
        zc_release(f->scalars[i].tensor);
    zc_context_free(f->ctx);
    free(f);
}

/* The end of a thread: without the GIL, so what Python owns is left to the process. */
static void end_thread(void *frames)
{
    for (frame *f = frames, *below; f != NULL; f = below) {
        below = f->below;
        free_frame(f);
    }
}

bool core_contexts_init(void)
{
    return pthread_key_create(&key, end_thread) == 0;
}

static bool push(const zc_options *options, PyObject *progress)
{
    frame *f = calloc(1, sizeof *f);
    if (f != NULL)
        f->ctx = zc_context_new(options);
    if (f == NULL || f->ctx == NULL) {
        free(f);
        PyErr_SetString(PyExc_MemoryError, "out of memory, or an option out of range");
        return false;
    }
    f->below = top;
    f->progress = progress;
    Py_XINCREF(progress);
    zc_set_progress(f->ctx, report, f);
    top = f;
    (void)pthread_setspecific(key, top);
    return true;
}

zc_context *core_context(void)
{
    if (top == NULL && !push(NULL, NULL))
        return NULL;
    if (top->saved != NULL) {
        PyErr_SetString(PyExc_RuntimeError, "zerocast is computing in this thread; its progress function and the "
                                            "handlers of signals may use no arrays");
        return NULL;
    }
    return top->ctx;
}

zc_tensor **core_kept_scalar(char kind, uint64_t bits)
{
    uint64_t mixed = (bits ^ (uint64_t)kind) * UINT64_C(0x9e3779b97f4a7c15);
    kept_scalar *s = &top->scalars[mixed >> 60];
    if (s->kind != kind || s->bits != bits) {
        zc_release(s->tensor);
        *s = (kept_scalar){kind, bits, NULL};
    }
    return &s->tensor;
}

static PyObject *exception_of(zc_status status)
{
    switch (status) {
    case ZC_ERROR_DTYPE:
        return PyExc_TypeError;
    case ZC_ERROR_OVERFLOW:
        return PyExc_OverflowError;
    case ZC_ERROR_MEMORY:
        return PyExc_MemoryError;
    case ZC_ERROR_FILE:
        return PyExc_OSError;
    case ZC_ERROR_INDEX:
        return PyExc_IndexError;
    case ZC_ERROR_INTERNAL:
        return PyExc_RuntimeError;
    case ZC_CANCELLED:
        return PyExc_KeyboardInterrupt;
    default:
        return PyExc_ValueError;
    }
}

static bool set_figure(PyObject *error, const char *name, int64_t figure)
{
    PyObject *value = PyLong_FromLongLong(figure);
    bool done = value != NULL && PyObject_SetAttrString(error, name, value) == 0;
    Py_XDECREF(value);
    return done;
}

static bool set_window(PyObject *error, const zc_budget *budget)
{
    PyObject *window = Py_BuildValue("(iL)", budget->window_axis, (long long)budget->window_count);
    bool done = window != NULL && PyObject_SetAttrString(error, "window", window) == 0;
    Py_XDECREF(window);
    return done;
}

/* A BudgetError with its figures. */
static void raise_budget(const zc_context *ctx, const zc_budget *budget)
{
    PyObject *error = PyObject_CallFunction(bound.budget_error, "s", zc_error_text(ctx));
    bool done = error != NULL && (budget->need == 0 || set_figure(error, "need", budget->need)) &&
                set_figure(error, "held", budget->held) && set_figure(error, "limit", budget->limit) &&
                (budget->window_axis < 0 || set_window(error, budget));
    if (done)
        PyErr_SetObject(bound.budget_error, error);
    Py_XDECREF(error);
}

PyObject *core_raise(zc_context *ctx)
{
    zc_budget budget;
    zc_status status = zc_error_status(ctx);
    if (PyErr_Occurred() == NULL && status == ZC_OK)
        PyErr_SetString(PyExc_RuntimeError, "a call failed without a reason");
    else if (PyErr_Occurred() == NULL && zc_error_budget(ctx, &budget))
        raise_budget(ctx, &budget);
    else if (PyErr_Occurred() == NULL)
        PyErr_SetString(exception_of(status), zc_error_text(ctx));
    zc_error_clear(ctx);
    return NULL;
}

/* The context at work is the top's: nothing else is handed out. */
void core_compute_begin(zc_context *ctx)
{
    (void)ctx;
    top->looked = now();
    top->saved = PyEval_SaveThread();
}

bool core_compute_end(zc_context *ctx, zc_status status)
{
    PyEval_RestoreThread(top->saved);
    top->saved = NULL;
    if (status == ZC_OK && PyErr_Occurred() == NULL)
        return true;
    (void)core_raise(ctx);
    return false;
}

/* push_config(memory_limit, threads, cache_limit, progress): 0 and -1 (cache_limit) are the defaults. */
PyObject *core_push_config(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    core_call call;
    if (!core_begin(&call, "push_config", "iii", arguments, count - 1))
        return NULL;
    zc_options options = {.memory_limit = call.number[0], .threads = (int)call.number[1]};
    int64_t cache_limit = call.number[2];
    core_end(&call);
    if (!push(&options, arguments[3] != Py_None ? arguments[3] : NULL))
        return NULL;
    if (cache_limit >= 0)
        (void)zc_set_cache_limit(top->ctx, cache_limit);
    Py_RETURN_NONE;
}

PyObject *core_pop_config(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    if (core_context() == NULL)
        return NULL;
    frame *f = top;
    top = f->below;
    (void)pthread_setspecific(key, top);
    Py_XDECREF(f->progress);
    free_frame(f);
    Py_RETURN_NONE;
}

/* memory(): held, peak, header bytes, nodes, cached bytes, limit, threads. */
PyObject *core_memory(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    zc_context *ctx = core_context();
    if (ctx == NULL)
        return NULL;
    zc_memory m = zc_memory_usage(ctx);
    zc_options options = zc_context_options(ctx);
    return Py_BuildValue("LLLLLLi", (long long)m.held_bytes, (long long)m.peak_bytes, (long long)m.header_bytes,
                         (long long)m.nodes, (long long)m.cached_bytes, (long long)options.memory_limit,
                         options.threads);
}

PyObject *core_trim(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    zc_context *ctx = core_context();
    if (ctx == NULL)
        return NULL;
    zc_context_trim(ctx);
    zc_memory_reset_peak(ctx);
    Py_RETURN_NONE;
}
