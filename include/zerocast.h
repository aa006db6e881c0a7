/*
 * zerocast: a lazy, view-based tensor runtime.
 *
 * This header is the manual. Read it from top to bottom. (Longer than 500 lines because there is one manual, and one
 * header to install.)
 *
 * The idea. A tensor is a handle: a node of an expression graph, seen through a view (shape, strides, offset).
 * A broadcast is a view whose stride is 0 along the repeated axes, so it takes no data memory however large
 * its shape. View functions (broadcast_to, slice, permute_dims ...) copy the handle and touch nothing else.
 * Elementwise functions and reductions record a node. Nothing is computed, and no data memory is allocated,
 * until zc_materialize() (or a sibling) is called; then the whole chain runs in one fused pass.
 *
 *     zc_context *ctx = zc_context_new(NULL);
 *     zc_scope *scope = zc_scope_begin(ctx);                 // owns every temporary below
 *     zc_tensor *x = zc_npy_open(ctx, "digits.npy");         // mapped, viewed in place
 *     zc_tensor *f = zc_astype(x, ZC_FLOAT32);
 *     zc_tensor *d = zc_subtract(zc_expand_dims(f, 1), zc_expand_dims(f, 0)); // (n, n, 64), no memory
 *     zc_tensor *r = zc_sum(zc_square(d), ZC_AXES(2), false);
 *     zc_tensor *out = NULL;
 *     if (zc_materialize(r, &out) != ZC_OK)                  // one pass, n*n floats
 *         fprintf(stderr, "%s\n", zc_error_text(ctx));
 *     zc_scope_end(scope);
 *     zc_context_free(ctx);
 *
 * Errors. No function prints, aborts or exits. Functions that return a tensor return NULL on failure; a NULL tensor as
 * argument of one gives NULL out, of a function that returns a status ZC_ERROR_ARGUMENT, so a chain needs one check at
 * its end. Only the questions about a tensor (zc_rank ... zc_data) and about a context need one. The context keeps
 * the first failure as a status and a sentence until zc_error_clear(): where a chain fails, that of the call which
 * failed first, and of a NULL that the program itself gave, "clip: low is NULL". A call without any context fails in
 * the thread, which keeps its last such failure, but for a NULL after another one: zc_error_text(NULL).
 *
 * Ownership. Arguments are borrowed. Every returned tensor is the caller's and ends with zc_release(), unless a
 * scope is open on the context: then the scope owns it. zc_release(NULL) is legal.
 *
 * Threads. A tensor is immutable, but for zc_assign() and zc_assign_keeping(). A context (its error, scopes, settings)
 * is used by one thread at a time; to use a tensor from another thread, zc_adopt() it into a context of that thread.
 * zc_cancel() alone may be called from anywhere. After fork() the child goes on with the contexts of the thread that
 * called it, and computes on one thread.
 *
 * Units. Shapes and strides count elements, names that end in _bytes count bytes. Axes may be negative: -1 is the
 * last. Shapes are passed as rank and array; ZC_SHAPE(2, 3) writes both arguments. Ranks go up to ZC_MAX_RANK.
 */
#ifndef ZEROCAST_H
#define ZEROCAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ZC_VERSION_MAJOR 0
#define ZC_VERSION_MINOR 1
#define ZC_VERSION_PATCH 0

/* Marks the exported functions; everything else in the library is hidden. */
#if defined(__GNUC__)
#define ZC_API __attribute__((visibility("default")))
#else
#define ZC_API
#endif

/* Enumerations are as wide as int, also in a program that is compiled with -fshort-enums. */
#if defined(__GNUC__)
#define ZC_ENUM __attribute__((__mode__(__SI__)))
#else
#define ZC_ENUM
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The highest rank of a tensor (NumPy's and PyTorch's limit). */
#define ZC_MAX_RANK 64

#ifdef __cplusplus
/* Lists of arguments in C++, where a compound literal may not be an array: they live as long as the call. */
extern "C++" {
namespace zerocast_lists
{
template <typename T, size_t count> struct list {
    T values[count];
};
template <typename T, typename... A> constexpr list<T, sizeof...(A)> make(A... values)
{
    return {{static_cast<T>(values)...}};
}
template <typename... A> char (&count(const A &...values))[sizeof...(A)]; /* not defined: for sizeof alone */
} /* namespace zerocast_lists */
}
#define ZC_LIST(type, ...)                                                                                             \
    static_cast<int>(sizeof(::zerocast_lists::count(__VA_ARGS__))), ::zerocast_lists::make<type>(__VA_ARGS__).values
#else
#define ZC_LIST(type, ...)                                                                                             \
    (int)(sizeof((type const[]){__VA_ARGS__}) / sizeof(type)), (type const[])                                          \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#endif

/* Shape arguments: zc_reshape(t, ZC_SHAPE(2, 3)). ZC_SCALAR_SHAPE is the shape of rank 0. */
#define ZC_SHAPE(...)   ZC_LIST(int64_t, __VA_ARGS__)
#define ZC_SCALAR_SHAPE 0, NULL

/* Axis arguments: zc_sum(t, ZC_AXES(0, 2), false). ZC_ALL_AXES names every axis, ZC_NO_AXES none. */
#define ZC_AXES(...) ZC_LIST(int, __VA_ARGS__)
#define ZC_ALL_AXES  (-1), NULL
#define ZC_NO_AXES   0, NULL

/* Tensor arguments: zc_concat(ctx, ZC_TENSORS(a, b, c), 0), zc_materialize_all(ZC_TENSORS(y, loss), out). */
#define ZC_TENSORS(...) ZC_LIST(const zc_tensor *, __VA_ARGS__)

/* Tensor arguments under the names of the variables that hold them: zc_eval(ctx, "w - 0.1 * g", ZC_NAMED(w, g)). */
#define ZC_NAMED(...) #__VA_ARGS__, ZC_TENSORS(__VA_ARGS__)

/* A missing bound of zc_slice(), as in Python's x[::2]. */
#define ZC_NONE INT64_MIN

typedef struct zc_context zc_context;
typedef struct zc_scope zc_scope;
typedef struct zc_tensor zc_tensor;

/* "major.minor.patch" of the library that is running. Static memory. */
ZC_API const char *zc_version(void);

/* ---- Errors ------------------------------------------------------------------------------------------------- */

typedef enum zc_status {
    ZC_OK = 0,
    ZC_ERROR_ARGUMENT = 1, /* NULL, a bad option, an axis named twice, a value a function cannot take */
    ZC_ERROR_SHAPE = 2,    /* shapes that do not fit together */
    ZC_ERROR_DTYPE = 3,    /* dtypes that do not fit together or that a function does not take */
    ZC_ERROR_OVERFLOW = 4, /* a size or stride outside int64, or a value that the type it would take does not hold */
    ZC_ERROR_MEMORY = 5,   /* the allocator returned NULL */
    ZC_ERROR_BUDGET = 6,   /* the memory limit of the context would be exceeded; nothing was computed */
    ZC_ERROR_FILE = 7,     /* the operating system refused: open, map, write, rename */
    ZC_ERROR_FORMAT = 8,   /* a file that is not what it should be */
    ZC_ERROR_INTERNAL = 9, /* a plan that breaks its own rules: a defect of zerocast, please report it */
    ZC_CANCELLED = 10,     /* stopped on request: zc_cancel(), or a progress function that returned false */
    ZC_ERROR_INDEX = 11,   /* a position outside its axis: an index that was given, or one that a tensor holds, which is
                              found when it is read */
    ZC_ERROR_AXIS = 12     /* an axis that the tensor does not have */
} ZC_ENUM zc_status;

/* The status of the first failure since the context was made or cleared; ZC_OK when there was none. ctx NULL, here and
 * below: the last failure of this thread that had no context: of zc_context_new(), or of a call whose tensors are
 * all NULL or of contexts that have ended. */
ZC_API zc_status zc_error_status(const zc_context *ctx);

/* The sentence of that failure, "function: what, with the shapes", or "". Valid until the next call with ctx. */
ZC_API const char *zc_error_text(const zc_context *ctx);

/* The budget behind a ZC_ERROR_BUDGET, in bytes of data memory; in header bytes for plans and recorded operations, or
 * in nodes where their number is the limit. */
typedef struct zc_budget {
    int64_t need;    /* additional amount required; 0 if planning stopped at the limit */
    int64_t held;    /* amount in use already */
    int64_t limit;   /* largest sum of need and held */
    int window_axis; /* along which a part of the result is known to fit, or -1; and so many of its first positions: */
    int64_t window_count;
} zc_budget;

/* The figures of that failure; false when it is another one, or there was none. */
ZC_API bool zc_error_budget(const zc_context *ctx, zc_budget *budget);

/* The operating system's number of a failure with ZC_ERROR_FILE: ENOENT, EACCES ...; 0 where it gave none, or there was
 * no such failure. */
ZC_API int zc_error_errno(const zc_context *ctx);

/* Records a failure of the program's own, a sentence such as "resize: takes no empty image", under the same rule: a
 * context keeps its first one. Returns the status, so that functions between those of the library fail like them. ZC_OK
 * records nothing. */
ZC_API zc_status zc_error_record(zc_context *ctx, zc_status status, const char *sentence);

/* Forgets the failure. */
ZC_API void zc_error_clear(zc_context *ctx);

/* ---- Dtypes ------------------------------------------------------------------------------------------------- */

/* Promotion follows the Python array API's table; where that leaves mixed kinds open, NumPy's result_type. */
typedef enum zc_dtype {
    ZC_BOOL = 0, /* one byte, 0 or 1. Any other byte in memory that was imported or mapped counts as true; it is shown
                    as it stands by what shows that memory in place: zc_data(), zc_to_dlpack() and zc_bitcast(). What is
                    computed, copied or saved has 0 and 1 */
    ZC_INT8 = 1,
    ZC_INT16 = 2,
    ZC_INT32 = 3,
    ZC_INT64 = 4,
    ZC_UINT8 = 5,
    ZC_UINT16 = 6,
    ZC_UINT32 = 7,
    ZC_UINT64 = 8,
    ZC_FLOAT32 = 9,
    ZC_FLOAT64 = 10,
    ZC_FLOAT16 = 11,    /* IEEE-754 binary16; computed in float32, each result rounded once */
    ZC_BFLOAT16 = 12,   /* the upper half of a float32; likewise */
    ZC_COMPLEX64 = 13,  /* two float32: the real part, then the imaginary one */
    ZC_COMPLEX128 = 14, /* two float64 */
    ZC_DTYPE_COUNT = 15
} ZC_ENUM zc_dtype;

/* The array API's name ("float32"), static memory; "invalid" for a value that is no dtype. */
ZC_API const char *zc_dtype_name(zc_dtype dtype);

/* Bytes of one element; 0 for a value that is no dtype. */
ZC_API size_t zc_dtype_bytes(zc_dtype dtype);

/* Finds a dtype by its array API name. Returns false, *dtype untouched, when there is none of that name. */
ZC_API bool zc_dtype_from_name(const char *name, zc_dtype *dtype);

/* ---- Context ------------------------------------------------------------------------------------------------ */

/* An allocator. allocate returns memory aligned to `alignment` (a power of two), or NULL; deallocate is given the
 * same bytes and alignment again. Both may be called from any thread. */
typedef struct zc_allocator {
    void *user;
    void *(*allocate)(void *user, size_t bytes, size_t alignment);
    void (*deallocate)(void *user, void *memory, size_t bytes, size_t alignment);
} zc_allocator;

/* Names the allocator of a context that was given none: "jemalloc" when the process's malloc() is jemalloc's
 * (linked or preloaded), else "system", which is that malloc(), also a sanitizer's or another one. The library itself
 * does not need jemalloc, so any process can load it; zerocast-jemalloc.pc and the CMake package's component jemalloc
 * link it to the programs that they build. Static memory. */
ZC_API const char *zc_allocator_name(void);

typedef enum zc_executor {
    ZC_EXECUTOR_TILE = 0,     /* fused, vectorised, threaded: the default */
    ZC_EXECUTOR_REFERENCE = 1 /* plain C, element by element: the oracle; same bits, much slower */
} ZC_ENUM zc_executor;

/* Settings of a context; a field of 0 or NULL takes its default. */
typedef struct zc_options {
    const zc_allocator *allocator; /* NULL: the default one, see zc_allocator_name() */
    int64_t memory_limit;          /* data bytes the context may hold at once; 0: no limit */
    int threads;                   /* 0: ZEROCAST_THREADS from the environment, else the processors that the calling
                                      thread may run on, or less where control groups have a quota of time */
    zc_executor executor;
    int64_t node_limit;   /* nodes that may be recorded and not freed; 0: 2^24 */
    int64_t header_limit; /* bytes of nodes, handles and scratch beyond which nothing more is recorded, and that making
                             a plan may take; 0: 4 GiB, under a memory limit the larger of that and 64 MiB */
    bool recompute;       /* keep no elements that were not asked for from one call to the next (see "What is kept") */
} zc_options;

/* The first contraction of two operands of int8 or uint8 cast to 32 bits, of 32 rows and columns and 64 products at
 * least, asks Linux for the tile registers of processors that have them (AMX), for the whole process, when it is
 * planned: a signal's frame is 8 KiB larger then, and sigaltstack() refuses stacks below sysconf(_SC_MINSIGSTKSZ).
 * ZEROCAST_TILES=0 in the environment keeps the library from asking; such products take 2 to 5 times as long. */

/* Floating-point settings of the process (fesetround(), flushing to zero, traps) change no result and are as they were
 * after every call, with their flags. While a call computes, the default ones hold: also for the functions that it
 * calls of the program's, such as that of zc_set_progress(). */

/* A recorded operation takes some 200 bytes, and is freed with the last tensor that needs it. A loop that records and
 * never computes is refused (ZC_ERROR_BUDGET) at node_limit or header_limit, and its tensors stay as they were: they
 * can be materialised, read and released. INT64_MAX is no limit. */

/* 80 % of the memory that this process may use: the machine's, or less where a control group (version 1 or 2) says so;
 * what the command and the Python package take as memory_limit where nobody asks for another. */
ZC_API int64_t zc_memory_limit_default(void);

/* Makes a context. options may be NULL. Returns NULL only when memory is out or an option is out of range, as
 * zc_error_text(NULL) says: "context_new: threads is 5000, at most 1024". The caller ends it with zc_context_free(). */
ZC_API zc_context *zc_context_new(const zc_options *options);

/* Ends a context and its open scopes. Tensors that are still held stay valid for zc_release() and for reading
 * their data, and need a zc_adopt() into another context for anything else, which is refused (ZC_ERROR_ARGUMENT). ctx
 * may be NULL. */
ZC_API void zc_context_free(zc_context *ctx);

/* The settings in force, defaults filled in. */
ZC_API zc_options zc_context_options(const zc_context *ctx);

/* Data memory allocated through the context, in bytes; headers of nodes and handles, borrowed memory and mapped
 * files do not count. */
typedef struct zc_memory {
    int64_t held_bytes;   /* now */
    int64_t peak_bytes;   /* most at once since the context was made or zc_memory_reset_peak() */
    int64_t header_bytes; /* nodes, handles, plans and scratch, now */
    int64_t nodes;        /* made through the context and not freed yet */
    int64_t cached_bytes; /* large blocks that are free and kept for what comes next */
    int64_t kept_bytes;   /* of held_bytes: elements that nobody asked for (see "What is kept") */
} zc_memory;

ZC_API zc_memory zc_memory_usage(const zc_context *ctx);
ZC_API void zc_memory_reset_peak(zc_context *ctx);

/* Large blocks of data (64 KiB and more) that are given back are kept for what comes next, since fresh pages take
 * several times as long to write as those that are there. Together with the data they stay below the memory limit: they
 * are freed before anything is refused, and when the allocator has no more. A block serves one of exactly its size.
 * Blocks of headers of 64 KiB to 1 MiB, in which plans were made, are kept beside them and count against no limit: 16
 * MiB at most, or half of the memory limit where that is less. Where the default allocator is used, so are blocks of up
 * to 512 bytes of headers and 2 KiB of data, 64 KiB of each sort at most (of data also a 256th of the limit). They
 * count as neither cached nor held, and are the business of the thread that made the context: calls of others take
 * none, keep none and give none of them back.
 *
 * Keeps at most so many bytes from now on. The default is half of the memory limit, or 1 GiB where there is none; 0
 * keeps nothing. Errors: a negative number. */
ZC_API zc_status zc_set_cache_limit(zc_context *ctx, int64_t bytes);

/* Gives back what only makes the next run faster: the plans that the context keeps for graphs like those it has run
 * (512 at most, of graphs of at most 1,024 nodes, and 8 MiB together, or a quarter of header_limit where that is less,
 * and beside them one larger plan of up to 64 MiB, as far as that quarter has room), its scratch memory, the blocks
 * that it keeps, and the pages that the default allocator keeps. ctx may be NULL. */
ZC_API void zc_context_trim(zc_context *ctx);

/* ---- Long work: watched and stopped --------------------------------------------------------------------------- */

/* While a call with ctx computes, converts or writes, report(user, done, total) is called now and then, on the thread
 * that made the call: at the beginning and after some ten microseconds of work. `total` is in steps, about one per
 * element and operation, and `done` of them are done. A call may have several parts that each count from 0: what
 * sorting has to compute first, then the sorting; a result, then writing its file. True goes on, false stops the call
 * as zc_cancel() does. report may call zc_cancel() and nothing else with ctx. NULL: nobody watches. */
ZC_API void zc_set_progress(zc_context *ctx, bool (*report)(void *user, int64_t done, int64_t total), void *user);

/* Stops the call with ctx that plans, computes, converts or writes now, or else the next one that does: it returns
 * ZC_CANCELLED within milliseconds (a call that waits for another thread to compute the same node, when that ends; one
 * that sorts a long line, after the walk over it that is under way: some milliseconds per million elements).
 * Everything is as before that call: nothing stays allocated, tensors can be used and computed, files are untouched;
 * only the target of zc_materialize_into() may be written in part. One request stops one call. May be called from any
 * thread and from a signal handler: it sets an atomic flag and nothing else. */
ZC_API void zc_cancel(zc_context *ctx);

/* ---- Scopes: who releases the temporaries ------------------------------------------------------------------- */

/* Opens a scope: until its end, every tensor returned by a call with this context belongs to it. Scopes nest.
 * Returns NULL when memory is out. */
ZC_API zc_scope *zc_scope_begin(zc_context *ctx);

/* Releases the tensors of the scope, and ends the scopes opened after it. scope may be NULL. A scope is ended once; a
 * library that was built for debugging tells of one that is ended again (ZC_ERROR_ARGUMENT). */
ZC_API void zc_scope_end(zc_scope *scope);

/* Takes t out of the scope that owns it: it is the caller's now. Returns t.
 *
 * zc_release() of a tensor that a scope owns is legal at any time, to have its memory before the scope's end: where no
 * zc_retain() added a reference it leaves the scope and is gone, and the scope's end does not release it again. Where
 * one did, zc_release() ends that, and the tensor stays the scope's; to be left with a reference of one's own beyond
 * the scope, let the scope end, or zc_keep() the tensor and then release once. */
ZC_API zc_tensor *zc_keep(zc_tensor *t);

/* Moves t from the scope that owns it to the scope around that one, which releases it; where none is around it, t is
 * the caller's, as by zc_keep(). Returns t; a tensor that no scope owns stays the caller's. It costs no memory, so it
 * cannot fail: a function that opens a scope for its temporaries returns its result so. */
ZC_API zc_tensor *zc_keep_outside(zc_tensor *t);

/* ---- Tensors: making, sharing, asking ----------------------------------------------------------------------- */

/* Copies `bytes` bytes of row-major data, of bools 1 for every byte but 0. Allocates exactly that. Errors: bytes is not
 * size * itemsize. */
ZC_API zc_tensor *zc_from_data(zc_context *ctx, zc_dtype dtype, int rank, const int64_t *shape, const void *data,
                               size_t bytes);

/* Wraps foreign memory without copying it. [memory, memory + bytes) is all that may be read; offset (elements
 * from memory) and strides (elements, any sign, 0 repeats; NULL: row-major) are proven to stay inside. memory must
 * be aligned to the element (complex: to its parts). release(user, memory), when not NULL, is called exactly once: when
 * the last tensor over the memory is gone, or before zc_import returns NULL. The bytes must not change while tensors
 * use them. Errors: elements outside the memory, memory that is NULL or not aligned, more bytes than any memory has. */
ZC_API zc_tensor *zc_import(zc_context *ctx, zc_dtype dtype, int rank, const int64_t *shape, const int64_t *strides,
                            int64_t offset, const void *memory, size_t bytes, void (*release)(void *user, void *memory),
                            void *user);

/* Elements that are not in memory: compressed, remote, computed by others. */
typedef struct zc_source {
    void *user;

    /* Writes count[a] indices of each axis a from start[a] on, each count at least 1, to `elements`: dense, row-major,
     * aligned to the element. Returns NULL, or a sentence that says why it cannot. The same window has the same
     * elements each time. Contexts of several threads that share the source (zc_adopt) may call it at the same time. */
    const char *(*read)(void *user, const int64_t *start, const int64_t *count, void *elements);
    void (*release)(void *user); /* once, when the last tensor over the source is gone; may be NULL */
    const int64_t *chunk; /* [rank]: extents that are read best at once, from multiples of them on; NULL: any are */
} zc_source;

/* A tensor whose elements a source has. Views of it compose, and a run reads the windows that its result needs, on the
 * calling thread, never two at once in one context: in blocks of whole chunks where stages run by blocks (zc_explain),
 * else each window as a whole. Every byte of a bool but 0 is 1. *source and chunk are copied. read() may use other
 * contexts, and not this one. What is read again and again is kept in memory (see "What is kept"). A sentence of read()
 * fails the run (ZC_ERROR_FILE). To zc_serialize() it is an input. Holds
 * no data memory. Errors: no read, an extent of a chunk below 1; release() is called before NULL is returned. */
ZC_API zc_tensor *zc_from_source(zc_context *ctx, zc_dtype dtype, int rank, const int64_t *shape,
                                 const zc_source *source);

/* The functions of the source that t is a view of, whether its elements are in memory or not; else NULL. They live as
 * long as t. */
ZC_API const zc_source *zc_source_of(const zc_tensor *t);

/* A constant of rank 0, from the element at `value`. Holds no data memory; broadcast it for zeros, ones, full. */
ZC_API zc_tensor *zc_constant(zc_context *ctx, zc_dtype dtype, const void *value);

/* Weak constants, the array API's Python scalars: next to a tensor of the same or a higher kind (bool < int < float
 * < complex) they take its dtype, else the default of their kind (bool, int64, float64, complex128); a complex one next
 * to floats takes the complex dtype of their size, and at least complex64. An integer that the dtype cannot hold is an
 * error of the operation that combines them (ZC_ERROR_OVERFLOW), but for comparisons, isin and searchsorted, which are
 * by value, and bounds of clip, beyond which the dtype has no element: they are its ends then. zc_weak_uint is for
 * integers beyond int64, which next to bool are uint64. */
ZC_API zc_tensor *zc_weak_bool(zc_context *ctx, bool value);
ZC_API zc_tensor *zc_weak_int(zc_context *ctx, int64_t value);
ZC_API zc_tensor *zc_weak_uint(zc_context *ctx, uint64_t value);
ZC_API zc_tensor *zc_weak_float(zc_context *ctx, double value);
ZC_API zc_tensor *zc_weak_complex(zc_context *ctx, double real, double imag);

/* A tensor in which every element is `value`. Floats round it. No data memory. Errors: a value that the dtype does not
 * hold (ZC_ERROR_ARGUMENT), as 300, 1.5 and NaN of uint8, 2 of bool, and 70000 of float16, which would be infinite. */
ZC_API zc_tensor *zc_full(zc_context *ctx, int rank, const int64_t *shape, zc_dtype dtype, double value);
ZC_API zc_tensor *zc_full_int64(zc_context *ctx, int rank, const int64_t *shape, zc_dtype dtype, int64_t value);

/* (n) int64: 0, 1 ... n-1 (XLA's Iota). Computed where it is used, no data memory. */
ZC_API zc_tensor *zc_iota(zc_context *ctx, int64_t n);

/* (n) dtype: start, start + step ... before stop, as NumPy's arange: n is ceil((stop - start) / step), and element i of
 * floats start + i * step, whose step is that of the first two elements in the dtype. Computed where it is used, no
 * data memory. Errors: a step of 0, more elements than int64 counts, a range that is not finite, and for dtypes of
 * integers numbers that are not whole or beyond 2^53 (ZC_ERROR_ARGUMENT), or elements that they do not hold
 * (ZC_ERROR_OVERFLOW); bool (ZC_ERROR_DTYPE). */
ZC_API zc_tensor *zc_arange(zc_context *ctx, double start, double stop, double step, zc_dtype dtype);

/* The same of any int64; the elements are int64. */
ZC_API zc_tensor *zc_arange_int64(zc_context *ctx, int64_t start, int64_t stop, int64_t step);

/* (count) dtype: numbers at equal distances from start to stop, which is the last one, or with endpoint false the one
 * that would follow. Computed in float64 where it is used, no data memory. Errors: a negative count
 * (ZC_ERROR_ARGUMENT), a dtype that is neither float nor complex (ZC_ERROR_DTYPE). */
ZC_API zc_tensor *zc_linspace(zc_context *ctx, double start, double stop, int64_t count, bool endpoint, zc_dtype dtype);

/* (rows, columns) dtype: 1 on diagonal k, which is above the main one where k is above 0, and 0 elsewhere. Computed
 * where it is used, no data memory. Errors: a negative size (ZC_ERROR_ARGUMENT). */
ZC_API zc_tensor *zc_eye(zc_context *ctx, int64_t rows, int64_t columns, int64_t k, zc_dtype dtype);

/* Random numbers of that shape: uint64 of 64 bits, floats in [0, 1) of as many bits as they have digits, normal ones of
 * mean 0 and deviation 1. An element is a function of its number in row-major order and of the seed (Philox 2x32-10),
 * so windows, threads and machines have the same. Computed where they are used, no data memory: an expression that
 * reads them often is better computed once. Errors: a seed above 2^32 - 1 (ZC_ERROR_ARGUMENT), another dtype than
 * float32 and float64 (ZC_ERROR_DTYPE). */
ZC_API zc_tensor *zc_random_bits(zc_context *ctx, int rank, const int64_t *shape, uint64_t seed);
ZC_API zc_tensor *zc_random_uniform(zc_context *ctx, int rank, const int64_t *shape, uint64_t seed, zc_dtype dtype);
ZC_API zc_tensor *zc_random_normal(zc_context *ctx, int rank, const int64_t *shape, uint64_t seed, zc_dtype dtype);

/* One more reference to the same handle, the caller's also inside a scope; each is ended by its own zc_release(). */
ZC_API zc_tensor *zc_retain(zc_tensor *t);

/* Ends a reference. Memory goes when the last one over it is gone. t may be NULL. */
ZC_API void zc_release(zc_tensor *t);

/* A handle on the same node and view in another context, to be used by that context's thread. */
ZC_API zc_tensor *zc_adopt(zc_context *ctx, const zc_tensor *t);

ZC_API zc_context *zc_context_of(const zc_tensor *t);
ZC_API zc_dtype zc_dtype_of(const zc_tensor *t);
ZC_API int zc_rank(const zc_tensor *t);
ZC_API const int64_t *zc_shape(const zc_tensor *t);   /* [rank]; lives as long as the handle */
ZC_API const int64_t *zc_strides(const zc_tensor *t); /* [rank], in elements of the node behind the handle; an axis
                                                         of size 1 has stride 0 */
ZC_API int64_t zc_offset(const zc_tensor *t);         /* of element (0, ... 0), in elements of that node */
ZC_API int64_t zc_size(const zc_tensor *t);           /* number of elements */
ZC_API bool zc_is_weak(const zc_tensor *t);           /* a weak constant of rank 0 */

/* Tells a plain strided view of memory, of which nothing is left to compute. */
ZC_API bool zc_is_view(const zc_tensor *t);

/* The address of element (0, ... 0) of such a view, zc_strides() apart; NULL for anything still to be computed and
 * for a constant. Lives as long as t. */
ZC_API const void *zc_data(const zc_tensor *t);

/* The axes of size > 1 along which the stride is 0, as a bit set: bit a is axis a (nGraph's broadcast axes). */
ZC_API uint64_t zc_broadcast_axes(const zc_tensor *t);

/* ---- Views: no data memory, nothing computed, cost O(rank) -------------------------------------------------- */

/* Each returns a handle on the same node. Errors: ZC_ERROR_SHAPE, ZC_ERROR_ARGUMENT, ZC_ERROR_AXIS, ZC_ERROR_OVERFLOW.
 * The broadcasts of every system, and XLA's binary operations, refuse in that system's words; where these do not name
 * the operand's shape and the target's, or both operands', they stand behind them: "(operand shape: [3], target shape:
 * [-1,3])". */

/* NumPy's broadcast_to: shapes are aligned at the right; an axis of size 1 is repeated. shape may not be shorter
 * than t's, nor hold negative sizes. [1, 2, 3] to (3, 3) is three such rows; (2, 1, 3) to (4, 2, 5, 3). */
ZC_API zc_tensor *zc_broadcast_to(const zc_tensor *t, int rank, const int64_t *shape);

/* NumPy's broadcast_shapes: the shape in which `count` shapes meet, aligned at the right; () for none. Any number of
 * them. (6, 7), (5, 6, 1), (7), (5, 1, 7) meet in (5, 6, 7). Errors: two shapes that do not fit, named by position. */
ZC_API zc_status zc_broadcast_shapes(zc_context *ctx, int count, const int *ranks, const int64_t *const *shapes,
                                     int *rank, int64_t shape[ZC_MAX_RANK]);

/* NumPy's broadcast_arrays: each tensor in the shape they all meet in. out has room for `count`; on failure it holds
 * NULL only. Errors: as zc_broadcast_shapes. */
ZC_API zc_status zc_broadcast_arrays(int count, const zc_tensor *const *tensors, zc_tensor **out);

/* Each tensor, of one axis or none, along an axis of its own in the shape of all: one axis per tensor, in their order;
 * with `swaps` the first two change places (the array API's indexing "xy", which is for pictures). out has room for
 * `count`; on failure it holds NULL only. Views: (3) and (4) are (3, 4) each, with strides (1, 0) and (0, 1). Errors:
 * more than one axis, more than ZC_MAX_RANK tensors. Source: array API, meshgrid. */
ZC_API zc_status zc_meshgrid(int count, const zc_tensor *const *tensors, bool swaps, zc_tensor **out);

/* TensorFlow's tf.broadcast_to: the same views, the refusals and words of TensorFlow's graph rules. Materialising
 * it gives exactly what tf.broadcast_to returns. [1, 2, 3] to (2, 3) is [[1, 2, 3], [1, 2, 3]]; 6 to (3, 3) is all 6;
 * (2) to (2, 1) is an error. Source: TensorFlow, core/kernels/broadcast_to_op.cc. */
ZC_API zc_tensor *zc_tf_broadcast_to(const zc_tensor *t, int rank, const int64_t *shape);

/* MindSpore's ops.broadcast_to: aligned at the right; a -1 keeps t's size and may stand wherever t has an axis.
 *   (2, 1) to (-1, 2) is (2, 2); (3, 1) to (-1, -1) is (3, 1); (3, 1, 5, 1) to (-1, 4, 5, 6) is (3, 4, 5, 6).
 * Errors, in this order: t has more axes; a 0 in shape while t has none; a -1 before t's first axis, or a size below
 * -1; a size that differs from t's where that is not 1. Source: MindSpore, core/ops/ops_func_impl/broadcast_to.cc. */
ZC_API zc_tensor *zc_mindspore_broadcast_to(const zc_tensor *t, int rank, const int64_t *shape);

/* nGraph's Broadcast: `axes` is the set of the result's axes that t does not have (order and duplicates vanish); shape
 * without them must be t's shape exactly, so an axis of size 1 of t is never repeated.
 *   [a, b, c] to (2, 3) over {0} is [[a, b, c], [a, b, c]], to (3, 2) over {1} it is [[a, a], [b, b], [c, c]];
 *   () to (2, 2, 2) over {0, 1, 2}; (2, 4) to (2, 3, 4, 5) over {1, 3}.
 * Errors, in this order: an axis beyond shape; t's shape is not what remains, as (1, 3) to (2, 3) over {0}.
 * Source: nGraph, src/ngraph/op/broadcast.cpp, test/type_prop/broadcast.cpp. */
ZC_API zc_tensor *zc_ngraph_broadcast(const zc_tensor *t, int rank, const int64_t *shape, int count, const int *axes);

/* nGraph's BroadcastLike: zc_ngraph_broadcast to the shape of `like`, of which nothing else is used. Without axes t
 * must be a scalar, which is repeated along all (nGraph's documented contract).
 *   () like (2, 3) over {} and (3) like (2, 3) over {0} are (2, 3). Errors: as above; no axes and t is no scalar. */
ZC_API zc_tensor *zc_ngraph_broadcast_like(const zc_tensor *t, const zc_tensor *like, int count, const int *axes);

/* XLA's Broadcast: new axes of these sizes in front of t's.
 *   () with (2, 3) is (2, 3); (3) with (2) is (2, 3); (2) with (3, 1) is (3, 1, 2); (3) with (0) is (0, 3).
 * Errors: a negative size; a rank above ZC_MAX_RANK. Source: XLA, xla/service/shape_inference.cc. */
ZC_API zc_tensor *zc_xla_broadcast(const zc_tensor *t, int count, const int64_t *sizes);

/* XLA's BroadcastInDim: axis d of t becomes axis dims[d] of a result of `shape`; a size of 1 is repeated.
 *   [1, 2] to (2, 2): dims {0} gives [[1, 1], [2, 2]], dims {1} gives [[1, 2], [1, 2]]; (3, 4) to (2, 3, 4) by {1, 2}.
 * Errors, in this order: t has more axes than shape; count is not t's rank; then for each axis of t: dims[d] out of
 * bounds, sizes that differ, dims not strictly increasing. Source: XLA, xla/service/shape_inference.cc. */
ZC_API zc_tensor *zc_xla_broadcast_in_dim(const zc_tensor *t, int rank, const int64_t *shape, int count,
                                          const int *dims);

/* StableHLO's broadcast_in_dim: as XLA's, but dims need only be distinct, so it may transpose.
 *   (1, 3) to (2, 3, 2) by {2, 1} is [[[1, 1], [2, 2], [3, 3]], twice].
 * Errors, in this order: count is not t's rank; a dimension comes twice; then for each axis of t: dims[d] out of
 * bounds, sizes that differ. Source: the StableHLO specification, constraints C2 to C5 of the operation. */
ZC_API zc_tensor *zc_stablehlo_broadcast_in_dim(const zc_tensor *t, int rank, const int64_t *shape, int count,
                                                const int *dims);

/* PyTorch's Tensor.expand: aligned at the right; a -1 keeps the size of an axis that t has.
 *   (3, 1) to (3, 4) has strides (1, 0); (3) to (2, -1) is (2, 3); (1, 3) to (-1, -1) is (1, 3).
 * Errors: fewer sizes than axes; then from the right: a -1 on a new axis (a scalar's, too), sizes that differ where t's
 * is not 1. Source: PyTorch, aten/src/ATen/ExpandUtils.cpp. */
ZC_API zc_tensor *zc_torch_expand(const zc_tensor *t, int rank, const int64_t *sizes);

/* ONNX's Expand: both shapes give way, aligned at the right; the result is their common shape, which need not be
 * `shape`, and shape may be the shorter one.
 *   (3, 1) with (2, 1, 6) is (2, 3, 6); (1, 3, 1) with (1, 3) is (1, 3, 3); (3, 4) with () is (3, 4).
 * Errors: a negative size; sizes that differ and neither is 1. Source: ONNX, docs/Operators.md, Expand. */
ZC_API zc_tensor *zc_onnx_expand(const zc_tensor *t, int rank, const int64_t *shape);

typedef enum zc_openvino_mode {
    ZC_OPENVINO_NUMPY = 0,         /* aligned at the right, t alone gives way */
    ZC_OPENVINO_EXPLICIT = 1,      /* axis i of t is axis axes_mapping[i] of the result; t alone gives way */
    ZC_OPENVINO_BIDIRECTIONAL = 2, /* aligned at the right, both give way */
    ZC_OPENVINO_PDPD = 3           /* t's first axis at `axis` (-1: aligned at the right), both give way */
} ZC_ENUM zc_openvino_mode;

/* OpenVINO's Broadcast, version 3. axes_mapping belongs to the explicit mode (elsewhere ZC_NO_AXES), axis to pdpd.
 * axes_mapping names the axes that are kept, where nGraph's set names the others. A scalar may be mapped to one axis of
 * size 1.
 *   numpy (3, 1) to (2, 3, 6); explicit (16) to (1, 16, 50, 50) by {1}; pdpd (3, 1) to (2, 3, 6) at axis 1;
 *   bidirectional (1, 4, 1) and (1, 4) give (1, 4, 4).
 * Errors: axes_mapping missing or not wanted. numpy: fewer target axes; sizes that differ where t's is not 1. explicit,
 * in this order: count is not t's rank; axes_mapping not ascending; then for each axis: beyond the target, sizes that
 * differ. The others: sizes that differ where neither is 1; pdpd: t does not fit behind axis. Source: OpenVINO,
 * src/core/shape_inference/include/broadcast_shape_inference.hpp. */
ZC_API zc_tensor *zc_openvino_broadcast(const zc_tensor *t, int rank, const int64_t *shape, zc_openvino_mode mode,
                                        int count, const int *axes_mapping, int axis);

/* Axis i of the result is axis axes[i] of t. axes holds each axis once. */
ZC_API zc_tensor *zc_permute_dims(const zc_tensor *t, int count, const int *axes);

/* The last two axes exchanged. Errors: rank below 2. */
ZC_API zc_tensor *zc_matrix_transpose(const zc_tensor *t);

/* Exchanges two axes (NumPy). */
ZC_API zc_tensor *zc_swapaxes(const zc_tensor *t, int axis1, int axis2);

/* Moves axis `source` to position `destination`, the others keep their order. */
ZC_API zc_tensor *zc_moveaxis(const zc_tensor *t, int source, int destination);

/* Python's x[start:stop:step] along one axis: bounds may be negative, beyond the end, or ZC_NONE. step is not 0. */
ZC_API zc_tensor *zc_slice(const zc_tensor *t, int axis, int64_t start, int64_t stop, int64_t step);

/* x[index] along one axis, which disappears. A negative index counts from the end. Errors: ZC_ERROR_INDEX. */
ZC_API zc_tensor *zc_index(const zc_tensor *t, int axis, int64_t index);

/* Parts of t side by side along one axis: `count` of these sizes, which add up to the axis; sizes NULL: equal ones.
 * out has room for `count`; on failure it holds NULL only, in a scope too. (6) in 3 equal parts is three (2); (7, 2) by
 * {4, 3} is (4, 2) and (3, 2). Errors: sizes that do not add up; an axis that does not divide. */
ZC_API zc_status zc_split(const zc_tensor *t, int axis, int count, const int64_t *sizes, zc_tensor **out);

/* t[0], t[1] ... along one axis, which disappears (array API). count is its size, and out has room for as many; on
 * failure it holds NULL only. (3, 4) along axis 0 is three (4). Errors: count is not the size. */
ZC_API zc_status zc_unstack(const zc_tensor *t, int axis, int count, zc_tensor **out);

/* A new axis of size 1 at position `axis` of the result (array API: -rank-1 <= axis <= rank). */
ZC_API zc_tensor *zc_expand_dims(const zc_tensor *t, int axis);

/* Removes axes of size 1. Errors: an axis of another size. */
ZC_API zc_tensor *zc_squeeze(const zc_tensor *t, int count, const int *axes);

/* Reverses the order of the elements along the axes. */
ZC_API zc_tensor *zc_flip(const zc_tensor *t, int count, const int *axes);

/* k quarter turns from axis1 towards axis2, backwards for a negative k (NumPy). [[1, 2], [3, 4]] by one turn from axis
 * 0 to 1 is [[2, 4], [1, 3]]. Errors: one axis twice. */
ZC_API zc_tensor *zc_rot90(const zc_tensor *t, int64_t k, int axis1, int axis2);

/* The elements in row-major order under another shape; one size may be -1. A view where the strides allow it. Where
 * they do not (merging a repeated or permuted axis), a copy is recorded, not made: still no data memory now. */
ZC_API zc_tensor *zc_reshape(const zc_tensor *t, int rank, const int64_t *shape);

/* The same as a view or not at all. Errors, beside zc_reshape's: ZC_ERROR_SHAPE when strides cannot show it. */
ZC_API zc_tensor *zc_reshape_view(const zc_tensor *t, int rank, const int64_t *shape);

/* t's bits as another dtype (NumPy's ndarray.view, XLA's BitcastConvert). Over memory that exists, in place: another
 * element size changes the length of the last axis, whose elements must then be consecutive and whole and begin where
 * elements of that size can. float32 (2, 3) as uint8 is (2, 12), as uint32 (2, 3), as float64 an error. What is still
 * to be computed keeps its shape and takes dtypes of the same size. Any byte but 0 is true as a bool.
 * Errors: ZC_ERROR_DTYPE for another size of what is still to be computed; ZC_ERROR_SHAPE for a scalar, a last axis
 * that is strided or does not divide; ZC_ERROR_ARGUMENT for elements that would not be aligned. */
ZC_API zc_tensor *zc_bitcast(const zc_tensor *t, zc_dtype dtype);

/* The diagonal of axes axis1 and axis2, as the last axis of the result (NumPy). offset > 0 is above. */
ZC_API zc_tensor *zc_diagonal(const zc_tensor *t, int64_t offset, int axis1, int axis2);

/* Every position of a window (NumPy): t's axes, each shorter by its window's size - 1, then one axis per window. Window
 * i slides along axes[i]; ZC_ALL_AXES takes one window per axis, and an axis may be named again for one more.
 *   (5) with windows of 3 is (3, 3): [[0, 1, 2], [1, 2, 3], [2, 3, 4]] of [0, 1, 2, 3, 4], strides (1, 1);
 *   (28, 28) with (3, 3) along all axes is (26, 26, 3, 3).
 * Errors: a window that is negative, or larger than what is left of its axis. Source: NumPy,
 * numpy/lib/stride_tricks.py. */
ZC_API zc_tensor *zc_sliding_window_view(const zc_tensor *t, int windows, const int64_t *window, int count,
                                         const int *axes);

/* Any strided view of what t can reach: offset counts elements from t's first element, strides are in elements of
 * t's node (see zc_strides). Errors: an element outside the lowest and highest that t itself reaches. */
ZC_API zc_tensor *zc_as_strided(const zc_tensor *t, int rank, const int64_t *shape, const int64_t *strides,
                                int64_t offset);

/* ---- Elementwise: recorded, computed when materialised ------------------------------------------------------ */

/* Shapes broadcast as in NumPy, dtypes promote. Of complex numbers there are those functions that the array API has;
 * abs is real, and what needs an order or a real line is refused. (docs/operations.md has them by name.) Names and
 * results are the array API's; integers wrap; integer division and remainder by zero give 0; NaN propagates through
 * minimum, maximum and clip. Cost now: one node, no data memory. Errors: ZC_ERROR_SHAPE, ZC_ERROR_DTYPE. */

ZC_API zc_tensor *zc_add(const zc_tensor *a, const zc_tensor *b);          /* bool: or */
ZC_API zc_tensor *zc_subtract(const zc_tensor *a, const zc_tensor *b);     /* not bool */
ZC_API zc_tensor *zc_multiply(const zc_tensor *a, const zc_tensor *b);     /* bool: and */
ZC_API zc_tensor *zc_divide(const zc_tensor *a, const zc_tensor *b);       /* true division: integers as float64 */
ZC_API zc_tensor *zc_floor_divide(const zc_tensor *a, const zc_tensor *b); /* rounds to minus infinity; not bool; an
                                                                              infinite a gives NaN, as in Python */
ZC_API zc_tensor *zc_remainder(const zc_tensor *a, const zc_tensor *b);    /* sign of b; not bool */
ZC_API zc_tensor *zc_pow(const zc_tensor *a, const zc_tensor *b);          /* not bool; negative integer powers: 0 */
ZC_API zc_tensor *zc_minimum(const zc_tensor *a, const zc_tensor *b);
ZC_API zc_tensor *zc_maximum(const zc_tensor *a, const zc_tensor *b);
ZC_API zc_tensor *zc_clip(const zc_tensor *x, const zc_tensor *low, const zc_tensor *high); /* min(max(x, low), high) */

/* Functions that keep integers as they are take no bool. Functions of floats take integers and bool as float64. */

ZC_API zc_tensor *zc_positive(const zc_tensor *x); /* not bool */
ZC_API zc_tensor *zc_negative(const zc_tensor *x); /* not bool; unsigned wraps */
ZC_API zc_tensor *zc_abs(const zc_tensor *x);      /* the lowest signed integer stays itself */
ZC_API zc_tensor *zc_sign(const zc_tensor *x);     /* not bool; -1, 0 or 1; NaN stays */
ZC_API zc_tensor *zc_square(const zc_tensor *x);   /* not bool */
ZC_API zc_tensor *zc_relu(const zc_tensor *x);     /* not bool; max(x, 0), NaN stays */

/* Whole numbers next to x, in x's dtype; integers stay what they are; not bool. A zero has x's sign. */
ZC_API zc_tensor *zc_floor(const zc_tensor *x);
ZC_API zc_tensor *zc_ceil(const zc_tensor *x);
ZC_API zc_tensor *zc_trunc(const zc_tensor *x);
ZC_API zc_tensor *zc_round(const zc_tensor *x); /* halves to even */

/* Kinds of numbers: bool out. An integer is finite; not bool. */
ZC_API zc_tensor *zc_isfinite(const zc_tensor *x);
ZC_API zc_tensor *zc_isinf(const zc_tensor *x);
ZC_API zc_tensor *zc_isnan(const zc_tensor *x);
ZC_API zc_tensor *zc_signbit(const zc_tensor *x); /* of floats: also of -0 and of a NaN that has it */

/* Functions of floats that are exact or correctly rounded. */
ZC_API zc_tensor *zc_copysign(const zc_tensor *a, const zc_tensor *b);  /* the size of a, the sign of b */
ZC_API zc_tensor *zc_nextafter(const zc_tensor *a, const zc_tensor *b); /* the float after a, towards b; b if equal */
ZC_API zc_tensor *zc_reciprocal(const zc_tensor *x);
ZC_API zc_tensor *zc_sqrt(const zc_tensor *x);
ZC_API zc_tensor *zc_fma(const zc_tensor *x, const zc_tensor *y, const zc_tensor *z); /* x * y + z, rounded once */

/* weight < 0.5 ? a + weight * (b - a) : b - (1 - weight) * (b - a), each operation rounded. Exact at 0 and 1. */
ZC_API zc_tensor *zc_lerp(const zc_tensor *a, const zc_tensor *b, const zc_tensor *weight);

/* Elementary functions: the same bits on every machine. The largest errors are in docs/operations.md: mostly below one
 * unit in the last place. */
ZC_API zc_tensor *zc_rsqrt(const zc_tensor *x); /* 1 / sqrt(x) */
ZC_API zc_tensor *zc_cbrt(const zc_tensor *x);
ZC_API zc_tensor *zc_hypot(const zc_tensor *a, const zc_tensor *b); /* sqrt(a^2 + b^2), without overflow on the way */
ZC_API zc_tensor *zc_exp(const zc_tensor *x);
ZC_API zc_tensor *zc_exp2(const zc_tensor *x);
ZC_API zc_tensor *zc_expm1(const zc_tensor *x); /* exp(x) - 1 */
ZC_API zc_tensor *zc_log(const zc_tensor *x);
ZC_API zc_tensor *zc_log2(const zc_tensor *x);
ZC_API zc_tensor *zc_log10(const zc_tensor *x);
ZC_API zc_tensor *zc_log1p(const zc_tensor *x);                         /* log(1 + x) */
ZC_API zc_tensor *zc_logaddexp(const zc_tensor *a, const zc_tensor *b); /* log(exp(a) + exp(b)) */

/* Angles in radians, of any size. */
ZC_API zc_tensor *zc_sin(const zc_tensor *x);
ZC_API zc_tensor *zc_cos(const zc_tensor *x);
ZC_API zc_tensor *zc_tan(const zc_tensor *x);
ZC_API zc_tensor *zc_asin(const zc_tensor *x);
ZC_API zc_tensor *zc_acos(const zc_tensor *x);
ZC_API zc_tensor *zc_atan(const zc_tensor *x);
ZC_API zc_tensor *zc_atan2(const zc_tensor *y, const zc_tensor *x); /* the angle of the point (x, y), -pi to pi */
ZC_API zc_tensor *zc_sinh(const zc_tensor *x);
ZC_API zc_tensor *zc_cosh(const zc_tensor *x);
ZC_API zc_tensor *zc_tanh(const zc_tensor *x);
ZC_API zc_tensor *zc_asinh(const zc_tensor *x);
ZC_API zc_tensor *zc_acosh(const zc_tensor *x);
ZC_API zc_tensor *zc_atanh(const zc_tensor *x);

/* Functions of neural networks and statistics. At infinities they are their limits. */
ZC_API zc_tensor *zc_erf(const zc_tensor *x);
ZC_API zc_tensor *zc_gelu(const zc_tensor *x);      /* x / 2 * (1 + erf(x / sqrt(2))) */
ZC_API zc_tensor *zc_gelu_tanh(const zc_tensor *x); /* x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))) */
ZC_API zc_tensor *zc_sigmoid(const zc_tensor *x);   /* 1 / (1 + exp(-x)) */
ZC_API zc_tensor *zc_silu(const zc_tensor *x);      /* x * sigmoid(x) */
ZC_API zc_tensor *zc_softplus(const zc_tensor *x);  /* log(1 + exp(x)) */

/* Complex numbers and their parts. A part of data that exists is a view of it: no data memory, nothing computed; of
 * what is still to be computed it is recorded. x of a real dtype is its own real part and conjugate, and its imaginary
 * part is 0 in its dtype (as NumPy's). zc_complex promotes: of float32 and 16-bit floats come complex64, else
 * complex128. Sources: array API, real, imag, conj; NumPy, angle; JAX, lax.complex. */
ZC_API zc_tensor *zc_real(const zc_tensor *x);
ZC_API zc_tensor *zc_imag(const zc_tensor *x);
ZC_API zc_tensor *zc_conj(const zc_tensor *x);
ZC_API zc_tensor *zc_complex(const zc_tensor *real, const zc_tensor *imag);
ZC_API zc_tensor *zc_angle(const zc_tensor *x); /* of complex x from -pi to pi; of real x 0, or pi left of 0 */

/* Comparisons: bool out. Integers of different signedness are compared by value, uint64 with int64 too. */
ZC_API zc_tensor *zc_equal(const zc_tensor *a, const zc_tensor *b);
ZC_API zc_tensor *zc_not_equal(const zc_tensor *a, const zc_tensor *b);
ZC_API zc_tensor *zc_less(const zc_tensor *a, const zc_tensor *b);
ZC_API zc_tensor *zc_less_equal(const zc_tensor *a, const zc_tensor *b);
ZC_API zc_tensor *zc_greater(const zc_tensor *a, const zc_tensor *b);
ZC_API zc_tensor *zc_greater_equal(const zc_tensor *a, const zc_tensor *b);

/* Logic on truth values (not zero): bool out. */
ZC_API zc_tensor *zc_logical_and(const zc_tensor *a, const zc_tensor *b);
ZC_API zc_tensor *zc_logical_or(const zc_tensor *a, const zc_tensor *b);
ZC_API zc_tensor *zc_logical_xor(const zc_tensor *a, const zc_tensor *b);
ZC_API zc_tensor *zc_logical_not(const zc_tensor *x);

/* Bits of integers and bool; shifts by the width or more, or by a negative count, give 0 (the sign for a right shift of
 * a signed). */
ZC_API zc_tensor *zc_bitwise_and(const zc_tensor *a, const zc_tensor *b);
ZC_API zc_tensor *zc_bitwise_or(const zc_tensor *a, const zc_tensor *b);
ZC_API zc_tensor *zc_bitwise_xor(const zc_tensor *a, const zc_tensor *b);
ZC_API zc_tensor *zc_bitwise_invert(const zc_tensor *x);
ZC_API zc_tensor *zc_bitwise_left_shift(const zc_tensor *a, const zc_tensor *b);
ZC_API zc_tensor *zc_bitwise_right_shift(const zc_tensor *a, const zc_tensor *b);

/* The dtype in which `count` tensors meet, by the array API's promotion table. Weak constants alone meet in the default
 * dtype of their kind. Errors: no tensors; a weak integer that does not fit (ZC_ERROR_OVERFLOW). Source: array API,
 * result_type. */
ZC_API zc_status zc_result_type(int count, const zc_tensor *const *tensors, zc_dtype *dtype);

/* a where condition is true, else b; condition is bool. */
ZC_API zc_tensor *zc_where(const zc_tensor *condition, const zc_tensor *a, const zc_tensor *b);

typedef enum zc_xla_op {
    ZC_XLA_ADD = 0, /* bool: or */
    ZC_XLA_SUB = 1,
    ZC_XLA_MUL = 2, /* bool: and */
    ZC_XLA_DIV = 3, /* integers truncate; by zero: 0 */
    ZC_XLA_REM = 4, /* sign of a; integers by zero: 0 */
    ZC_XLA_MAX = 5,
    ZC_XLA_MIN = 6,
    ZC_XLA_POW = 7,
    ZC_XLA_AND = 8, /* of bits, and of bool; or and xor too */
    ZC_XLA_OR = 9,
    ZC_XLA_XOR = 10,
    ZC_XLA_EQ = 11, /* from here on bool out */
    ZC_XLA_NE = 12,
    ZC_XLA_GE = 13,
    ZC_XLA_GT = 14,
    ZC_XLA_LE = 15,
    ZC_XLA_LT = 16,
    ZC_XLA_ATAN2 = 17 /* floats only; the angle of the point (b, a) */
} ZC_ENUM zc_xla_op;

/* XLA's binary operations with broadcast_dimensions. One element type (a weak constant takes the other's). Operands of
 * one rank need no dims, or the identity. Else axis d of the operand of lower rank is axis dims[d] of the other; only a
 * scalar needs none. Then an axis of size 1 of either side is repeated. The operands keep their order.
 *   [[1, 2, 3], [4, 5, 6]] + [7, 8, 9] by {1} is [[8, 10, 12], [11, 13, 15]]; (3, 3) and (3) by {0} or {1}; (4) and (1,
 * 2) by {0} give (4, 2); (1, 2) and (4, 3, 1) by {1, 2} give (4, 3, 2); (2, 3) and (3) without dims is an error.
 * Errors, in this order: element types; dims not the identity, or: no dims, their count, then for each a bound, sizes
 * that differ, the order; sizes that differ. Source: XLA, xla/service/shape_inference.cc, InferBinaryOp. */
ZC_API zc_tensor *zc_xla_binary(zc_xla_op op, const zc_tensor *a, const zc_tensor *b, int count, const int *dims);

/* Converts. Complex numbers become complex or bool, nothing else (ZC_ERROR_DTYPE): take zc_real, zc_imag or zc_abs
 * first. Float to integer truncates, saturates at the ends, NaN gives 0; integers wrap; to bool: not zero. */
ZC_API zc_tensor *zc_astype(const zc_tensor *x, zc_dtype dtype);

/* t's elements in row-major order, in memory of their own once they are computed: t does not share it. Inside a larger
 * expression the rows that are used are stored before they are used, once, where other operations are fused; a copy of
 * what is read against its order can so be faster. Axes along which elements repeat are stored once. */
ZC_API zc_tensor *zc_copy(const zc_tensor *t);

/* ---- Rearranging: recorded, computed when materialised ------------------------------------------------------- */

/* Tensors one after the other along an axis along which alone their shapes may differ; dtypes promote. Cost now: one
 * node, no data memory. A slice of the result that stays inside one tensor costs what a slice of that tensor costs; in
 * what is seen across a border, every tensor is written once, to its place. Errors: no tensors, shapes, dtypes. Source:
 * array API, concat. */
ZC_API zc_tensor *zc_concat(zc_context *ctx, int count, const zc_tensor *const *tensors, int axis);

/* The same along a new axis, at position `axis` of the result; all shapes are equal. */
ZC_API zc_tensor *zc_stack(zc_context *ctx, int count, const zc_tensor *const *tensors, int axis);

/* Moves the elements along axes[i] by shifts[i]; those that leave at the end come round to the front. A concat of two
 * slices. A negative shift moves to the front. Source: array API, roll. */
ZC_API zc_tensor *zc_roll(const zc_tensor *t, int count, const int64_t *shifts, const int *axes);

/* Elements that zc_pad puts before and after an axis of 1 2 3. */
typedef enum zc_pad_mode {
    ZC_PAD_CONSTANT = 0,  /* v v [1 2 3] v v: the value */
    ZC_PAD_EDGE = 1,      /* 1 1 [1 2 3] 3 3 */
    ZC_PAD_REFLECT = 2,   /* 3 2 [1 2 3] 2 1 */
    ZC_PAD_SYMMETRIC = 3, /* 2 1 [1 2 3] 3 2 */
    ZC_PAD_WRAP = 4       /* 2 3 [1 2 3] 1 2 */
} ZC_ENUM zc_pad_mode;

/* before[a] elements more before axis a and after[a] behind it; rank is t's. A concat of broadcasts and slices, axis by
 * axis; the runs of an axis that is repeated many times are an operand each. value: a scalar, converted to t's dtype,
 * of the constant mode; NULL is 0. Errors: a negative length, an empty axis that is to be repeated, ZC_ERROR_OVERFLOW.
 * Source: NumPy, pad. */
ZC_API zc_tensor *zc_pad(const zc_tensor *t, int rank, const int64_t *before, const int64_t *after, zc_pad_mode mode,
                         const zc_tensor *value);

/* The whole of t, times[i] times along each of the last `count` axes; t gets axes of size 1 in front where it has
 * fewer. No data memory, also when it is used in an expression: what strides cannot express is read through computed
 * positions. Errors: a negative number; rank ZC_MAX_RANK, unless the axis has size 1; ZC_ERROR_OVERFLOW. Source: array
 * API, tile. */
ZC_API zc_tensor *zc_tile(const zc_tensor *t, int count, const int64_t *times);

/* Each element `times` times, next to each other along the axis. Memory and errors as zc_tile. Source: array API,
 * repeat. */
ZC_API zc_tensor *zc_repeat(const zc_tensor *t, int64_t times, int axis);

/* (..., m, n): the lower triangle, where column - row <= k, and the upper one, where column - row >= k; 0 elsewhere.
 * One pass with what is done to it. Source: array API, tril and triu. */
ZC_API zc_tensor *zc_tril(const zc_tensor *x, int64_t k);
ZC_API zc_tensor *zc_triu(const zc_tensor *x, int64_t k);

/* The elements of t at the positions, integers of any shape, along the axis: result[i..., p..., j...] is
 * t[i..., positions[p...], j...]. Negative positions count from the end. One node; what is taken of a lazy t is all of
 * it that is computed, unless that is a reduction or a concat, which is there first. A position outside the axis is an
 * error (ZC_ERROR_INDEX) when it is read, that is, when something is materialised. Errors now: positions that are no
 * integers, an empty axis (ZC_ERROR_INDEX), too many axes. Source: array API, take. */
ZC_API zc_tensor *zc_take(const zc_tensor *t, const zc_tensor *positions, int axis);

/* The same with a position for every element of the result: result[i..., k, j...] is t[i..., positions[i..., k, j...],
 * j...]. The ranks are equal, the other axes broadcast. Source: array API, take_along_axis. */
ZC_API zc_tensor *zc_take_along_axis(const zc_tensor *t, const zc_tensor *positions, int axis);

/* zc_take along several axes at once: positions[i] along axes[i] (ZC_AXES; ZC_ALL_AXES is every axis), broadcast
 * against each other. Of t (n0, n1, n2) and positions p and q along axes 0 and 1, result[p..., j] is t[p[...], q[...],
 * j]. The axes of the positions stand where the taken ones did when these lie side by side, whatever their order in the
 * list, else in front of the others; no axes give t. One node; errors as zc_take's, and an axis that is named twice.
 * Source: NumPy, x[:, p, q] and x[p, :, q]; ONNX, GatherND. */
ZC_API zc_tensor *zc_gather(const zc_tensor *t, int count, const int *axes, const zc_tensor *const *positions);

/* The elements of t numbered in row-major order: int64, of t's shape. Views of it, and what is taken or gathered of it,
 * say where in t something stands. No memory. */
ZC_API zc_tensor *zc_places(const zc_tensor *t);

/* Operation between the element at a place and the value for that place. */
typedef enum zc_update_op {
    ZC_UPDATE_SET = 0,
    ZC_UPDATE_ADD = 1,
    ZC_UPDATE_MULTIPLY = 2,
    ZC_UPDATE_MIN = 3,
    ZC_UPDATE_MAX = 4
} ZC_ENUM zc_update_op;

/* A tensor with t's elements, but for those at `places`, which are changed by the values; t stays as it is. Places are
 * integers of any shape that number t's elements as zc_places does; negative ones count from the end. The values
 * broadcast to their shape. A place that occurs several times is changed by each of its values in row-major order, so
 * that of ZC_UPDATE_SET the last one stays; the bits are the same for any number of threads.
 *
 *     zc_tensor *all = zc_places(x);
 *     zc_update(x, zc_slice(all, 0, 1, 3, 1), values, ZC_UPDATE_SET);            x[1:3] = values
 *     zc_update(x, zc_diagonal(all, 0, 0, 1), one, ZC_UPDATE_ADD);               x[i, i] += 1
 *     zc_update(x, zc_take(all, rows, 0), values, ZC_UPDATE_ADD);                numpy.add.at(x, rows, values)
 *     zc_update(x, zc_gather(all, ZC_AXES(0, 1), list), values, ZC_UPDATE_SET);  x[i, j] = values; ONNX, ScatterND
 *     zc_update(x, zc_take_along_axis(all, at, 1), values, ZC_UPDATE_MAX);       ONNX, ScatterElements
 *
 * A view of t keeps the elements that it was made of. To write "through" a view, make the same view of the places,
 * update t by that, and take the view of the new t; this is how the Python package lets views of an array share its
 * elements:
 *
 *     row = zc_index(x, 0, 2), seen = zc_index(zc_places(x), 0, 2);
 *     x2 = zc_update(x, zc_slice(seen, 0, 1, 3, 1), values, ZC_UPDATE_SET);      row[1:3] = values
 *     row2 = zc_as_strided(x2, 1, zc_shape(seen), zc_strides(seen), zc_offset(seen));   row, of what x is now
 *
 * Views of zc_places are strides, nothing is computed or checked; what is taken or gathered of it is checked along its
 * own axes. Views of these too where strides show them, and any other integers number elements one by one. A place
 * outside is ZC_ERROR_INDEX: at once where it is known, else when something is materialised.
 *
 * The result has t's dtype. Values are converted to it when it is what both promote to, else refused (ZC_ERROR_DTYPE).
 * Minima and maxima of complex numbers are refused, too. 16-bit floats are added and multiplied in float32 and rounded
 * once. Cost: one node; the order costs the threads, but not where places are strides that meet no element twice. What
 * is there of t is copied once, in the pass that makes it. If t is an intermediate result that nothing reads after the
 * update, nothing is copied: it is updated in its memory, and a loop that updates in each step takes the work and
 * memory of what it writes and reads.
 *
 * Gradients: with ZC_UPDATE_SET the value that stayed gains, the others and t's element there do not; with
 * ZC_UPDATE_ADD all do. With ZC_UPDATE_MIN and MAX those that are equal to the result share, t's element among them.
 * With ZC_UPDATE_MULTIPLY each gains the product of the others, which is divided out where several values are for one
 * place. Source: JAX, x.at[...]; NumPy, ufunc.at. */
ZC_API zc_tensor *zc_update(const zc_tensor *t, const zc_tensor *places, const zc_tensor *values, zc_update_op op);

/* Puts zc_update(*t, places, values, ZC_UPDATE_SET) in the place of *t, for loops that write a few elements a step:
 *
 *     for (int64_t i = 1; i < n; i++)
 *         zc_assign(&x, zc_index(places, 0, i), next(x, i));                     x[i] = next(x, i)
 *
 * *t is a reference of the caller's own (not an open scope's), and so is what takes its place; on failure it stays.
 * Where no other tensor or expression reads t's elements, these are in memory and the values are known, a few are
 * written there at once (up to half of the elements and 8 MiB at places by strides, up to 4,096 elements at others or
 * where values are computed of a few that are in memory): nothing is recorded, and *t stays the same tensor, whose
 * zc_data() shows the new elements. Else the update is recorded. Nobody sees a difference but in time: what was made of
 * t before keeps the elements of then. A gradient of *t by the values, or by a tensor that these or *t were computed
 * from, is then refused (ZC_ERROR_ARGUMENT in zc_vjp), unless it is a zc_variable(): what is made of one is recorded,
 * and passes gradients. Errors: zc_update's, and ZC_ERROR_ARGUMENT where an argument is NULL. Cost: that of the
 * elements written, or one node. */
ZC_API zc_status zc_assign(zc_tensor **t, const zc_tensor *places, const zc_tensor *values);

/* As zc_assign(), where elements or rows that were read of *t are held: they get memory of their own, so that *t is
 * written at once all the same:
 *
 *     zc_tensor *held[] = {zc_keep(zc_index(x, 0, i)), zc_keep(zc_index(x, 0, j))};
 *     zc_assign_keeping(&x, zc_index(places, 0, i), held[1], 2, held);                 x[i] = x[j]
 *     zc_assign_keeping(&x, zc_index(places, 0, j), held[0], 2, held);                 x[j] = what x[i] was
 *
 * held: [count], in the order in which they were read (a gradient of a later one by an earlier one is refused),
 * references of the caller's own, of which there is no other, or NULL; the values may be one of them. Up to 16 that are
 * views of up to 4,096 elements in *t's memory, such as rows, are replaced by tensors of the same shape and elements,
 * if *t is written at once; else they stay as they are. A gradient by one that was replaced, which would have to pass
 * through *t, is refused. Errors: zc_assign()'s, and ZC_ERROR_ARGUMENT where held is NULL and count is not 0. Cost:
 * zc_assign()'s, some bytes and a copy for each. */
ZC_API zc_status zc_assign_keeping(zc_tensor **t, const zc_tensor *places, const zc_tensor *values, int count,
                                   zc_tensor **held);

/* Puts copies in the place of elements that were read of a tensor before it was computed as t, and would keep all that
 * it was computed from, so that zc_assign_keeping() writes t at once: copies[i] for *held[i], of one element, as
 * zc_materialize_all() gives them of zc_copy(*held[i]) beside t. held: [count], addresses of references as for
 * zc_assign_keeping(), up to 16, or NULL; a copy that takes a place gets another reference. Elements of a dtype that
 * has gradients stay where other handles or expressions lead to what they were read of, as a gradient of these by them
 * passes; one of t by what is replaced is refused. Returns the number of those that were replaced. Cost: none. */
ZC_API int zc_replace_held(const zc_tensor *t, int count, zc_tensor **const *held, zc_tensor *const *copies);

/* ---- Reductions: recorded, computed when materialised ------------------------------------------------------- */

/* Over the given axes (ZC_AXES, ZC_ALL_AXES); they disappear, or stay with size 1 when keepdims. An axis along which
 * the operand is a broadcast is not walked: sum multiplies by its length, prod raises to it, the others ignore
 * it. The summation order is a fixed tree over the logical index: the same bits for any thread count and executor.
 * Sums, products and means of float16 and bfloat16 are accumulated in float32 and rounded in the end.
 * Errors: ZC_ERROR_AXIS for axes out of range, ZC_ERROR_ARGUMENT for those named twice. */

ZC_API zc_tensor *zc_sum(const zc_tensor *x, int count, const int *axes, bool keepdims);  /* bool, ints: int64 */
ZC_API zc_tensor *zc_prod(const zc_tensor *x, int count, const int *axes, bool keepdims); /* unsigned: uint64 */
ZC_API zc_tensor *zc_mean(const zc_tensor *x, int count, const int *axes,
                          bool keepdims);                                                /* ints: float64; empty: NaN */
ZC_API zc_tensor *zc_max(const zc_tensor *x, int count, const int *axes, bool keepdims); /* empty: an error */
ZC_API zc_tensor *zc_min(const zc_tensor *x, int count, const int *axes, bool keepdims); /* empty: an error */
ZC_API zc_tensor *zc_any(const zc_tensor *x, int count, const int *axes, bool keepdims);
ZC_API zc_tensor *zc_all(const zc_tensor *x, int count, const int *axes, bool keepdims);

/* int64: the index of the first largest (smallest) element along the axes, row-major over them when there are
 * several; the first NaN counts as the extreme. Errors: as max, and empty axes. */
ZC_API zc_tensor *zc_argmax(const zc_tensor *x, int count, const int *axes, bool keepdims);
ZC_API zc_tensor *zc_argmin(const zc_tensor *x, int count, const int *axes, bool keepdims);

/* Made of reductions; integers and bool are taken as float64, and of complex numbers var, std and norms are real. Axes
 * and keepdims as above. */

/* The mean squared distance from the mean, over (elements - correction); std is its square root. Two passes. No
 * elements left to divide by: NaN or infinite. Errors: a correction that is NaN. Source: array API, var and std. */
ZC_API zc_tensor *zc_var(const zc_tensor *x, int count, const int *axes, double correction, bool keepdims);
ZC_API zc_tensor *zc_std(const zc_tensor *x, int count, const int *axes, double correction, bool keepdims);

/* int64: how many elements are not zero. */
ZC_API zc_tensor *zc_count_nonzero(const zc_tensor *x, int count, const int *axes, bool keepdims);

/* bool, of x's shape: whether each element equals one of values, which may have any shape; NaN equals nothing. Work:
 * from 32 values on a table of them, 1 MiB at most per thread. Cost: linear in both; complex numbers are compared with
 * every value. Source: NumPy, isin. */
ZC_API zc_tensor *zc_isin(const zc_tensor *x, const zc_tensor *values);

/* sum(abs(x)**order)**(1/order); order 2 is the length, infinity the largest size, -infinity the smallest, 0 how many
 * are not zero. Errors: an order that is NaN; for an infinite one, empty axes. Source: array API, linalg.vector_norm.
 */
ZC_API zc_tensor *zc_vector_norm(const zc_tensor *x, int count, const int *axes, bool keepdims, double order);

/* log(sum(exp(x))) without overflow, in one pass. float64 of bool and integers, else x's dtype; complex numbers are
 * refused. Empty axes: -infinity. Source: SciPy, special.logsumexp. */
ZC_API zc_tensor *zc_logsumexp(const zc_tensor *x, int count, const int *axes, bool keepdims);

/* exp(x) / sum(exp(x)) along an axis, and its logarithm, without overflow. */
ZC_API zc_tensor *zc_softmax(const zc_tensor *x, int axis);
ZC_API zc_tensor *zc_log_softmax(const zc_tensor *x, int axis);

/* The mean of values, weighted by the softmax of scores along an axis, as attention takes it:
 * matmul(moveaxis(softmax(scores, axis), axis, -1), values), but sums of products are divided instead of weights.
 * values has any dtype, and a length of the axis along its last axis but one, or its only axis. The result's dtype is
 * that in which values and the softmax meet. Rows whose scores are all -infinity, or none: NaN. Errors: complex scores,
 * those of matmul. Cost: scores are read twice; where they are computed, and only read here, a block of their rows is
 * in memory. Source: FlashAttention. */
ZC_API zc_tensor *zc_softmax_sum(const zc_tensor *scores, const zc_tensor *values, int axis);

/* The sum of a diagonal (see zc_diagonal). Source: array API, linalg.trace. */
ZC_API zc_tensor *zc_trace(const zc_tensor *x, int64_t offset, int axis1, int axis2);

/* Each element less the one before it, `times` times over; of bool, whether they differ. Source: array API, diff. */
ZC_API zc_tensor *zc_diff(const zc_tensor *x, int axis, int64_t times);

/* Each element and all before it along an axis, summed or multiplied, one after the other; dtypes as sum and prod. With
 * include_initial the axis begins with 0 or 1 and is one longer. Source: array API, cumulative_sum, cumulative_prod. */
ZC_API zc_tensor *zc_cumulative_sum(const zc_tensor *x, int axis, bool include_initial);
ZC_API zc_tensor *zc_cumulative_prod(const zc_tensor *x, int axis, bool include_initial);

/* ---- Contractions: a product of broadcasts, summed ----------------------------------------------------------- */

/* No operand is expanded in memory: views are packed from where they are, a convolution's sliding windows, too. Of an
 * operand that is computed (weights that are cast and scaled) each element is computed once: it is stored first, or
 * computed where it is packed, when the other operand is no larger, has rows or columns of at most 512 bytes, and
 * nobody else needs the elements (explain tells). Casts of int8 and uint8 in memory to 32 bits, of both operands, are
 * not stored, but made of what is packed, if at all. The result has the dtype of the operands' product; integers wrap
 * in it. The order of summation depends on the number of products alone (docs/numerics.md), so any part of a result has
 * the bits of the whole. Errors: extents that differ, and bool operands but for outer and einsum, where products and
 * sums are "and" and "or". Cost O(m n k) of rows, columns and products. */

/* (..., m, k) by (..., k, n) is (..., m, n); a vector is a row on the left and a column on the right, and its axis
 * goes. Source: array API, matmul. */
ZC_API zc_tensor *zc_matmul(const zc_tensor *a, const zc_tensor *b);

/* sum(conj(a) * b) along one axis, counted from the end of both; the others broadcast. Source: array API, vecdot. */
ZC_API zc_tensor *zc_vecdot(const zc_tensor *a, const zc_tensor *b, int axis);

/* (m) by (n) is (m, n): every product. */
ZC_API zc_tensor *zc_outer(const zc_tensor *a, const zc_tensor *b);

/* Summed over axis axes_a[i] of a and axes_b[i] of b, for every i; the other axes of a, then those of b, are the
 * result's. Source: array API, tensordot. */
ZC_API zc_tensor *zc_tensordot(const zc_tensor *a, const zc_tensor *b, int count, const int *axes_a, const int *axes_b);

/* Einstein's notation, "ij,jk->ik": letters name axes, an ellipsis those that broadcast; what the result does not name
 * is summed over. Without an arrow the result has the letters that occur once, in order. A letter twice in one operand
 * is its diagonal. Two operands are contracted at a time, in the order that takes the fewest multiplications (of more
 * than six operands, the pair that takes the fewest comes next); extents alone decide about it (docs/numerics.md).
 * Source: NumPy, einsum. */
ZC_API zc_tensor *zc_einsum(zc_context *ctx, const char *subscripts, int count, const zc_tensor *const *tensors);

/* ---- Gradients: recorded, computed when materialised --------------------------------------------------------- */

/* The gradients of sum(y * delta) with respect to each x[i], as out[i] of x[i]'s shape and dtype; delta NULL is ones.
 * They are lazy tensors: fused, sliced, and differentiated again like any other. Of a broadcast the gradient is the sum
 * over its axes (nGraph's rule), reduced in the pass that makes it, so nothing of the broadcast's size is held; of any
 * other view it is put where the elements stand. An x that y does not depend on has a gradient of zeros. Where operands
 * of minimum, maximum, min or max are equal they share; integers, and what moves in steps, hand nothing on.
 *
 * Gradients of prod and cumulative_prod multiply the other elements and divide by none, so they are right beside zeros
 * and infinities, of any order, and where the product leaves the range. With B[i] the product of the elements before
 * x[i], A[i] that of the elements after it, both multiplied in order from their end of the line:
 *
 *     prod             delta * (B[i] * A[i]); several reduced axes are one line, in row-major order
 *     cumulative_prod  B[i] * (delta[i] + S[i]), where S[i] = delta[i+1] * x[i+1] + x[i+1] * S[i+1], and 0 at the end
 *
 * They are right as long as these products and sums stay in the range, and are what these formulas give elsewhere; of
 * 16-bit floats they are made in float32. B, A and S take memory, one number per element. Reduced axes along which the
 * elements are known to repeat n times, such as those of a broadcast, are not walked: the gradient is that of the
 * elements without them, times their product to the power of n - 1, whatever n is.
 *
 * Where a formula ends gradients are the limit: logaddexp hands all on to the larger operand where one is infinite, and
 * hypot to the infinite one. Where there is no limit: of equal infinities logaddexp hands on half each, hypot the signs
 * times sqrt(1/2); copysign hands nothing on to the operand with the sign.
 *
 * At a corner the gradient is the subgradient of least size. It is 0 for abs and hypot at the origin, and for a root
 * (sqrt, cbrt, a power between 0 and 1) where it is 0, if what it is taken of is never negative whatever x is: squares,
 * sizes, even powers, exponentials, what maximum, relu or clip keep from below, and sums, products, quotients, concats,
 * pads, takes, updates and choices of such. So have norms at the origin, distances of equal points and std of a
 * constant. The root of any other tensor has an infinite slope at 0. An
 * element that where, clip, relu, minimum, maximum, min or max did not choose, and one that no view shows, gets 0, even
 * where the slope of what it was used for is infinite or NaN: where(x > 0, sqrt(x), 0) has the gradient 0 at 0. Behind
 * a choice that holds for products with infinite or NaN operands, too; behind a view, and in a contraction such as
 * matmul, NaN comes of these.
 *
 * Cost: a few nodes per node between y and x. On failure every out[i] is NULL. Errors: y or x no float, or y made of x
 * by way of complex numbers (ZC_ERROR_DTYPE), an x that is a broadcast, shapes, operands of different contexts, an
 * operation without a gradient (nextafter, bit casts), elements that were computed from x and forgot it (zc_variable).
 * Source: reverse-mode differentiation. */
ZC_API zc_status zc_vjp(const zc_tensor *y, const zc_tensor *delta, int count, const zc_tensor *const *x,
                        zc_tensor **out);

/* x's elements as a variable: a tensor to differentiate by. Functions that compute when they are called
 * (zc_materialize, zc_compact, zc_sort, zc_unique_values, zc_quantile ...) keep how their results came from
 * it, so gradients pass through them as through anything recorded; their operands stay in memory as long as such a
 * result. Each element of x is one of the variable, also where x repeats them.
 *
 * Of other tensors such results forget how they were made, and a gradient that would have to pass there is refused
 * (ZC_ERROR_ARGUMENT in zc_vjp), never cut: y = zc_sum(sorted) of a zc_sort(x) has a gradient by zc_variable(x) alone.
 * A result tells apart twelve buffers in memory that it was computed from. Of more than twelve, and of an x that is
 * still to be computed itself, every result that is younger than x counts as computed from it. What leaves the library
 * (zc_materialize_into, DLPack, files, numbers) leaves gradients.
 *
 * When the last handle on a variable is released, what was computed from it forgets that, so a loop may make each
 * step's variables of the last step's. Of more than 64 variables of a context that have handles at the same time, some
 * keep each other's results from forgetting, and what is computed in another context than the variable's remembers it
 * until it is released itself: a longer loop holds such variables' starting points by zc_stop_gradient().
 * Errors: x is no float (ZC_ERROR_DTYPE). Cost: one node. */
ZC_API zc_tensor *zc_variable(const zc_tensor *x);

/* True when t is a float that was made of a variable with a handle: gradients of t pass to it. */
ZC_API bool zc_varies(const zc_tensor *t);

/* x's elements, held constant: gradients end here, as if they were data. Cost: one node. Source: JAX, stop_gradient. */
ZC_API zc_tensor *zc_stop_gradient(const zc_tensor *x);

/* The gradient of sum(y) with respect to x, for a y that is made of x: what is not, or through zc_stop_gradient()
 * alone, is refused (ZC_ERROR_ARGUMENT), since a program that differentiates by the wrong tensor would go on with
 * zeros. Those zc_vjp() gives; so does zc_grad() where the operations between have no slope, as floor() and casts to
 * integers. */
ZC_API zc_tensor *zc_grad(const zc_tensor *y, const zc_tensor *x);

/* ---- Graphs that travel -------------------------------------------------------------------------------------- */

/* Expressions as bytes and inputs, for another process or another time. */
typedef struct zc_serialized zc_serialized;

/* Writes the expressions of tensors of one context, cut down to the elements that the tensors show: of (x - mean) /
 * deviation under a slice of ten rows, the ten rows of x. Computes nothing. The bytes tell operations, views and
 * constants; what is in memory already are the inputs, each a tensor of one axis that shows, in place, the elements
 * that are used, from the lowest to the highest; where these are less than half of what lies between, a copy of them. A
 * source, in memory or not, is an input of all of its elements, which whoever takes the bytes elsewhere makes anew
 * (zc_source_of). The caller ends *out with zc_serialized_free(). Cost O(nodes), and the copies. Errors: none of the
 * tensors' own. */
ZC_API zc_status zc_serialize(int count, const zc_tensor *const *tensors, zc_serialized **out);

/* Both are valid until s is freed. bytes and inputs may be NULL. Returns the bytes, and how many inputs there are. */
ZC_API const void *zc_serialized_bytes(const zc_serialized *s, size_t *bytes);
ZC_API int zc_serialized_inputs(const zc_serialized *s, const zc_tensor *const **inputs);

ZC_API void zc_serialized_free(zc_serialized *s); /* s may be NULL */

/* Records in ctx what the bytes tell, over those inputs in their order: tensors of one axis, with the dtype and the
 * length of those that were written, whose elements stand in a row in memory. The results have the bits of the
 * tensors that were written. The bytes may come from anybody: what they tell is checked before it is recorded.
 * ZC_ERROR_FORMAT: they tell no graph, or one of a machine with another byte order, or of another version;
 * ZC_ERROR_ARGUMENT: there are not as many inputs or results; ZC_ERROR_BUDGET as in recording. No result is made then.
 */
ZC_API zc_status zc_deserialize(zc_context *ctx, const void *bytes, size_t size, int input_count,
                                const zc_tensor *const *inputs, int count, zc_tensor **out);

/* ---- Expressions in parts ----------------------------------------------------------------------------------- */

/* The tensors with recorded ones replaced: where they are made of nodes[i], they are made of by[i], which has its dtype
 * and its shape, or are it. All are of one context; nodes[i] shows all elements of what was recorded, each once, in any
 * order of axes: a result of a call, also transposed or with axes of one element. Computes nothing: out[0 .. count-1]
 * are recorded anew as far as something below is replaced. The recorded rounding stays: axes along which nodes[i] does
 * not change (docs/numerics.md) are taken from by[i] at its first element, and no reduction above is by another rule
 * than before. So with by[i] materialised from nodes[i] the results have the bits of the tensors. What was computed and
 * has its elements stays as it is, unless it is among the nodes. Gradients of the results pass to what they are made of
 * now. On failure all of out are NULL. Cost O(nodes). Errors: a dtype or shape that differs
 * (ZC_ERROR_DTYPE, ZC_ERROR_SHAPE); nodes[i] that repeats or leaves out elements (ZC_ERROR_ARGUMENT). */
ZC_API zc_status zc_substitute(int count, const zc_tensor *const *tensors, int n, const zc_tensor *const *nodes,
                               const zc_tensor *const *by, zc_tensor **out);

/* A reduction can be made in parts, by several processes, with the bits that it has in one: the elements of a result
 * are numbered in row-major order of the axes that are walked, and ranges of these numbers become states, which are
 * joined in the order of the numerics contract. r is the result of zc_sum, zc_prod, zc_mean, zc_max, zc_min, zc_any,
 * zc_all, zc_argmax, zc_argmin, zc_logsumexp, of one contraction (zc_matmul, zc_vecdot, zc_tensordot), or the values
 * or places of zc_top_k(), and has not been computed; views and conversions of it will do. *numbers: how many there
 * are, 0 of an empty reduction. *step: a range begins at a multiple of it: 1,024 of floats that are added or
 * multiplied and of the extremes of floats, 4,096 of contractions of floats, 1 of all others. Errors: r is no such
 * reduction (ZC_ERROR_ARGUMENT). */
ZC_API zc_status zc_part_numbers(const zc_tensor *r, int64_t *numbers, int64_t *step);

/* The most tensors that zc_part() gives, and zc_join_parts(). */
#define ZC_MOST_STATES 128

/* The states of the numbers first .. first+count-1 of every element of r: count is a multiple of the step, or ends
 * with the last number. Computes nothing. Each state is a tensor to be materialised, in the dtype in which r is
 * accumulated: not divided, not rounded, not times the elements of axes along which nothing changes. Of the shape of
 * r (where no strides lead through the view that r is, of the reduction): one for each largest power of two of steps
 * that begins at a multiple of itself, so 2^k steps from a multiple of 2^k on are one, also the last ones, which may
 * be fewer, and of integers and truths there is one of any range. Of zc_logsumexp a complex number: the largest
 * element, and the sum of exponentials. Of argmax and argmin two: the extreme, and its int64 number. Of zc_top_k()
 * two, values and places along its axis, which is the last one there, of k elements or as many as the range has. *n:
 * how many there are in out, 1 or more. Errors: a range that is empty, or begins or ends elsewhere
 * (ZC_ERROR_ARGUMENT). Cost O(1) nodes a state. Where several axes are walked, and a state is no whole rows, an
 * operand without strides for that is stored over these numbers. */
ZC_API zc_status zc_part(const zc_tensor *r, int64_t first, int64_t count, int *n, zc_tensor *out[ZC_MOST_STATES]);

/* The result r from the states of ranges that cover all numbers: range i is begin[i] .. begin[i+1]-1, and `states` are
 * those that zc_part() gave of range 0, then of range 1, and so on, n together; of another context, or computed, too.
 * The result has the dtype, shape and bits of r. Of no numbers there are no ranges. Nothing is computed. A state with a
 * wrong number is not found out; NULL where there are more or fewer than the ranges have, or one has another dtype or
 * shape. */
ZC_API zc_tensor *zc_join(const zc_tensor *r, int ranges, const int64_t *begin, int n, const zc_tensor *const *states);

/* The states of the range that those ranges make together, which need not be all: *count of them in out. So many ranges
 * are joined in several steps. Errors: as zc_part() and zc_join(). */
ZC_API zc_status zc_join_parts(const zc_tensor *r, int ranges, const int64_t *begin, int n,
                               const zc_tensor *const *states, int *count, zc_tensor *out[ZC_MOST_STATES]);

/* An expression divided into pieces, which processes compute on their own: a piece is a number, and is made of the
 * results of pieces with lower numbers. The results have the bits that they have in one piece, however they are
 * divided. */
typedef struct zc_division zc_division;

typedef struct zc_division_options {
    const int64_t *const
        *chunks;   /* [count]: of each tensor the extents of its blocks, [rank], of which the last along an axis
                      is shorter; NULL, or NULL of one: along the first axis, as limit says. 0 is the extent. */
    int64_t limit; /* data memory of a piece; 0: 256 MiB. Blocks and ranges are chosen by it: no piece is
                      refused that takes more. */
} zc_division_options;

typedef enum zc_piece_kind {
    ZC_PIECE_BLOCK = 0, /* a window of a tensor */
    ZC_PIECE_RANGE = 1, /* states of a range of the numbers of a reduction (zc_part) */
    ZC_PIECE_JOIN = 2,  /* states of several ranges joined, or, the last one, the reduction (zc_join) */
    ZC_PIECE_NODE = 3   /* all of what other pieces need */
} ZC_ENUM zc_piece_kind;

/* The most pieces that a piece needs. */
#define ZC_MOST_NEEDS 32

typedef struct zc_piece {
    zc_piece_kind kind;
    int32_t of;   /* of a block: which tensor; else: which shared node, from 0 */
    int32_t rank; /* of a block the axes of first and count; of a range and a join 1: numbers; of a node 0 */
    int64_t first[ZC_MAX_RANK];
    int64_t count[ZC_MAX_RANK];
    int32_t need_count;
    int64_t needs[ZC_MOST_NEEDS]; /* lower than its own number */
    int32_t outputs;              /* tensors that it gives */
    int64_t bytes;                /* of them */
    const char *rule;             /* "block", "part", "shared_price": why there is such a piece */
} zc_piece;

/* Divides tensors of one context; computes nothing. What their blocks need together is computed once: a reduction by
 * ranges ("part"), what is made in no parts as a whole ("shared_price"), where it takes more than a sixteenth of the
 * limit to compute it again. What follows the blocks is computed in them ("block"). So the pieces are a function of
 * the graph and the options alone. It keeps what it needs of the tensors' inputs; later changes to the tensors do not
 * matter. The caller ends *out with zc_division_free(), before the context. options NULL: the default ones. Cost
 * O(nodes) a shared node. Errors: those of zc_serialize() and zc_deserialize(); chunks below 0 (ZC_ERROR_ARGUMENT).
 */
ZC_API zc_status zc_division_make(int count, const zc_tensor *const *tensors, const zc_division_options *options,
                                  zc_division **out);

/* The division as bytes, over inputs as those of zc_serialize(); valid until it is freed. */
ZC_API const void *zc_division_bytes(const zc_division *s, size_t *bytes);
ZC_API int zc_division_inputs(const zc_division *s, const zc_tensor *const **inputs);

/* The same division in another context or process. The bytes may come from anybody, as those of zc_deserialize(). */
ZC_API zc_status zc_division_restore(zc_context *ctx, const void *bytes, size_t size, int input_count,
                                     const zc_tensor *const *inputs, zc_division **out);

/* Tells the number of pieces, and what piece i is. */
ZC_API int64_t zc_division_count(const zc_division *s);
ZC_API zc_status zc_division_piece(const zc_division *s, int64_t i, zc_piece *piece);

/* Records what piece i gives, in the context of s: outputs tensors in out, to be materialised. inputs: all outputs of
 * the pieces that it needs, in their order; of any context, or computed. A block has the shape of its window. Errors:
 * other inputs than those (ZC_ERROR_ARGUMENT, ZC_ERROR_DTYPE, ZC_ERROR_SHAPE). Cost O(nodes). */
ZC_API zc_status zc_division_record(const zc_division *s, int64_t i, int n, const zc_tensor *const *inputs,
                                    zc_tensor *out[2]);

ZC_API void zc_division_free(zc_division *s); /* s may be NULL */

/* ---- Materialising: the calls that compute ------------------------------------------------------------------ */

/* Every call below plans first. A plan whose data memory would exceed the limit of the context is refused with
 * ZC_ERROR_BUDGET before the first byte is allocated. On any failure *out is NULL and t is as it was.
 *
 * Calls that end in _all take several tensors of one context, any of which may be views of others, made of others, in
 * memory already, empty, or in the list twice. They are one plan and one run: what they have in common is computed
 * once. A count of 0 does nothing (of zc_explain_all it is an error).
 *
 * What is read by rows: stages of a plan that read each other row by row (a matrix of distances and the least of each
 * of its rows; scores, their softmax and its product with values) run in turns for a block of rows, and what only they
 * read is in memory a block of 1 to 8 MiB at a time, where it would take 2 MiB or more. Reductions and contractions
 * along the rows themselves (a loss over all pairs, the least of each column, a gradient in the columns' points) take
 * one block after the other. Where rows are needed once more beside a result of all of them (a standard deviation),
 * they are computed again instead of stored if they take 64 MiB or more, as long as that at most doubles the work. That
 * changes no bit of any result. ZEROCAST_GROUPS=0 in the environment when a context is made turns it off; another
 * number makes blocks of that many rows wherever it is possible: both are for bug reports.
 *
 * What is kept: loops read numbers of what they compute, so nodes are needed by many calls. A call charges each node
 * that it computes with the part of its elements that were computed, and with the time that planning takes; the call
 * that would bring that over the whole stores all of the node, the highest of nodes above each other. So a node is
 * computed two or three times, however many numbers are read, and a step of a loop costs as much as a few steps of an
 * eager runtime at most; unless the node takes more than a quarter of the memory that the limit leaves. Elements of a
 * tensor with a handle that are in memory during a call stay there, where that does not raise the call's peak, as do up
 * to 256 KiB of elements that only tensors of as many are made of. An
 * update (ZC_UPDATE_SET, at places that are no computed numbers) of at most half of the elements and 8 MiB writes into
 * the memory of what it updates, where nothing leads to that any more and the memory is the context's own: a loop that
 * writes elements and reads some copies nothing. Contexts that share tensors (zc_adopt) copy instead. What is kept
 * gives way to results, and what can be computed again is dropped before a call is refused. It changes no bit of any
 * result.
 *
 * A node with data forgets what it was made of once that holds more than 8 MiB of data that no handle leads to, or 64
 * other nodes were computed since, or one and that is thousands of nodes; the one computed first forgets first. So what
 * a loop leaves behind is freed. An update that writes into the memory of what it updates forgets at once. What was
 * recorded and is not computed may hold some 8 MiB of such data, or 16,384 nodes, besides; before it holds more, a call
 * computes the earlier of it, too (zc_compute_pending), but nothing that takes more than it holds. A gradient that
 * would have to pass through what forgot is refused (ZC_ERROR_ARGUMENT); to a zc_variable() they always pass.
 * zc_cost.kept_bytes and zc_explain() tell what a call would store, and store nothing; zc_memory.kept_bytes is what is
 * kept now. zc_options.recompute turns all of it off. */

/* A dense row-major tensor with t's elements: what broadcast_to returns in an eager system. What exists densely
 * already is not copied. The work is done once: t's node keeps the data, so t reads it from then on. The result
 * itself has no history, unless t is made of a zc_variable(): releasing t frees the graph behind it. Whether a loop
 * carries on with the result or with t is a matter of taste: either takes time in proportion to its steps, and the
 * memory of a few of them (see "What is kept").
 *
 *     for (int step = 0; step < steps; step++) {
 *         zc_scope *scope = zc_scope_begin(ctx);
 *         zc_tensor *next = NULL;
 *         (void)zc_materialize(update(weights), &next);      // NULL where it failed
 *         zc_release(weights);                               // the step before: its memory goes
 *         weights = zc_keep(next);
 *         zc_scope_end(scope);
 *     } */
ZC_API zc_status zc_materialize(const zc_tensor *t, zc_tensor **out);

/* The same of `count` tensors in one run: a loss with its gradients, a mean with a standard deviation. Takes no more
 * work than one call for each would, but for rows that are made again, and no more memory than an eager runtime, which
 * computes every node once and keeps the results. All of it or nothing: on failure every out[i] is NULL. What is asked
 * for twice is handed out as two handles on one memory.
 *
 *     zc_tensor *wanted[] = {loss, zc_grad(loss, weights)}, *made[2];
 *     if (zc_materialize_all(2, (const zc_tensor *const *)wanted, made) != ZC_OK)          // one forward pass
 *         ...
 */
ZC_API zc_status zc_materialize_all(int count, const zc_tensor *const *tensors, zc_tensor **out);

/* Computes what recorded nodes alone hold much memory for, so that it can be freed: what any call that computes does
 * besides (see "What is kept"), for a loop that computes nothing:
 *
 *     for (int draw = 0; draw < draws; draw++) {
 *         zc_tensor *sample = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(100000), next(), bytes);
 *         zc_tensor *more = zc_add(total, zc_mean(sample, ZC_ALL_AXES, false));     // would hold all samples
 *         zc_release(total);
 *         total = more;
 *         ...
 *         (void)zc_compute_pending(ctx);                                            // holds some megabytes of them
 *     }
 *
 * Looks at nodes that were recorded on large tensors, that sum many elements into few, or that end long chains: when
 * these, and those before them, hold more than 8 MiB of data that no handle leads to and of nodes, the earlier ones are
 * computed and stored, and so are ends of chains of thousands once the context has 16,384 nodes. None is that takes
 * more memory than it holds, unless it is one element, or that is made of a zc_variable(). A gradient that would have
 * to pass through what was computed so is refused when that has forgotten its operands. Costs some nanoseconds where
 * little was recorded or taken in since the last time, and does nothing under zc_options.recompute. Errors: those of
 * zc_materialize(), of the first node that fails: it fails again when it is asked for. The next call computes the
 * others; after a lack of memory or a request to stop, once more was recorded. ZC_ERROR_ARGUMENT for NULL. */
ZC_API zc_status zc_compute_pending(zc_context *ctx);

/* Like zc_materialize, but elements that differ only along broadcast axes are computed and stored once; the result
 * is a view with stride 0 there. Of what is made of a variable, only axes that t itself repeats count as such: elements
 * that are equal for another reason have gradients of their own. */
ZC_API zc_status zc_compact(const zc_tensor *t, zc_tensor **out);

/* Receives a result in blocks. Each function returns NULL, or a sentence that says why it cannot go on. They are called
 * on the thread of zc_materialize_to(), one after the other; begin and end may be NULL. */
typedef struct zc_sink {
    void *user;
    const char *(*begin)(void *user, zc_dtype dtype, int rank, const int64_t *shape); /* once, before any block */

    /* Takes count[a] indices of each axis a from start[a] on: elements of the dtype, dense and row-major, which stay
     * until it returns. */
    const char *(*write)(void *user, const int64_t *start, const int64_t *count, const void *elements);
    const char *(*end)(void *user, bool is_complete); /* once, if begin was content, also after a failure */

    /* [rank of the tensor]: extents, at least 1, of which blocks have whole multiples along every axis, from multiples
     * on; those at the end of an axis have the rest. Blocks then follow each other in row-major order of chunks. NULL:
     * of elements. */
    const int64_t *chunk;
} zc_sink;

/* Hands t's elements to a sink, in blocks that follow each other in row-major order and are computed one after the
 * other, so that a result may be larger than memory: blocks have a few MiB, fewer under a memory limit. What all blocks
 * read is computed before, if it is little; a tensor that is to be kept, or that takes more work in blocks, is computed
 * as a whole and handed on in the same way. Reports of progress count bytes that were handed on. The sink may use other
 * contexts, and not this one. Errors: those of zc_materialize(), ZC_ERROR_FILE with the sink's sentence,
 * ZC_ERROR_ARGUMENT without a sink or its write, or for a chunk below 1. Memory: of a block and its temporaries. */
ZC_API zc_status zc_materialize_to(const zc_tensor *t, const zc_sink *sink);

/* Writes t's elements into the caller's memory at strides (elements, NULL: row-major) from data + offset elements;
 * [data, data + bytes) is all that may be written, and data is aligned to the element (complex: to its parts). Refused
 * (ZC_ERROR_ARGUMENT) when two elements of the target could share an address. A target that overlaps memory t reads is
 * handled by a staged copy. */
ZC_API zc_status zc_materialize_into(const zc_tensor *t, void *data, size_t bytes, const int64_t *strides,
                                     int64_t offset);

/* Computes t, a tensor of one element and of any rank, and gives its value, converted exactly. *value changes on
 * success alone. Memory: none beside what zc_materialize_into takes. Errors: those of that; another number of elements
 * (ZC_ERROR_SHAPE); a complex element (ZC_ERROR_DTYPE: take zc_real or zc_imag); a value that the type does not hold,
 * as 2^53 + 1 in a double, and 2.5, 2^63 or NaN in an int64 (ZC_ERROR_OVERFLOW). */
ZC_API zc_status zc_item(const zc_tensor *t, double *value);
ZC_API zc_status zc_item_int64(const zc_tensor *t, int64_t *value);

/* Computes t and writes its elements, as zc_astype converts them to dtype, row-major into the caller's memory of
 * `bytes`: exactly t's size times that of an element. Errors: those of zc_astype and zc_materialize_into, and another
 * number of bytes (ZC_ERROR_ARGUMENT). */
ZC_API zc_status zc_copy_to(const zc_tensor *t, zc_dtype dtype, void *buffer, size_t bytes);

/* Computes what is shown of t and gives it as text, as `zerocast eval` and NumPy print arrays, without a newline at the
 * end: 8 digits, and of more than 1,000 elements the first and last three along each long axis. *text is ended by
 * zc_text_free(). Memory: that of the elements shown, and of the text. Errors: those of zc_materialize_into, more than
 * 2^20 elements to show (ZC_ERROR_ARGUMENT), ZC_ERROR_MEMORY. */
ZC_API zc_status zc_text(const zc_tensor *t, char **text);

/* Computes `next`, releases *slot (or NULL) and puts the result there, out of every scope: the step of a loop that goes
 * on with what it made. *slot is the caller's and may be what next was made of. On failure *slot stays. Errors: those
 * of zc_materialize, and no slot (ZC_ERROR_ARGUMENT). */
ZC_API zc_status zc_replace(zc_tensor **slot, const zc_tensor *next);

/* The same of several, which are computed in one run (zc_materialize_all): next[i] goes to *slots[i]. All of them are
 * replaced, or none. */
ZC_API zc_status zc_replace_all(int count, const zc_tensor *const *next, zc_tensor **const *slots);

/* Reads the element of a tensor of one into memory of its dtype's size (any alignment), if it is in memory or a few
 * operations on such elements give it: for loops that read a number a step. False, and nothing is done, where that
 * takes a plan (zc_materialize_into), t has another number of elements, or an argument is NULL. No error is recorded,
 * and a progress function is not called. What is computed is also kept, now and then, so that long chains are not
 * computed again. */
ZC_API bool zc_peek(const zc_tensor *t, void *element);

/* Bytes and work of t's expression, known before anything runs. */
typedef struct zc_cost {
    int64_t logical_bytes; /* size * itemsize: what a materialised copy takes */
    int64_t held_bytes;    /* whole bytes of the distinct buffers that t reaches */
    int64_t written_bytes; /* what zc_materialize would write, intermediate results included */
    int64_t kept_bytes;    /* of these what it would store to compute it no third time (see "What is kept") */
    int64_t peak_bytes;    /* the most data memory zc_materialize would have allocated at one time: results, and what
                              contractions pack their operands into, which takes what a memory limit leaves, and
                              what goes from block to block of rows */
    int64_t plan_bytes;    /* header memory that the plan was made in */
    int64_t work;          /* elements times what is done for each: a load or an index, a store, an operation at its
                              cost */
} zc_cost;

ZC_API zc_status zc_cost_of(const zc_tensor *t, zc_cost *cost);

/* The same of zc_materialize_all: logical_bytes are the sum, and the others those of the one plan. */
ZC_API zc_status zc_cost_of_all(int count, const zc_tensor *const *tensors, zc_cost *cost);

typedef enum zc_format {
    ZC_TEXT = 0,
    ZC_JSON = 1,
    ZC_DOT = 2,  /* Graphviz: dot -Tsvg */
    ZC_BRIEF = 3 /* one line per stage */
} ZC_ENUM zc_format;

/* The plan that zc_materialize would run, as aligned text for people, as one JSON object, or as a graph with stages as
 * clusters and buffers as boxes; the same facts in each. ZC_BRIEF is one line per stage: result, shape, strategy,
 * number and length of blocks, buffers that are read and written, bytes, and why the stage is one.
 *
 * Of the result: dtype, shape, strides, broadcast axes, bytes.
 * Of every buffer: bytes, and the stages that write and last read it. Of every stage: why it is one, its domain, and
 * the reduction with the axes that are reduced by rule; of a contraction how many products each result sums, in how
 * many chains and runs (docs/numerics.md), and the blocks of rows and columns that they are: along rows only the first
 * operand moves, along columns only the second. A sum of products that a function for contractions would make with at
 * most two thirds of the steps has a hint, which names it and how many there are of each: loads, operations and stores
 * per product, counted for blocks of twelve by twelve. What a stage packs into data memory while it runs are bytes of
 * scratch memory, which count at the peak. Bands are parts of a contraction along an axis; each is followed by the same
 * part of the next stage. Stages of a group run in turns for blocks of rows along outer axes, of whatever length; a
 * buffer that they have a block of at a time says so, and one of 2 MiB or more that is whole says why. What goes from
 * block to block where an outer axis is reduced counts at the peak, too. Rows that are made "again" are for what needs
 * a result of all of them. An update in place names the buffer in whose memory its own goes on, with all elements that
 * it does not write; what others read there afterwards is "saved" by a stage before it, and what is "put" into an
 * input's memory is made before. Of every value of a stage:
 *   shape       the domain's, with 1 along the invariant axes
 *   strides     of a load, over the domain, in elements
 *   broadcast   the axes of the domain along which the view that shows it has stride 0 (nGraph's broadcast axes); all
 *               dialects make the same views, so a plan shows strides and no dialect
 *   invariant   the axes along which its elements are equal, since no load under it moves there
 *   logical     bytes when written out over the domain; an eager system takes them
 *   held        bytes of the buffer that a load reads
 *   written     bytes that it writes, which are 0 for all but a stage's result
 *   times       how often its elements are computed in the whole plan: elements computed over elements needed, 1 where
 *               each is computed once; JSON tells both numbers
 *   how         in place, constant, counted, gathered, fused, joined or stored; of a load of an intermediate result,
 * why that is one: reduction, hoisted, shared, not affine Computes nothing. Where the result exists row-major already
 * there is no stage. Of a plan that the context's memory limit refuses, all forms say so in the sentence of that
 * refusal; in JSON "over_limit" has the figures of zc_budget, and null where the plan fits. *text is NUL-terminated,
 * ended by zc_text_free(). Errors: an unknown format, ZC_ERROR_MEMORY, bytes that int64 does not count. */
ZC_API zc_status zc_explain(const zc_tensor *t, zc_format format, char **text);

/* The same of zc_materialize_all: of every result the facts, and the buffer that it is in. JSON has them in the list
 * "results"; of a single result they stand at the top, too. */
ZC_API zc_status zc_explain_all(int count, const zc_tensor *const *tensors, zc_format format, char **text);
ZC_API void zc_text_free(zc_context *ctx, char *text);

/* ---- Expressions: calls written as one text ------------------------------------------------------------------- */

/* Records an expression of the command's language, a subset of Python with the array API's names and operators, and
 * returns its result, the caller's. Names stand for tensors: `names` are theirs, separated by commas, `count` of them,
 * as ZC_NAMED writes both. A weak constant is the number that it was made of; a number takes no handle.
 *
 *     zc_tensor *next = zc_eval(ctx, "c = u[1:-1]; pad(c + 0.1 * (u[:-2] - 2 * c + u[2:]), 1)", ZC_NAMED(u));
 *
 * Statements end with a semicolon or a newline; the value of the last one is the result. NAME = EXPRESSION names a
 * value for the statements that follow. `zerocast help` lists the functions with their parameters; what they mean and
 * refuse is what functions of this header do. Functions that compute when they are called do so here. grad(y, x) takes
 * a name as the tensor that was given for it; one that is assigned in the expression, or a weak constant, becomes a
 * zc_variable().
 * Cost: some microseconds, and one or two more for each name, number and operator of the text, beside what recording
 * takes. The text may be of 64 MiB and nested as deeply as memory lasts.
 * NULL, and the failure recorded, for a syntax error (ZC_ERROR_FORMAT, with its column), names that are not as many as
 * the tensors, not names or the same, tensors of other contexts, several results (ZC_ERROR_ARGUMENT), and what its
 * functions refuse. */
ZC_API zc_tensor *zc_eval(zc_context *ctx, const char *expression, const char *names, int count,
                          const zc_tensor *const *tensors);

/* ---- Sorting, searching, sets: computed when they are called ------------------------------------------------- */

/* Results of these depend on all elements at once, or have a shape that depends on their values, so they can be neither
 * views nor part of a fused pass: like zc_materialize() each computes now. An operand that is to be computed still is
 * materialised first (and kept by its node, as zc_materialize() does); one that exists is read where it stands, at its
 * strides. Sorts and quantiles along an axis compute a large operand in blocks of lines instead, a few MiB each, where
 * that takes no more work and nothing of it is to be kept; under a memory limit in shorter ones, where they must. Then
 * its memory is that of a block. Results are dense and row-major, and remember their operands only where these come
 * from a zc_variable().
 *
 * The order: by value, false below true, -0.0 equal to 0.0, NaN above everything and equal to every other NaN.
 * Descending is the reverse of it, so there NaN comes first. Sorting is always stable: what is equal keeps its order,
 * also when descending. The same result for any number of threads; lines along the axis are shared among them, few
 * long ones in parts. Complex numbers have no order: ZC_ERROR_DTYPE, but of zc_nonzero.
 *
 * Memory, beside the operands and the results: what each call names below, of `item` bytes per element, given back
 * before it returns. Over the context's limit: ZC_ERROR_BUDGET before the first byte, with fewer threads tried before
 * that; a sort along an axis names a window of x whose result would fit. On any failure every result is NULL, and
 * nothing but what the operands' nodes keep stays allocated. Errors, beside those of zc_materialize: as named below; a
 * result without a place to put it. */

/* x's elements in order along an axis; shape and dtype are x's. Work: of a line along the axis, per thread, its size,
 * and twice that unless the axis is the last. Cost: linear in the elements and in their bytes. Source: array API, sort.
 */
ZC_API zc_status zc_sort(const zc_tensor *x, int axis, bool descending, zc_tensor **out);

/* The indices that sort x along an axis: int64, of x's shape; zc_take_along_axis(x, indices, axis) is sorted. Work: of
 * a line along the axis, per thread, 2 * (item + 8) bytes per element, 8 less where the axis is the last. Source: array
 * API, argsort. */
ZC_API zc_status zc_argsort(const zc_tensor *x, int axis, bool descending, zc_tensor **out);

/* The k largest elements along an axis, or smallest, in order, and their int64 indices; of equal ones those that come
 * first. The axis has size k. NaN counts as larger than all numbers. Work: of a line, per thread, 2 * (item + 8) bytes
 * per element, or, where the line has 2048 elements or more and k is less than an eighth of them, for 1024 more than
 * 2 k or k + 64. Cost: linear in the elements. For k from 1 to 128 and lines of several elements both results are
 * recorded instead, like those of other functions, and selected when they are materialized: a computed x is then in
 * memory a few lines at a time. Errors: k below 0 or beyond the axis. Source: array API (2025.12), top_k. */
ZC_API zc_status zc_top_k(const zc_tensor *x, int64_t k, int axis, bool largest, zc_tensor **values,
                          zc_tensor **indices);

/* Finds the places at which the elements of x2 would be inserted into x1, sorted and of one axis, to keep it sorted:
 * int64, of x2's shape; before equal elements or, when `right`, behind them. sorter, when not NULL, holds the indices
 * that put x1 in order (see zc_argsort). Both are taken in their common dtype, and converted into memory where theirs
 * is another. Work: none. Errors: x1 without exactly one axis, a sorter of another length, one that is no integer or
 * that points outside x1. Source: array API, searchsorted. */
ZC_API zc_status zc_searchsorted(const zc_tensor *x1, const zc_tensor *x2, bool right, const zc_tensor *sorter,
                                 zc_tensor **out);

/* The different elements of x, of any shape, in order, as one axis of x's dtype; every NaN is an element of its own,
 * and of 0.0 and -0.0 the first stands for both. With counts: how often each occurs; with inverse_indices, of x's
 * shape: where each element of x is among the values; with indices: where each value occurs first in x in row-major
 * order. All int64. Work: 2 * item bytes per element of x, with either kind of indices 2 * (item + 8). How large the
 * results are is known only after sorting; where they do not fit into the limit then, all of it is given back, and
 * refused. Source: array API, unique_values ... unique_all. */
ZC_API zc_status zc_unique_values(const zc_tensor *x, zc_tensor **values);
ZC_API zc_status zc_unique_counts(const zc_tensor *x, zc_tensor **values, zc_tensor **counts);
ZC_API zc_status zc_unique_inverse(const zc_tensor *x, zc_tensor **values, zc_tensor **inverse_indices);
ZC_API zc_status zc_unique_all(const zc_tensor *x, zc_tensor **values, zc_tensor **indices, zc_tensor **inverse_indices,
                               zc_tensor **counts);

/* Quantiles along the axes, linear between the two nearest elements: of n elements in order the one at q * (n - 1). q
 * is any tensor of numbers from 0 to 1; its axes come first in the result, those of x follow, without the reduced ones
 * unless keepdims. With skip_nan NaNs do not count, else one makes the result NaN, as having no elements does. The
 * dtype is x's, of integers and bool float64. Positions and what lies between elements are float64's, rounded once;
 * infinite elements count by their weight, so between a finite element and an infinite one the result is infinite, and
 * between both infinities NaN. Gradients reach x where the elements were, and q. Work: a block of lines in order, and
 * what zc_sort takes of it. Errors: a q outside 0 ... 1, NaN among them (ZC_ERROR_ARGUMENT). Source: NumPy, quantile
 * and nanquantile by the method "linear". */
ZC_API zc_status zc_quantile(const zc_tensor *x, const zc_tensor *q, int count, const int *axes, bool keepdims,
                             bool skip_nan, zc_tensor **out);

/* zc_quantile at 0.5. Source: NumPy, median and nanmedian. */
ZC_API zc_status zc_median(const zc_tensor *x, int count, const int *axes, bool keepdims, bool skip_nan,
                           zc_tensor **out);

/* Finds the elements that are not zero (a NaN is not): for each axis of x, out[axis] is the int64 index of every such
 * element along it, in row-major order of the elements. out has room for x's rank. Work: a byte per element, unless x
 * is bool and exists. Where the results do not fit into the limit: as above. Errors: a scalar. Source: array API,
 * nonzero. */
ZC_API zc_status zc_nonzero(const zc_tensor *x, zc_tensor **out);

/* ---- Files -------------------------------------------------------------------------------------------------- */

/* Opens a file of any format in the table below, which its first bytes tell, of text its ending; .npy is mapped. An
 * existing path is a file; FORMAT:FILE is of that format, raw:DTYPE:SHAPE:FILE elements alone; FILE:NAME one array of
 * several, or a column of text, behind the last colon that follows an existing file. Errors: ZC_ERROR_FILE,
 * ZC_ERROR_BUDGET, ZC_ERROR_FORMAT (of no format, malformed, truncated; no such name; several arrays and no name).
 */
ZC_API zc_tensor *zc_open(zc_context *ctx, const char *path);

/* Computes t in blocks, as zc_materialize_to() does, and saves it in the format that zc_file_format_of(path) tells:
 * into a temporary in the same folder, synced, then renamed over path, or over what path leads to as a link. A file
 * that is replaced keeps its permissions, and its owner and group as far as the process may give them. On failure path
 * is as it was. What can be refused without computing is refused first. Errors: those of zc_materialize, ZC_ERROR_FILE
 * (also when path is a folder, a device, or a file that nobody may write to), ZC_ERROR_FORMAT when the ending stands
 * for a format that is not written here, ZC_ERROR_DTYPE when the format does not hold the dtype. */
ZC_API zc_status zc_save(const zc_tensor *t, const char *path);

/* Computes `count` tensors in one run, as zc_materialize_all does, and saves tensor i to paths[i]. Only when all files
 * are written in full beside their places are they renamed, one after the other: a failure before that leaves every
 * path as it was. Errors: those of zc_save, and two paths that are one file. */
ZC_API zc_status zc_save_all(int count, const zc_tensor *const *tensors, const char *const *paths);

/* Computes `count` tensors in one run and saves them into one file of a format that holds several arrays, tensor i by
 * the name names[i]. zc_save() names the array of such a file "arr_0" in .npz, as NumPy does, and "data" in
 * .safetensors. Errors: those of zc_save, and ZC_ERROR_ARGUMENT for a format of one array, no tensor, and a name that
 * is empty, twice there, or not UTF-8. */
ZC_API zc_status zc_save_members(int count, const zc_tensor *const *tensors, const char *const *names,
                                 const char *path);

/* Description of a file. */
typedef struct zc_file_info {
    const char *format; /* its name in the table; static memory */
    zc_dtype dtype;
    int rank;
    int64_t shape[ZC_MAX_RANK];
    int version;          /* of the format; 0: it has none */
    bool fortran_order;   /* column-major */
    bool big_endian;      /* not the order of this machine: opening makes a copy */
    int64_t header_bytes; /* where the data begins */
    int64_t data_bytes;
} zc_file_info;

/* Reads and checks what precedes the data only, but all of a text. Same errors as zc_open. */
ZC_API zc_status zc_read_info(zc_context *ctx, const char *path, zc_file_info *info);

/* Takes one array of a file: its name and what zc_read_info tells of it, both of them for the time of the call; info is
 * NULL where zc_open() refuses the array, and says why. Returns false when that is enough. */
typedef bool zc_member_visitor(void *user, const char *name, const zc_file_info *info);

/* Shows `visit` the arrays of a file in the order of the file, of FILE:NAME that one. A file that is one array without
 * a name shows it with the name NULL. Reads what precedes the data; of text, which says nothing of itself, all. Errors:
 * those of zc_open, but a file of many arrays is none, nor one without. */
ZC_API zc_status zc_read_members(zc_context *ctx, const char *path, zc_member_visitor *visit, void *user);

/* Takes one array of a file: its name, for the time of the call, and its elements, which are the visitor's as those of
 * zc_open() are the caller's; NULL where zc_open() refuses the array by its dtype. Returns false when that is enough.
 */
typedef bool zc_array_visitor(void *user, const char *name, zc_tensor *t);

/* Opens the arrays of a file, each as zc_open() does, in the order of the file and reading its directory once. What
 * zc_read_members says of names and of files without holds here, too. Errors: those of zc_open, of the first array that
 * has one; those before it are the visitor's. */
ZC_API zc_status zc_open_members(zc_context *ctx, const char *path, zc_array_visitor *visit, void *user);

/* The table of formats, of which docs/files.md tells. A name is an ending in lower case without its dot, "npy"; NULL
 * for a number outside of the table. Static memory. */
ZC_API int zc_file_format_count(void);
ZC_API const char *zc_file_format_name(int format);

/* The number of the format in which zc_save() writes a file of that name: of FORMAT:FILE, which is FILE, that one
 * (raw:FILE is elements alone). Without an ending, or with one of no format in particular, it is 0; -1 when the ending
 * stands for a format that is not written here, as .xls does, or path is NULL. Only the name is looked at. */
ZC_API int zc_file_format_of(const char *path);

/* ---- Files: NumPy's .npy ------------------------------------------------------------------------------------ */

/* Maps a .npy file (versions 1.0, 2.0, 3.0) and views it in place: no data memory, no read before use; while 16,384
 * files are mapped, others of up to 64 KiB are read, since Linux gives a process 65,530 mappings. Fortran order becomes
 * strides. Big-endian or misaligned data is converted once into a copy of its size. The file must not
 * shrink while it is mapped. Errors: ZC_ERROR_FILE, ZC_ERROR_FORMAT (malformed, pickled, or truncated). */
ZC_API zc_tensor *zc_npy_open(zc_context *ctx, const char *path);

/* Contents of a .npy file's header. */
typedef struct zc_npy_info {
    zc_dtype dtype;
    int rank;
    int64_t shape[ZC_MAX_RANK];
    int version;          /* 1, 2 or 3 */
    bool fortran_order;   /* column-major */
    bool big_endian;      /* not the order of this machine: opening makes a copy */
    int64_t header_bytes; /* where the data begins */
    int64_t data_bytes;
} zc_npy_info;

/* Reads and checks the header only. Same errors as zc_npy_open. */
ZC_API zc_status zc_npy_read_info(zc_context *ctx, const char *path, zc_npy_info *info);

/* Materialises t and writes it as .npy version 1, little-endian, C order: into a temporary in the same folder,
 * synced, then renamed over path. On failure path is as it was. Errors: those of zc_materialize, ZC_ERROR_FILE
 * (also when path is a folder or a device), ZC_ERROR_DTYPE for bfloat16, which NumPy does not have: save it as float32,
 * or its bits as uint16 (zc_bitcast). */
ZC_API zc_status zc_npy_save(const zc_tensor *t, const char *path);

/* ---- Exchange: DLPack, version 1 ---------------------------------------------------------------------------- */

/* DLPack's own structures; include its header, or declare them, to look inside. */
struct DLManagedTensorVersioned;
struct DLManagedTensor;

/* t for another library. A tensor over memory that exists is shown as it stands, strides of 0 and negative ones
 * included, flagged read-only; with `dense`, only when it stands row-major. Anything else is computed into a copy of
 * its own, flagged as copied. Strides are never NULL. The consumer ends *out by its deleter, from any thread, also
 * after the context has gone. Errors: those of zc_materialize_into, ZC_ERROR_BUDGET. */
ZC_API zc_status zc_to_dlpack(const zc_tensor *t, bool dense, struct DLManagedTensorVersioned **out);

/* The same in DLPack's form before version 1, which cannot say "read-only": always a dense copy. */
ZC_API zc_status zc_to_dlpack_legacy(const zc_tensor *t, struct DLManagedTensor **out);

/* Bytes that zc_to_dlpack would copy: 0, or those of the result. */
ZC_API zc_status zc_dlpack_copied_bytes(const zc_tensor *t, bool dense, int64_t *bytes);

/* Another library's tensor, viewed in place. All of its elements must lie in [memory, memory + bytes); memory NULL is
 * the structure's own data pointer. NULL strides are row-major. Takes over the structure: its deleter is called exactly
 * once, when the last tensor over it is gone or before NULL is returned. Errors: another major version, a device
 * that is not the CPU, types zerocast does not have, lanes, elements outside the memory or not aligned. */
ZC_API zc_tensor *zc_from_dlpack(zc_context *ctx, struct DLManagedTensorVersioned *from, const void *memory,
                                 size_t bytes);
ZC_API zc_tensor *zc_from_dlpack_legacy(zc_context *ctx, struct DLManagedTensor *from, const void *memory,
                                        size_t bytes);

#ifdef __cplusplus
}
#endif

#endif /* ZEROCAST_H */
