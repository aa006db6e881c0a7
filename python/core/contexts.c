/*
 * The contexts of threads: one for each thread and each settings in force, made when the thread first needs it.
 *
 * Settings belong to Python's context (contextvars), so to the task that made them; a context of the library belongs to
 * one thread. Invariant: a call owns a reference to the settings that it runs under, and settings end after their
 * contexts' last call, whoever ends their block meanwhile.
 */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "python/core/core.h"

/* A Python number that was an operand before: x + 1 in a loop makes no new constant. */
typedef struct kept_scalar {
    char kind;
    uint64_t bits;
    zc_tensor *tensor;
} kept_scalar;

enum { KEPT_SCALARS = 16 };

/* Settings of config(). Two of them are never the same one, even if the first is gone: their numbers differ. */
typedef struct settings_object {
    PyObject_HEAD uint64_t number; /* 0 stands for no settings */
    zc_options options;
    int64_t memory_limit; /* -1: the default */
    int64_t cache_limit;  /* -1: the default */
    PyObject *progress;   /* called with done and total, or NULL */
} settings_object;

typedef struct frame {
    core_frame shown;          /* first, so that each is the other */
    struct frame *next;        /* of all threads' */
    const void *thread;        /* &here of the thread that has it */
    settings_object *settings; /* borrowed, since they end their frames; NULL where none are in force */
    PyThreadState *saved;      /* while the GIL is given up */
    int64_t looked;            /* time when signals were looked at, in nanoseconds */
    int calls;                 /* calls since the last search for nodes that hold much memory and nobody reads */
    kept_scalar scalars[KEPT_SCALARS];
} frame;

/* State of a thread: the frame that it used last, by the number of its settings, and the one in which it computes. */
static _Thread_local struct {
    uint64_t number;
    frame *last;
    frame *computing;
} here;

static frame *frames; /* of all threads, under the lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key; /* for a thread's end */
static PyTypeObject *settings_type;
static atomic_uint_fast64_t settings_made, settings_alive;

/* Nanoseconds that a call computes before it looks at signals and draws. */
static const int64_t look_after = 50000000;

/* Default limits of a context's cache and headers. */
static const int64_t default_cache_limit = INT64_C(1) << 30, default_header_limit = INT64_C(4) << 30,
                     least_header_limit = INT64_C(64) << 20;

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
    if (f->settings == NULL || f->settings->progress == NULL)
        return true;
    PyObject *result = PyObject_CallFunction(f->settings->progress, "LL", (long long)done, (long long)total);
    Py_XDECREF(result);
    return result != NULL;
}

static bool report(void *user, int64_t done, int64_t total)
{
    frame *f = user;
    int64_t time = now();
    if (here.computing != f || time - f->looked < look_after) /* what is short keeps the GIL */
        return true;
    f->looked = time;
    PyEval_RestoreThread(f->saved);
    bool goes_on = look(f, done, total);
    f->saved = PyEval_SaveThread();
    return goes_on;
}

/* ---- Frames ---- */

/* Ends the frames of these settings, of all threads, or of this thread. None of them is in use. */
static void end_frames(const settings_object *settings, const void *thread)
{
    frame *ended = NULL, **at = &frames;
    pthread_mutex_lock(&lock);
    while (*at != NULL) {
        frame *f = *at;
        if (settings != NULL ? f->settings == settings : f->thread == thread) {
            *at = f->next;
            f->next = ended;
            ended = f;
        } else {
            at = &f->next;
        }
    }
    pthread_mutex_unlock(&lock);
    for (frame *below; ended != NULL; ended = below) { /* what is freed may take the GIL, so without the lock */
        below = ended->next;
        for (int i = 0; i < KEPT_SCALARS; i++)
            zc_release(ended->scalars[i].tensor);
        zc_context_free(ended->shown.ctx);
        free(ended);
    }
}

/* The end of a thread: without the GIL. */
static void end_thread(void *thread)
{
    here.last = NULL;
    end_frames(NULL, thread);
}

static void take_lock(void)
{
    pthread_mutex_lock(&lock);
}

static void give_lock(void)
{
    pthread_mutex_unlock(&lock);
}

static frame *find_frame(const settings_object *settings)
{
    pthread_mutex_lock(&lock);
    frame *f = frames;
    while (f != NULL && (f->settings != settings || f->thread != &here))
        f = f->next;
    pthread_mutex_unlock(&lock);
    return f;
}

/* Without a memory limit of one's own the context has that of the process, which changes nothing else. */
static zc_context *new_context(const settings_object *settings)
{
    zc_options options = settings != NULL ? settings->options : (zc_options){0};
    int64_t cache_limit = settings != NULL ? settings->cache_limit : -1;
    options.memory_limit = settings != NULL ? settings->memory_limit : -1;
    if (options.memory_limit < 0) {
        int64_t limit = options.memory_limit = zc_memory_limit_default();
        options.header_limit = limit > default_header_limit ? default_header_limit
                               : limit < least_header_limit ? least_header_limit
                                                            : limit;
        if (cache_limit < 0)
            cache_limit = limit / 2 < default_cache_limit ? limit / 2 : default_cache_limit;
    }
    zc_context *ctx = zc_context_new(&options);
    if (ctx != NULL && cache_limit >= 0)
        (void)zc_set_cache_limit(ctx, cache_limit);
    return ctx;
}

static frame *new_frame(settings_object *settings)
{
    frame *f = calloc(1, sizeof *f);
    if (f != NULL)
        f->shown.ctx = new_context(settings);
    if (f == NULL || f->shown.ctx == NULL) {
        free(f);
        (void)PyErr_NoMemory();
        return NULL;
    }
    f->thread = &here;
    f->settings = settings;
    zc_set_progress(f->shown.ctx, report, f);
    pthread_mutex_lock(&lock);
    f->next = frames;
    frames = f;
    pthread_mutex_unlock(&lock);
    (void)pthread_setspecific(key, &here);
    return f;
}

/* The settings of the innermost config() block of this task, as a new reference, or NULL for none; false with an
 * exception. */
static bool find_settings(settings_object **settings)
{
    *settings = NULL;
    if (atomic_load_explicit(&settings_alive, memory_order_relaxed) == 0)
        return true;
    PyObject *blocks = PyObject_CallNoArgs(bound.blocks);
    if (blocks == NULL)
        return false;
    Py_ssize_t count = PyTuple_Check(blocks) ? PyTuple_Size(blocks) : 0;
    PyObject *innermost = count > 0 ? PyTuple_GetItem(blocks, count - 1) : NULL;
    if (innermost != NULL && Py_IS_TYPE(innermost, settings_type))
        *settings = (settings_object *)Py_NewRef(innermost);
    Py_DECREF(blocks);
    return true;
}

bool core_forgive(void)
{
    if (PyErr_ExceptionMatches(bound.budget_error) || PyErr_ExceptionMatches(PyExc_MemoryError) ||
        PyErr_ExceptionMatches(PyExc_IndexError))
        PyErr_Clear();
    return PyErr_Occurred() == NULL;
}

/* Computes, every so many calls, what alone holds much memory: a loop that reads nothing has no runs that would. False
 * with an exception when that is stopped. */
static bool compute_pending(frame *f)
{
    enum { CALLS = 64 };
    if (++f->calls < CALLS)
        return true;
    f->calls = 0;
    core_compute_begin(&f->shown);
    return core_compute_end(&f->shown, zc_compute_pending(f->shown.ctx)) || core_forgive();
}

void core_expect_pending(core_frame *f, size_t bytes)
{
    enum { MUCH = 64 << 10 };
    if (bytes >= MUCH)
        ((frame *)f)->calls = INT_MAX - 1;
}

core_frame *core_enter(void)
{
    settings_object *settings;
    if (here.computing != NULL) {
        PyErr_SetString(PyExc_RuntimeError, "zerocast is computing in this thread; its progress function and the "
                                            "handlers of signals may use no arrays");
        return NULL;
    }
    if (!find_settings(&settings))
        return NULL;
    uint64_t number = settings != NULL ? settings->number : 0;
    if (here.last == NULL || here.number != number) {
        here.last = find_frame(settings);
        if (here.last == NULL)
            here.last = new_frame(settings);
        here.number = number;
    }
    frame *f = here.last; /* which programs that end within may change */
    if (f != NULL && compute_pending(f))
        return &f->shown;
    Py_XDECREF((PyObject *)settings);
    return NULL;
}

void core_leave(core_frame *f)
{
    Py_XDECREF((PyObject *)((frame *)f)->settings); /* which may end it */
}

zc_tensor **core_kept_scalar(core_frame *f, char kind, uint64_t bits)
{
    uint64_t mixed = (bits ^ (uint64_t)kind) * UINT64_C(0x9e3779b97f4a7c15);
    kept_scalar *s = &((frame *)f)->scalars[mixed >> 60];
    if (s->kind != kind || s->bits != bits) {
        zc_release(s->tensor);
        *s = (kept_scalar){kind, bits, NULL};
    }
    return &s->tensor;
}

void core_compute_begin(core_frame *shown)
{
    frame *f = (frame *)shown;
    f->looked = now();
    here.computing = f;
    f->saved = PyEval_SaveThread();
}

bool core_compute_end(core_frame *shown, zc_status status)
{
    PyEval_RestoreThread(((frame *)shown)->saved);
    here.computing = NULL;
    if (status == ZC_OK && PyErr_Occurred() == NULL)
        return true;
    (void)core_raise(shown);
    return false;
}

/* ---- Settings ---- */

/* Settings(memory_limit, threads, cache_limit, progress, recompute): a limit of -1 and 0 threads are the defaults, a
 * memory limit of 0 is none. */
static PyObject *settings_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    long long memory_limit, threads, cache_limit;
    PyObject *progress;
    int recompute;
    (void)keywords;
    if (!PyArg_ParseTuple(arguments, "LLLOp:Settings", &memory_limit, &threads, &cache_limit, &progress, &recompute))
        return NULL;
    zc_options options = {.threads = threads < 0 || threads > INT_MAX ? INT_MAX : (int)threads,
                          .recompute = recompute != 0};
    zc_context *probe = zc_context_new(&options), *other = probe == NULL ? zc_context_new(NULL) : NULL;
    if (probe == NULL && other != NULL)
        PyErr_Format(PyExc_ValueError, "zerocast does not compute on %lld threads", threads);
    else if (probe == NULL)
        (void)PyErr_NoMemory();
    zc_context_free(other);
    zc_context_free(probe);
    PyObject *self = probe != NULL ? PyType_GenericAlloc(type, 0) : NULL;
    if (self == NULL)
        return NULL;
    settings_object *s = (settings_object *)self;
    s->number = atomic_fetch_add(&settings_made, 1) + 1;
    (void)atomic_fetch_add(&settings_alive, 1);
    s->options = options;
    s->memory_limit = memory_limit;
    s->cache_limit = cache_limit;
    s->progress = progress != Py_None ? Py_NewRef(progress) : NULL;
    return self;
}

static void settings_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    settings_object *s = (settings_object *)self;
    end_frames(s, NULL);
    (void)atomic_fetch_sub(&settings_alive, 1);
    Py_XDECREF(s->progress);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyType_Slot settings_slots[] = {
    {Py_tp_doc, "What a config() block asks for."},
    {Py_tp_new, settings_new},
    {Py_tp_dealloc, settings_dealloc},
    {0, NULL},
};

static PyType_Spec settings_spec = {
    .name = "zerocast._core.Settings",
    .basicsize = sizeof(settings_object),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = settings_slots,
};

bool core_contexts_init(PyObject *module)
{
    settings_type = (PyTypeObject *)PyType_FromSpec(&settings_spec);
    return settings_type != NULL && PyModule_AddObjectRef(module, "Settings", (PyObject *)settings_type) == 0 &&
           pthread_key_create(&key, end_thread) == 0 && pthread_atfork(take_lock, give_lock, give_lock) == 0;
}

/* ---- Exceptions ---- */

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

static PyObject *budget_error(PyObject *text, const zc_budget *budget)
{
    PyObject *error = PyObject_CallFunctionObjArgs(bound.budget_error, text, NULL);
    bool done = error != NULL && (budget->need == 0 || set_figure(error, "need", budget->need)) &&
                set_figure(error, "held", budget->held) && set_figure(error, "limit", budget->limit) &&
                (budget->window_axis < 0 || set_window(error, budget));
    if (!done)
        Py_CLEAR(error);
    return error;
}

/* The sentence, whatever bytes a path brought into it. */
static PyObject *sentence(const zc_context *ctx)
{
    const char *text = zc_error_text(ctx);
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

/* OSError, or the subclass that belongs to the operating system's number. */
static PyObject *file_error(const core_frame *f, PyObject *text)
{
    int number = zc_error_errno(f->ctx);
    if (number == 0)
        return PyObject_CallFunctionObjArgs(PyExc_OSError, text, NULL);
    if (f->path == NULL)
        return PyObject_CallFunction(PyExc_OSError, "iO", number, text);
    return PyObject_CallFunction(PyExc_OSError, "isO", number, strerror(number), f->path);
}

static PyObject *axis_error(PyObject *text)
{
    PyObject *type = PyObject_CallNoArgs(bound.axis_error);
    PyObject *error = type != NULL ? PyObject_CallFunctionObjArgs(type, text, NULL) : NULL;
    Py_XDECREF(type);
    return error;
}

/* The exception of a failure, with all that is known of it. */
static PyObject *exception(const core_frame *f)
{
    zc_budget budget;
    zc_status status = zc_error_status(f->ctx);
    PyObject *error, *text = sentence(f->ctx);
    if (text == NULL)
        return NULL;
    if (zc_error_budget(f->ctx, &budget))
        error = budget_error(text, &budget);
    else if (status == ZC_ERROR_FILE)
        error = file_error(f, text);
    else if (status == ZC_ERROR_AXIS)
        error = axis_error(text);
    else
        error = PyObject_CallFunctionObjArgs(exception_of(status), text, NULL);
    Py_DECREF(text);
    return error;
}

PyObject *core_raise(core_frame *f)
{
    if (PyErr_Occurred() == NULL && zc_error_status(f->ctx) == ZC_OK) {
        PyErr_SetString(PyExc_RuntimeError, "a call failed without a reason");
    } else if (PyErr_Occurred() == NULL) {
        PyObject *error = exception(f);
        if (error != NULL)
            PyErr_SetObject((PyObject *)Py_TYPE(error), error);
        Py_XDECREF(error);
    }
    zc_error_clear(f->ctx);
    return NULL;
}

/* memory(): held, peak, header bytes, nodes, cached bytes, limit, threads, kept bytes. */
PyObject *core_memory(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    core_frame *f = core_enter();
    if (f == NULL)
        return NULL;
    zc_memory m = zc_memory_usage(f->ctx);
    zc_options options = zc_context_options(f->ctx);
    core_leave(f);
    return Py_BuildValue("LLLLLLiL", (long long)m.held_bytes, (long long)m.peak_bytes, (long long)m.header_bytes,
                         (long long)m.nodes, (long long)m.cached_bytes, (long long)options.memory_limit,
                         options.threads, (long long)m.kept_bytes);
}

PyObject *core_trim(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    core_frame *f = core_enter();
    if (f == NULL)
        return NULL;
    zc_context_trim(f->ctx);
    zc_memory_reset_peak(f->ctx);
    core_leave(f);
    Py_RETURN_NONE;
}
