/*
 * zerocast._core: the library as Python sees it, on the public header alone.
 *
 * An array is a handle on its own elements, or shows some of another array's, its owner (aliases.c). Every thread has
 * contexts of its own, so any thread may compute; a tensor of another context is adopted where it is used. What records
 * keeps the GIL, what computes gives it up.
 */
#ifndef ZC_PYTHON_CORE_H
#define ZC_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "zerocast.h"

#define INTERNAL __attribute__((visibility("hidden")))

/* Part of its owner's elements that a view shows. */
typedef enum core_part { CORE_WHOLE, CORE_REAL, CORE_IMAG } core_part;

/* Invariant: an owner has no owner, so a view of a view has the same one. */
typedef struct array_object {
    PyObject_HEAD zc_tensor *tensor; /* never NULL once made; its elements are read by core_current() */
    PyObject *weak_references;
    struct array_object *owner; /* the array whose elements these are, or NULL where they are this one's own */
    zc_tensor *places; /* places among the owner's elements, or NULL where the strides of `tensor` tell them; of an
                          owner the numbers of all its elements, once they are asked for */
    uint64_t version;  /* number of writes to own elements; of a view: version of the owner that `tensor` shows */
    uint32_t recorded; /* number of writes to own elements that were recorded one after the other */
    int line;          /* line that wrote to a copy which nobody has read since, else 0 */
    uint8_t part;      /* a core_part */
    struct array_object *lender; /* array that this value or copy was read of, if that is still there, or NULL */
    struct array_object *lent;   /* first of the values and copies that were read of this array and are still there */
    struct array_object *next_lent, *previous_lent;
    bool is_of_memory; /* a value that was a view of the lender's memory when it was read */
    bool is_read_only;
    bool is_locked;     /* against writes, by setflags() */
    bool is_copy;       /* made by an index or a reshape where NumPy makes a copy, too */
    bool is_made;       /* by asarray() and the like: of rank 0 an array that operators write to, and no value */
    bool is_remembered; /* where it is true (masks.c) */
    bool is_foreign;    /* over memory that others may write to, as long as own elements were not written to */
} array_object;

/* Objects that the Python side of the package hands in once, by bind(). */
typedef struct core_bound {
    PyTypeObject *array; /* type of results, a subclass of ours */
    PyObject *budget_error;
    PyObject *dtypes;     /* a tuple, by zc_dtype */
    PyObject *code_of;    /* a dtype's number */
    PyObject *convert;    /* another library's array as one of ours, or NotImplemented */
    PyObject *blocks;     /* gives a tuple of the settings in force, the innermost last */
    PyObject *axis_error; /* gives the exception of an axis that there is not */
    PyObject *get;        /* array[key] of keys that indexing.c leaves to it */
    PyObject *put;        /* array[key] = value, likewise */
    PyObject *lost_write; /* the class of a warning */
} core_bound;

INTERNAL extern core_bound bound;
INTERNAL extern PyTypeObject *array_base, *memory_type;

/* ---- contexts.c ---- */

/* A context at work, in its thread and under the settings in force. */
typedef struct core_frame {
    zc_context *ctx;
    PyObject *path; /* what exceptions say that a file was called, or NULL; borrowed, while a call is about it */
} core_frame;

/* The frame of what this thread does now, NULL and an exception when there is none to be had. It lives until it is
 * left, even if its settings end meanwhile. */
INTERNAL core_frame *core_enter(void);
INTERNAL void core_leave(core_frame *frame);

/* Slot of the frame for the scalar of that kind and value; it holds NULL when it is new. */
INTERNAL zc_tensor **core_kept_scalar(core_frame *frame, char kind, uint64_t bits);

/* Raises what the frame's context failed with, and forgets it there. Returns NULL. */
INTERNAL PyObject *core_raise(core_frame *frame);

/* Enclose a computation: the GIL is given up in between, and signals and progress are looked after. The end is false
 * with an exception when the status is a failure. */
INTERNAL void core_compute_begin(core_frame *frame);
INTERNAL bool core_compute_end(core_frame *frame, zc_status status);

/* Clears an exception that refuses to compute what nobody has asked for yet: it is raised again when somebody does.
 * False where it is another one, as of a call that is stopped. */
INTERNAL bool core_forgive(void);

/* Lets the next call of the frame look whether recorded nodes alone hold much memory, if so many bytes came in. */
INTERNAL void core_expect_pending(core_frame *frame, size_t bytes);

INTERNAL PyObject *core_memory(PyObject *module, PyObject *unused);
INTERNAL PyObject *core_trim(PyObject *module, PyObject *unused);
INTERNAL bool core_contexts_init(PyObject *module);

/* ---- array.c ---- */

INTERNAL bool core_array_init(PyObject *module);

/* Takes over the tensor; NULL of the frame's context becomes its exception. */
INTERNAL PyObject *core_wrap(core_frame *frame, zc_tensor *t);

/* Likewise of memory that another library handed in, which may write to it. */
INTERNAL PyObject *core_wrap_foreign(core_frame *frame, zc_tensor *t);

/* Tells whether o is an integer, and no array of several that has an __index__ for the sake of the others. */
INTERNAL bool core_is_one_integer(PyObject *o);

static inline bool core_is_array(PyObject *o)
{
    return Py_IS_TYPE(o, bound.array) || PyObject_TypeCheck(o, array_base);
}

/* Tells whether x is a number that a computation or a full index gave: as NumPy's scalars it does not change, its name
 * becomes another one's. */
static inline bool core_is_value(const array_object *x)
{
    return zc_rank(x->tensor) == 0 && x->owner == NULL && !x->is_made;
}

/* A new array on the tensor, as core_wrap() gives it, of that type. */
INTERNAL array_object *core_new(PyTypeObject *type, zc_tensor *t);

/* Free-threaded interpreters have sections for what the GIL does elsewhere. */
#if defined(Py_GIL_DISABLED)
#define BEGIN_SECTION(array) Py_BEGIN_CRITICAL_SECTION(array)
#define END_SECTION()        Py_END_CRITICAL_SECTION()
#else
#define BEGIN_SECTION(array) {
#define END_SECTION()        }
#endif

/* ---- aliases.c: views that share their owner's elements ---- */

/* A reference of the caller's to the tensor of an array, since a[i] = v may change the array while it is looked at: by
 * another thread, or by a handler while this one computes. For its shape and dtype, which do not change: its elements
 * may have been written to through another array since. */
static inline zc_tensor *core_hold(PyObject *array)
{
    zc_tensor *t;
    BEGIN_SECTION(array)
    t = zc_retain(((array_object *)array)->tensor);
    END_SECTION()
    return t;
}

/* The same with the elements of now, perhaps of another context; NULL with an exception. */
INTERNAL zc_tensor *core_current_view(core_frame *frame, array_object *view);

static inline zc_tensor *core_current(core_frame *frame, PyObject *array)
{
    if (((array_object *)array)->owner != NULL)
        return core_current_view(frame, (array_object *)array);
    ((array_object *)array)->line = 0;
    return core_hold(array);
}

/* The tensor in the frame's context; takes over the reference. NULL with an exception. */
INTERNAL zc_tensor *core_adopt(core_frame *frame, zc_tensor *t);

static inline zc_tensor *core_here(core_frame *frame, zc_tensor *t)
{
    return t == NULL || zc_context_of(t) == frame->ctx ? t : core_adopt(frame, t);
}

/* Which of its owner's elements (its own, if it has none) an array shows: int64, of its shape, in the frame's context.
 * Of a real or imaginary part: which of its own. NULL with an exception. */
INTERNAL zc_tensor *core_places(core_frame *frame, array_object *array);

/* The numbers of an owner's elements, in its shape. NULL with an exception. */
INTERNAL zc_tensor *core_numbers(core_frame *frame, array_object *owner);

/* Changes the elements of the array at such places by the values; every array that shows them sees it. With
 * `places` NULL all of them are set, to values of their shape and dtype. False with an exception. */
INTERNAL bool core_write(core_frame *frame, array_object *array, zc_tensor *places, zc_tensor *values, zc_update_op op);

/* Computes an owner's elements before one is read, where so many writes were recorded that this is due (aliases.c).
 * False with an exception when the call is stopped. */
INTERNAL bool core_settle_before(core_frame *frame, array_object *owner);

/* Notes that a value was read of an array, which copies its element before the array is written to; and forgets that.
 */
INTERNAL void core_lend(array_object *lender, array_object *value);

/* The same of a copy of a view, if it has few elements. */
INTERNAL void core_lend_copy(array_object *lender, array_object *copy);
INTERNAL void core_end_loan(array_object *value);
INTERNAL void core_end_loans(array_object *array);

/* Sets the elements at places that are a view of those that core_places() gives, of an array that shows no part. The
 * values are the caller's reference, which may be to another tensor of the same elements afterwards; `from`: the array
 * that they are, or NULL. */
INTERNAL bool core_set(core_frame *frame, array_object *array, zc_tensor *places, array_object *from,
                       zc_tensor **values);

/* Tells whether the array may be written to; false with ValueError, which names the subject. */
INTERNAL bool core_is_writable(const array_object *array, const char *subject);

/* Warns, before an array goes, where a write to a copy has reached nobody. */
INTERNAL void core_warn_of_lost_write(array_object *array);

/* The setter of array.shape. */
INTERNAL int core_set_shape(PyObject *self, PyObject *shape, void *unused);

INTERNAL extern PyMethodDef core_aliasing_functions[];

/* ---- masks.c ---- */

/* Finds where a mask is true, as numbers of its elements in row-major order, of the frame's context. A new reference,
 * or NULL with an exception. */
INTERNAL zc_tensor *core_find_positions(core_frame *frame, PyObject *x);

/* positions(x): where a mask is true, as numbers of its elements in row-major order. */
INTERNAL PyObject *core_positions(PyObject *module, PyObject *x);

/* Before a mask goes whose positions are remembered. */
INTERNAL void core_forget_mask(array_object *mask);

/* x's elements as they will be seen: computed now unless they exist. A new reference, or NULL and an exception. */
INTERNAL zc_tensor *core_computed(core_frame *frame, PyObject *array, bool compact);

/* ---- operands.c ---- */

/* An operand in the frame's context, which *owned is, too: whoever asks releases it. NULL where o is none: with an
 * exception, or without one where another type may know better. A Python integer beyond uint64 is a float. */
INTERNAL zc_tensor *core_operand(core_frame *frame, PyObject *o, zc_tensor **owned);

/* Refuses Python integers beyond int64 and uint64 among the operands of a call where none of the others is of floats.
 */
INTERNAL bool core_settle(Py_ssize_t count, PyObject *const *objects, zc_tensor *const *t);

/* The result of a function of the table on so many operands. NotImplemented where an operand is none and `is_operator`.
 */
typedef zc_tensor *(*core_unary)(const zc_tensor *);
typedef zc_tensor *(*core_binary)(const zc_tensor *, const zc_tensor *);
typedef zc_tensor *(*core_ternary)(const zc_tensor *, const zc_tensor *, const zc_tensor *);
INTERNAL PyObject *core_call_1(core_unary function, PyObject *x);
INTERNAL PyObject *core_call_2(core_binary function, PyObject *x, PyObject *y, bool is_operator);

/* ---- numbers.c: slots and methods of the type ---- */

INTERNAL PyObject *core_item(PyObject *self, PyObject *unused);
INTERNAL PyObject *core_to_list(PyObject *module, PyObject *array);
INTERNAL PyObject *core_as_float(PyObject *self);
INTERNAL PyObject *core_as_int(PyObject *self);
INTERNAL PyObject *core_as_index(PyObject *self);
INTERNAL PyObject *core_as_complex(PyObject *self, PyObject *unused);
INTERNAL int core_as_bool(PyObject *self);
INTERNAL Py_hash_t core_hash(PyObject *self);

static inline bool core_is_integer(zc_dtype dtype)
{
    return dtype >= ZC_INT8 && dtype <= ZC_UINT64;
}

/* ---- arguments.c: a call of a function with positional arguments ---- */

enum { CORE_TENSORS = 3, CORE_LISTS = 2, CORE_NUMBERS = 4 };

typedef struct core_list {
    int count;
    int64_t sizes[ZC_MAX_RANK];
    int axes[ZC_MAX_RANK]; /* the same as int, where they are axes */
    const int *axes_at;    /* NULL where None was given: all of them, or none */
} core_list;

typedef struct core_call {
    core_frame *frame;
    zc_context *ctx; /* the frame's */
    zc_tensor *t[CORE_TENSORS];
    zc_tensor *owned[CORE_TENSORS];
    int64_t number[CORE_NUMBERS];
    double real;
    zc_tensor **tensors; /* a list of any length */
    zc_tensor **tensors_owned;
    int tensor_count;
    int64_t *numbers; /* a list of any length */
    int number_count;
    const char *text;
    const char **texts;                  /* one for each of tensors */
    PyObject *objects[CORE_TENSORS];     /* objects that t was read from; borrowed */
    PyObject *kept_tensors, *kept_texts; /* objects that tensors were read from, and that texts point into */
    PyObject *kept_text;                 /* object that text points into */
    core_list list[CORE_LISTS];          /* last, and not cleared: it is large */
} core_call;

/* Reads the arguments by letters: t tensor, ? tensor or None, T list of tensors, s sizes, a axes or None for all of
 * them, e axes or None for none, x axis, i number, n numbers, d float, z text, p path, P a path for each of T. False
 * with an exception, and nothing to end. */
INTERNAL bool core_begin(core_call *call, const char *name, const char *letters, PyObject *const *arguments,
                         Py_ssize_t count);
INTERNAL void core_end(core_call *call);

/* Operand that a call views: taken before its elements are, so a view may seem older than it is, and never newer. */
typedef struct core_viewed {
    array_object *array; /* borrowed; NULL where the operand is none, and the result shares with nobody */
    zc_tensor *places;   /* of the operand, then of the result; NULL where strides tell them */
    uint64_t version;
} core_viewed;

/* A core_begin() whose first argument is viewed. */
INTERNAL bool core_begin_view(core_call *call, core_viewed *of, const char *name, const char *letters,
                              PyObject *const *arguments, Py_ssize_t count);

/* Ends it with a view, writable or not, of which both may be NULL after a failure. `shown` tells the places of the view
 * where of->places told those of the operand. */
INTERNAL PyObject *core_end_view(core_call *call, core_viewed *of, zc_tensor *view, zc_tensor *shown, bool is_writable);

/* Ends it with an array of its own elements. */
INTERNAL PyObject *core_end_copy(core_call *call, core_viewed *of, zc_tensor *t);

/* Ends the call with its result. */
INTERNAL PyObject *core_end_tensor(core_call *call, zc_tensor *t);
INTERNAL PyObject *core_end_tensors(core_call *call, zc_status status, zc_tensor **out, int count);

/* ---- indexing.c: slots of the type ---- */

INTERNAL PyObject *core_subscript(PyObject *self, PyObject *key);
INTERNAL PyObject *core_subscript_at(PyObject *self, Py_ssize_t at);
INTERNAL int core_assign(PyObject *self, PyObject *key, PyObject *value);

/* ---- functions.c, computed.c, exchange.c, dlpack.c, sources.c, division.c ---- */

/* A tuple of arrays on these tensors, adopted; NULL with an exception. */
INTERNAL PyObject *core_arrays_of(core_frame *frame, int count, const zc_tensor *const *tensors);

INTERNAL extern PyMethodDef core_functions[], core_computing_functions[], core_exchange_functions[],
    core_dlpack_functions[], core_source_functions[], core_division_functions[];
INTERNAL bool core_memory_init(PyObject *module);
INTERNAL int core_get_buffer(PyObject *self, Py_buffer *view, int flags);

#endif
