/*
 * Every piece of memory that planning and preparing take of an arena fails in turn: not only where an arena's block
 * ends, as with an allocator that fails, but each. Whatever happens: ZC_ERROR_MEMORY and its sentence, nothing left
 * allocated, and the same call gets through afterwards.
 *
 * The linker's --wrap puts the functions below in the place of those of the objects under test.
 *
 * Longer than 500 lines because each graph that plans differ by is a function.
 */
#include <string.h>

#include "materialize/plan/plan.h"
#include "materialize/planner/plan_key.h"
#include "runtime/record/scan.h"
#include "tests/materialize/byte_tiles.h"
#include "tests/support/failing.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

/* ---- Arenas that fail ---- */

/* Pieces are taken in line where their arena's block has room. An arena that may fail shows none, so that each is asked
 * for below; its room is kept until then. */
typedef struct room {
    const zc_arena *arena;
    const void *blocks;
    const char *next;
    size_t left;
} room;

enum { MOST_ROOMS = 8 };

static struct faults {
    int calls, fail_at;  /* fail_at 0: none */
    zc_context *cancels; /* whose call is cancelled then, instead */
    room rooms[MOST_ROOMS];
    int next_room;
} faults;

static bool fails(zc_arena *arena)
{
    if (faults.fail_at == 0 || ++faults.calls != faults.fail_at)
        return false;
    if (faults.cancels != NULL) {
        zc_cancel(faults.cancels);
        return false;
    }
    arena->failed = true;
    return true;
}

static void hide_room(zc_arena *arena)
{
    if (faults.fail_at == 0)
        return;
    faults.rooms[faults.next_room++ % MOST_ROOMS] = (room){arena, arena->blocks, arena->next, arena->left};
    arena->left = 0;
}

/* Searches from the newest room: older ones may belong to an arena that had the same address. */
static void show_room(zc_arena *arena)
{
    for (int i = 1; i <= MOST_ROOMS && i <= faults.next_room; i++) {
        const room *r = &faults.rooms[(faults.next_room - i) % MOST_ROOMS];
        if (r->arena == arena && r->blocks == arena->blocks && r->next == arena->next) {
            arena->left = r->left;
            return;
        }
    }
}

void *__real_zc_arena_take_any(zc_arena *arena, size_t count, size_t bytes_each);
void *__wrap_zc_arena_take_any(zc_arena *arena, size_t count, size_t bytes_each);
void *__real_zc_arena_grow(zc_arena *arena, const void *array, size_t used, size_t wanted, size_t bytes_each);
void *__wrap_zc_arena_grow(zc_arena *arena, const void *array, size_t used, size_t wanted, size_t bytes_each);
bool __real_zc_arena_lengthen(zc_arena *arena, void **array, int32_t count, int32_t *length, size_t bytes_each);
bool __wrap_zc_arena_lengthen(zc_arena *arena, void **array, int32_t count, int32_t *length, size_t bytes_each);
void *__real_zc_arena_copy(zc_arena *arena, const void *array, size_t count, size_t bytes_each);
void *__wrap_zc_arena_copy(zc_arena *arena, const void *array, size_t count, size_t bytes_each);
void __real_zc_arena_clear(zc_arena *arena);
void __wrap_zc_arena_clear(zc_arena *arena);

void *__wrap_zc_arena_take_any(zc_arena *arena, size_t count, size_t bytes_each)
{
    if (fails(arena))
        return NULL;
    show_room(arena);
    void *memory = __real_zc_arena_take_any(arena, count, bytes_each);
    hide_room(arena);
    return memory;
}

void *__wrap_zc_arena_grow(zc_arena *arena, const void *array, size_t used, size_t wanted, size_t bytes_each)
{
    if (fails(arena))
        return NULL;
    show_room(arena);
    void *longer = __real_zc_arena_grow(arena, array, used, wanted, bytes_each);
    hide_room(arena);
    return longer;
}

bool __wrap_zc_arena_lengthen(zc_arena *arena, void **array, int32_t count, int32_t *length, size_t bytes_each)
{
    if (fails(arena))
        return false;
    show_room(arena);
    bool done = __real_zc_arena_lengthen(arena, array, count, length, bytes_each);
    hide_room(arena);
    return done;
}

void *__wrap_zc_arena_copy(zc_arena *arena, const void *array, size_t count, size_t bytes_each)
{
    if (fails(arena))
        return NULL;
    show_room(arena);
    void *copy = __real_zc_arena_copy(arena, array, count, bytes_each);
    hide_room(arena);
    return copy;
}

void __wrap_zc_arena_clear(zc_arena *arena)
{
    __real_zc_arena_clear(arena);
    hide_room(arena);
}

/* ---- Graphs: of each kind of stage, and of each way to see an operand ---- */

typedef zc_tensor *graph(zc_context *ctx, const zc_tensor *x); /* x: float32 (12, 12), 0 to 143 */

static zc_tensor *chain(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *t = zc_add(zc_multiply(x, zc_matrix_transpose(x)), zc_weak_int(ctx, 2));
    for (int i = 0; i < 6; i++)
        t = zc_add(zc_abs(t), zc_multiply(t, zc_flip(x, ZC_AXES(0))));
    return zc_where(zc_greater(t, x), t, zc_exp(zc_index(x, 0, 0)));
}

static zc_tensor *hoisted(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *row = zc_tanh(zc_exp(zc_index(x, 0, 0))), *wide = zc_broadcast_to(row, ZC_SHAPE(50, 12, 12));
    zc_tensor *column = zc_exp(zc_expand_dims(zc_sin(zc_iota(ctx, 50)), 1));
    return zc_sum(zc_add(zc_expand_dims(column, 2), zc_multiply(wide, x)), ZC_AXES(0), false);
}

static zc_tensor *reduced(zc_context *ctx, const zc_tensor *x)
{
    (void)ctx;
    zc_tensor *centred = zc_subtract(x, zc_mean(x, ZC_AXES(1), true)),
              *squared = zc_sum(zc_square(centred), ZC_AXES(1), true);
    zc_tensor *window = zc_slice(zc_argmax(zc_multiply(x, centred), ZC_AXES(1), false), 0, 3, 7, 2);
    return zc_add(zc_divide(squared, zc_sqrt(squared)), zc_astype(zc_index(window, 0, 1), ZC_FLOAT32));
}

static zc_tensor *distances(zc_context *ctx, const zc_tensor *x)
{
    (void)ctx;
    zc_tensor *d = zc_square(zc_subtract(zc_expand_dims(x, 1), zc_expand_dims(x, 0)));
    return zc_add(zc_sum(d, ZC_AXES(2), false), zc_astype(zc_matmul(x, x), ZC_FLOAT64));
}

/* Looked up in a table, and reversed along many short axes. */
static zc_tensor *found(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *cube = zc_reshape(zc_copy(zc_slice(x, 0, 0, 8, 1)), ZC_SHAPE(2, 2, 2, 12));
    const int back[] = {3, 2, 1, 0};
    (void)ctx;
    return zc_astype(zc_isin(zc_copy(zc_permute_dims(cube, 4, back)), zc_negative(x)), ZC_FLOAT32);
}

static zc_tensor *joined(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *slab = zc_concat(ctx, 3, (const zc_tensor *const[]){zc_negative(x), x, zc_exp(x)}, 0);
    zc_tensor *padded = zc_pad(zc_roll(slab, 1, (const int64_t[]){5}, (const int[]){1}), 2, (const int64_t[]){1, 2},
                               (const int64_t[]){2, 1}, ZC_PAD_REFLECT, NULL);
    return zc_add(zc_slice(padded, 0, 9, 21, 1), zc_flip(zc_slice(padded, 0, 20, 32, 1), ZC_AXES(1)));
}

static zc_tensor *taken(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *at = zc_remainder(zc_multiply(zc_iota(ctx, 30), zc_weak_int(ctx, 7)), zc_weak_int(ctx, 12));
    zc_tensor *rows = zc_take(zc_exp(x), at, 0), *both = zc_take(zc_take(x, at, 1), zc_take(at, at, 0), 0);
    zc_tensor *along = zc_take_along_axis(x, zc_astype(zc_remainder(x, zc_weak_int(ctx, 12)), ZC_INT64), 1);
    return zc_add(zc_sum(rows, ZC_ALL_AXES, false), zc_add(zc_max(both, ZC_ALL_AXES, false), along));
}

/* Positions along four axes at once, and what is there where elements are put. */
static zc_tensor *placed(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *cube = zc_reshape(zc_exp(x), ZC_SHAPE(3, 4, 3, 4)), *at = zc_iota(ctx, 3), *all = zc_places(cube);
    const zc_tensor *const four[] = {at, zc_take(at, at, 0), zc_negative(at), at};
    zc_tensor *some = zc_gather(cube, ZC_ALL_AXES, four), *there = zc_gather(all, ZC_AXES(0, 2), four);
    zc_tensor *set = zc_update(cube, zc_slice(all, 1, 0, 3, 2), zc_weak_float(ctx, 2), ZC_UPDATE_SET);
    zc_tensor *updated = zc_update(zc_sin(set), there, zc_reshape(some, ZC_SHAPE(3, 1, 1)), ZC_UPDATE_MAX);
    return zc_flip(zc_update(updated, zc_remainder(all, zc_weak_int(ctx, 7)), cube, ZC_UPDATE_ADD), ZC_AXES(2));
}

/* Splits of axes, repetitions read at computed positions, and what has to be made first. */
static zc_tensor *reshaped(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *flat = zc_reshape(zc_add(x, zc_matrix_transpose(x)), ZC_SHAPE(144));
    zc_tensor *crossed =
        zc_add(zc_tile(zc_exp(flat), 1, (const int64_t[]){35}), zc_tile(zc_iota(ctx, 35), 1, (const int64_t[]){144}));
    zc_tensor *sums = zc_sum(zc_reshape(crossed, ZC_SHAPE(144, 35)), ZC_AXES(1), false);
    zc_tensor *back = zc_reshape(zc_repeat(zc_negative(zc_permute_dims(x, ZC_AXES(1, 0))), 3, 0), ZC_SHAPE(3, 144));
    return zc_add(zc_add(sums, flat), zc_argmin(back, ZC_AXES(0), false));
}

static zc_tensor *ordered(zc_context *ctx, const zc_tensor *x)
{
    (void)ctx;
    zc_tensor *sums = zc_cumulative_sum(zc_exp(zc_negative(x)), 1, false), *down = zc_cumulative_prod(x, 0, true);
    zc_tensor *row = zc_cumulative_sum(zc_broadcast_to(zc_index(x, 0, 2), ZC_SHAPE(12, 12)), 1, false);
    return zc_add(zc_add(sums, zc_flip(zc_slice(down, 0, 1, ZC_NONE, 1), ZC_AXES(0))), row);
}

static zc_tensor *scattered(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *windows = zc_square(zc_sliding_window_view(x, 1, (const int64_t[]){3}, ZC_AXES(1)));
    zc_tensor *at = zc_remainder(zc_multiply(zc_iota(ctx, 9), zc_weak_int(ctx, 5)), zc_weak_int(ctx, 12));
    zc_tensor *picked = zc_square(zc_take(x, at, 1));
    return zc_add(zc_grad(windows, x), zc_grad(picked, x));
}

/* The same part of a node under two views, where the first keeps less of it than the second needs. */
static zc_tensor *expanded(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *row = zc_exp(zc_index(x, 0, 1)), *wide = zc_tanh(zc_broadcast_to(row, ZC_SHAPE(12, 12)));
    zc_tensor *flat = zc_reshape(wide, ZC_SHAPE(144)), *other = zc_reshape(zc_matrix_transpose(wide), ZC_SHAPE(144));
    return zc_add(zc_add(flat, other), zc_reshape(zc_full(ctx, ZC_SHAPE(12, 12), ZC_FLOAT32, 1), ZC_SHAPE(144)));
}

/* Steps across the rows of a repetition, seen twice. */
static zc_tensor *spread(zc_context *ctx, const zc_tensor *x)
{
    (void)ctx;
    zc_tensor *wide = zc_square(zc_broadcast_to(zc_index(x, 0, 3), ZC_SHAPE(12, 12)));
    zc_tensor *flat = zc_reshape(wide, ZC_SHAPE(144));
    return zc_add(zc_slice(flat, 0, 0, 140, 5), zc_slice(flat, 0, 1, 140, 5));
}

/* Runs of what is there, and sums that are stored beside them. */
static zc_tensor *laid(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *sums = zc_sum(zc_exp(x), ZC_AXES(1), true), *running = zc_cumulative_sum(x, 1, false);
    return zc_concat(ctx, 4, (const zc_tensor *const[]){x, zc_slice(x, 1, 1, 4, 1), sums, running}, 1);
}

/* Joins pieces whose mask is computed from numbers and seen by many stages. */
static zc_tensor *counted(zc_context *ctx, const zc_tensor *x)
{
    enum { PIECES = 24 };
    const zc_tensor *parts[PIECES];
    zc_tensor *n = zc_iota(ctx, 4), *mask = zc_less(n, zc_weak_int(ctx, 2));
    for (int i = 0; i < PIECES; i++)
        parts[i] = zc_where(mask, zc_sqrt(zc_add(n, zc_weak_float(ctx, i))), zc_slice(zc_index(x, 0, 0), 0, 0, 4, 1));
    return zc_concat(ctx, PIECES, parts, 0);
}

/* Positions of what does not move along them, and indices that are moved by them. */
static zc_tensor *checked(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *at = zc_remainder(zc_multiply(zc_iota(ctx, 12), zc_weak_int(ctx, 5)), zc_weak_int(ctx, 12));
    zc_tensor *same = zc_take(zc_broadcast_to(zc_index(zc_exp(x), 0, 0), ZC_SHAPE(12, 12)), at, 0);
    zc_tensor *numbers = zc_take(zc_iota(ctx, 30), zc_multiply(at, zc_weak_int(ctx, 2)), 0);
    zc_tensor *tiled = zc_take(zc_tile(x, 2, (const int64_t[]){3, 2}), at, 1);
    return zc_add(zc_add(same, zc_astype(numbers, ZC_FLOAT32)), zc_slice(tiled, 0, 0, 36, 3));
}

/* More than a tile. */
static zc_tensor *long_run(zc_context *ctx, const zc_tensor *x)
{
    return zc_add(zc_multiply(zc_iota(ctx, 9000), zc_weak_int(ctx, 3)), zc_index(zc_index(x, 0, 1), 0, 1));
}

/* Sums over pairs of rows, short ones and long ones. */
static zc_tensor *pairs(zc_context *ctx, const zc_tensor *x)
{
    (void)ctx;
    zc_tensor *thin = zc_reshape(x, ZC_SHAPE(24, 6)), *wide = zc_reshape(x, ZC_SHAPE(4, 36));
    zc_tensor *many = zc_sum(zc_multiply(zc_expand_dims(thin, 1), thin), ZC_AXES(2), false);
    zc_tensor *few = zc_sum(zc_multiply(zc_expand_dims(wide, 1), wide), ZC_AXES(2), false);
    return zc_sum(zc_add(zc_reshape(many, ZC_SHAPE(6, 6, 4, 4)), few), ZC_AXES(0), false);
}

/* Contractions, one of each strategy, and operands that are computed where they are packed. */
static zc_tensor *contracted(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *wide = zc_copy(zc_tile(x, 2, (const int64_t[]){1, 6})), *row = zc_index(x, 0, 1);
    zc_tensor *tall = zc_copy(zc_tile(x, 2, (const int64_t[]){6, 1})), *e = zc_exp(x);
    zc_tensor *small = zc_reshape(tall, ZC_SHAPE(96, 3, 3));
    const zc_tensor *const columns[] = {wide, wide};
    const zc_tensor *const sums[] = {zc_matmul(row, wide),
                                     zc_einsum(ctx, "ik,ik->k", 2, columns),
                                     zc_matmul(tall, zc_slice(x, 1, 0, 1, 1)),
                                     zc_matmul(tall, zc_slice(x, 1, 0, 2, 1)),
                                     zc_concat(ctx, 2, (const zc_tensor *const[]){zc_matmul(small, small), small}, 1),
                                     zc_vecdot(tall, tall, -1),
                                     zc_matmul(e, zc_sin(x)),
                                     zc_vecdot(e, zc_sin(x), -1)};
    zc_tensor *all = zc_reshape(sums[0], ZC_SHAPE(-1));
    for (size_t i = 1; i < sizeof sums / sizeof *sums; i++)
        all = zc_concat(ctx, 2, (const zc_tensor *const[]){all, zc_reshape(sums[i], ZC_SHAPE(-1))}, 0);
    return all;
}

/* More of them: of what lies in one place, and with one operand that is computed where it is packed. */
static zc_tensor *contracted_in_place(zc_context *ctx, const zc_tensor *x)
{
    (void)ctx;
    zc_tensor *many = zc_copy(zc_tile(x, 2, (const int64_t[]){6, 1}));
    zc_tensor *by = zc_copy(zc_slice(zc_slice(x, 0, 0, 4, 1), 1, 0, 4, 1));
    zc_tensor *squares = zc_matmul(zc_reshape(many, ZC_SHAPE(216, 4)), by);
    zc_tensor *few = zc_matmul(zc_reshape(x, ZC_SHAPE(144)), zc_reshape(many, ZC_SHAPE(144, 6)));
    zc_tensor *sum = zc_add(zc_sum(squares, ZC_ALL_AXES, false), zc_sum(few, ZC_ALL_AXES, false));
    return zc_add(zc_matmul(zc_slice(x, 0, 0, 2, 1), zc_exp(x)), sum);
}

/* Recurrences, which gradients of scans are made of. */
static zc_tensor *recurred(zc_context *ctx, const zc_tensor *x)
{
    (void)ctx;
    zc_tensor *r = zc_record_recurrence(zc_exp(zc_negative(x)), zc_sin(x), 1, true, "test");
    return zc_add(r, zc_record_recurrence(x, x, 0, false, "test"));
}

/* Updates in place: of what is given and of what is made, by passes, sums, contractions and at positions; what they
 * write over is read beside it and afterwards. */
static zc_tensor *rewritten(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *all = zc_places(x), *at = zc_remainder(zc_iota(ctx, 3), zc_weak_int(ctx, 2));
    zc_tensor *given = zc_update(x, zc_index(all, 0, 3),
                                 zc_roll(zc_index(x, 0, 1), 1, (const int64_t[]){2}, (int[]){0}), ZC_UPDATE_SET);
    zc_tensor *y = zc_exp(zc_negative(given)), *first = zc_index(y, 0, 0), *second = zc_index(y, 0, 1);
    y = zc_update(y, zc_index(all, 0, 0), zc_index(y, 0, 11), ZC_UPDATE_SET);
    y = zc_update(y, zc_index(all, 0, 11), first, ZC_UPDATE_SET);
    y = zc_update(y, zc_slice(all, 0, 2, 8, 1), zc_sin(zc_slice(y, 0, 1, 7, 1)), ZC_UPDATE_SET);
    y = zc_update(y, zc_take(all, at, 0), zc_add(zc_take(y, at, 0), zc_weak_int(ctx, 1)), ZC_UPDATE_SET);
    y = zc_update(y, zc_index(all, 0, 9), zc_sum(zc_slice(y, 0, 0, 9, 1), ZC_AXES(0), false), ZC_UPDATE_SET);
    y = zc_update(y, zc_index(all, 1, 2), zc_matmul(x, zc_index(y, 1, 1)), ZC_UPDATE_SET);
    zc_tensor *tail = zc_slice(zc_update(y, zc_index(all, 0, 5), second, ZC_UPDATE_ADD), 0, 4, 12, 1);
    return zc_add(tail, zc_add(zc_multiply(first, second), zc_slice(y, 0, 0, 8, 1)));
}

/* An update that is held, and writes into the memory of a table that nobody has any more. */
static zc_tensor *taken_over(zc_context *ctx, const zc_tensor *x)
{
    enum { SIZE = 512 };
    static const float zeros[SIZE];
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *table = zc_from_data(ctx, ZC_FLOAT32, ZC_SHAPE(SIZE), zeros, sizeof zeros), *all = zc_places(table);
    zc_tensor *first =
        zc_update(table, zc_slice(all, 0, 3, 13, 1), zc_exp(zc_slice(table, 0, 2, 12, 1)), ZC_UPDATE_SET);
    zc_tensor *rows = zc_reshape(zc_slice(all, 0, 40, 64, 1), ZC_SHAPE(2, 12));
    zc_tensor *second = zc_update(first, rows, zc_slice(x, 0, 0, 2, 1), ZC_UPDATE_SET);
    zc_tensor *read = zc_add(zc_index(x, 0, 1), zc_slice(second, 0, 38, 50, 1));
    (void)zc_keep_outside(second);
    (void)zc_keep_outside(read);
    zc_scope_end(scope);
    return read;
}

/* Beside a maximum that is held, and is all that holds a large vector. */
static zc_tensor *beside_pending(zc_context *ctx, const zc_tensor *x)
{
    enum { SIZE = 5 << 18 };
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *large = zc_astype(zc_iota(ctx, SIZE), ZC_FLOAT64), *out = NULL;
    cr_assert_eq(zc_materialize(large, &out), ZC_OK, "%s", zc_error_text(ctx));
    (void)zc_keep_outside(zc_max(large, ZC_ALL_AXES, false));
    zc_scope_end(scope);
    return zc_add(x, zc_weak_int(ctx, 1));
}

/* One chain along each row. */
static zc_tensor *long_rows(zc_context *ctx, const zc_tensor *x)
{
    (void)ctx;
    zc_tensor *wide = zc_copy(zc_tile(x, 2, (const int64_t[]){1, 100})), *next = zc_slice(wide, 1, 1, ZC_NONE, 1);
    return zc_add(zc_multiply(zc_slice(wide, 1, 0, -1, 1), next), zc_slice(x, 1, 0, 1, 1));
}

static zc_tensor *small_floats(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *half = zc_astype(x, ZC_FLOAT16);
    zc_tensor *t = zc_sigmoid(zc_add(zc_multiply(half, half), zc_astype(zc_weak_float(ctx, 0.5), ZC_FLOAT16)));
    return zc_max(zc_add(t, zc_astype(zc_astype(x, ZC_INT8), ZC_FLOAT16)), ZC_AXES(0), true);
}

static graph *const graphs[] = {
    chain,    hoisted,   reduced,   found,      distances,     joined,       taken,
    placed,   reshaped,  ordered,   scattered,  expanded,      small_floats, spread,
    checked,  long_run,  laid,      counted,    pairs,         contracted,   contracted_in_place,
    recurred, long_rows, rewritten, taken_over, beside_pending};

/* ---- The tests ---- */

static zc_tensor *make(zc_context *ctx, graph *g)
{
    float values[144];
    for (int i = 0; i < 144; i++)
        values[i] = (float)i / 16;
    zc_tensor *x = zc_from_data(ctx, ZC_FLOAT32, ZC_SHAPE(12, 12), values, sizeof values);
    zc_tensor *t = g(ctx, x);
    cr_assert_not_null(t, "%s", zc_error_text(ctx));
    return t;
}

static zc_status materialise(const zc_tensor *t)
{
    zc_tensor *out = NULL;
    zc_status status = zc_materialize(t, &out);
    cr_assert_eq(status == ZC_OK, out != NULL);
    return status;
}

static zc_status compact(const zc_tensor *t)
{
    zc_tensor *out = NULL;
    return zc_compact(t, &out);
}

static zc_status explain(const zc_tensor *t)
{
    char *text = NULL;
    zc_status status = zc_explain(t, ZC_JSON, &text);
    zc_text_free(zc_context_of(t), text);
    return status;
}

/* With views of it, what is made of it, what is there already, and itself again. */
static zc_status materialise_several(const zc_tensor *t)
{
    zc_context *ctx = zc_context_of(t);
    zc_tensor *flat = zc_reshape(t, ZC_SHAPE(zc_size(t))), *part = zc_slice(flat, 0, 0, 1, 1);
    zc_tensor *sum = zc_sum(zc_add(zc_flip(flat, ZC_AXES(0)), flat), ZC_ALL_AXES, false), *out[7];
    zc_tensor *there = zc_from_data(ctx, ZC_INT8, ZC_SHAPE(1), "x", 1);
    const zc_tensor *const wanted[] = {part, t, sum, zc_flip(flat, ZC_AXES(0)), there, flat, part};
    if (zc_error_status(ctx) != ZC_OK)
        return zc_error_status(ctx);
    zc_status status = zc_materialize_all(7, wanted, out);
    for (int i = 0; i < 7; i++)
        cr_assert_eq(status == ZC_OK, out[i] != NULL);
    return status;
}

/* A gradient walks the graph with an arena of its own. */
static zc_status differentiate(const zc_tensor *t)
{
    zc_context *ctx = zc_context_of(t);
    zc_tensor *x = zc_astype(t, ZC_FLOAT32), *y = x;
    for (int i = 0; i < 8; i++)
        y = zc_add(zc_multiply(y, x), x);
    return zc_grad(y, x) != NULL ? ZC_OK : zc_error_status(ctx);
}

/* The call with arena call k failing; whether it was reached. */
static bool fail_once(graph *g, zc_status (*run)(const zc_tensor *t), zc_executor executor, int threads, int k)
{
    zc_failing state = {0};
    zc_allocator allocator = zc_failing_allocator(&state);
    zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator, .threads = threads, .executor = executor});
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *t = make(ctx, g);
    faults = (struct faults){.fail_at = k};
    zc_status status = run(t);
    bool is_reached = faults.calls >= k;
    faults = (struct faults){.fail_at = 0};
    cr_expect(status == ZC_OK || (is_reached && status == ZC_ERROR_MEMORY), "call %d: %d, %s", k, (int)status,
              zc_error_text(ctx));
    zc_error_clear(ctx);
    cr_expect_eq(run(t), ZC_OK, "call %d, afterwards: %s", k, zc_error_text(ctx));
    zc_scope_end(scope);
    zc_context_free(ctx);
    cr_expect(state.blocks == 0 && state.faults == 0, "call %d: something is left", k);
    return is_reached;
}

static void fail_in_turn(zc_status (*run)(const zc_tensor *t), zc_executor executor, int least)
{
    int total = 0;
    for (size_t g = 0; g < sizeof graphs / sizeof *graphs; g++) {
        int k = 1;
        while (fail_once(graphs[g], run, executor, 2, k))
            k += zc_test_stride();
        total += k - 1;
    }
    cr_log_info("%d failures", total);
    cr_expect_gt(total, least);
}

Test(plan_failures, of_the_tile_executor)
{
    fail_in_turn(materialise, ZC_EXECUTOR_TILE, 500);
}

/* Fails in turn in one graph, on one thread: too much work to be done as often as the graphs above. */
static void fail_alone(zc_tensor *(*record)(zc_context *ctx, const zc_tensor *x))
{
    int k = 1;
    while (fail_once(record, materialise, ZC_EXECUTOR_TILE, 1, k))
        k += zc_test_stride();
    cr_expect_gt(k, 20);
}

/* A product, and what overwrites it in turns with it. */
static zc_tensor *overwritten(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *row = zc_astype(zc_iota(ctx, 1280), ZC_FLOAT32); /* blocks of 64 rows */
    zc_tensor *product = zc_matmul(zc_expand_dims(row, 1), zc_expand_dims(zc_slice(row, 0, 0, 1000, 1), 0));
    return zc_add(product, zc_index(zc_index(x, 0, 0), 0, 5));
}

Test(plan_failures, of_products_that_are_overwritten)
{
    fail_alone(overwritten);
}

/* A table that is updated in place at listed positions, twice, by what is computed of it. */
static zc_tensor *listed(zc_context *ctx, const zc_tensor *x)
{
    static const int64_t rows[] = {3, -1, 3}, columns[] = {1, 0, 5};
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *out = NULL, *table = zc_astype(zc_reshape(zc_iota(ctx, 8000), ZC_SHAPE(800, 10)), ZC_FLOAT32);
    if (zc_materialize(table, &out) != ZC_OK)
        return NULL;
    const zc_tensor *some = zc_from_data(ctx, ZC_INT64, ZC_SHAPE(3), rows, sizeof rows);
    const zc_tensor *others = zc_from_data(ctx, ZC_INT64, ZC_SHAPE(3), columns, sizeof columns);
    const zc_tensor *first = zc_take(out, some, 0), *second = zc_take(first, others, 1);
    const zc_tensor *there = zc_take(zc_places(out), some, 0);
    zc_tensor *next = zc_update(out, there, zc_square(first), ZC_UPDATE_SET);
    next = zc_keep(zc_update(next, zc_take(there, others, 1), zc_add(second, second), ZC_UPDATE_ADD));
    zc_scope_end(scope);
    zc_tensor *read = zc_multiply(zc_index(zc_index(next, 0, 0), 0, 0), zc_index(zc_index(x, 0, 0), 0, 0));
    zc_release(next);
    return zc_add(read, zc_index(zc_index(x, 0, 0), 0, 5));
}

Test(plan_failures, of_updates_that_take_over)
{
    fail_alone(listed);
}

/* Bytes that are multiplied as such. */
static zc_tensor *quantized(zc_context *ctx, const zc_tensor *x)
{
    enum { SIDE = 64 };
    static const int8_t bytes[SIDE * SIDE];
    zc_tensor *cast = zc_astype(zc_from_data(ctx, ZC_INT8, ZC_SHAPE(SIDE, SIDE), bytes, sizeof bytes), ZC_INT32);
    return zc_add(zc_matmul(cast, cast), zc_index(zc_index(x, 0, 0), 0, 5));
}

Test(plan_failures, of_tiles_of_bytes)
{
    zc_are_tiles_written_out = true;
    fail_alone(quantized);
    zc_are_tiles_written_out = false;
}

/* Distances of pairs and the least of each row, by blocks of which the last is shorter; the points are recorded between
 * them. */
static zc_tensor *grouped(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *points = zc_astype(zc_reshape(zc_iota(ctx, 2802), ZC_SHAPE(934, 3)), ZC_FLOAT32);
    zc_tensor *apart = zc_subtract(zc_expand_dims(points, 1), zc_expand_dims(points, 0));
    zc_tensor *distances = zc_sum(zc_multiply(apart, apart), ZC_AXES(2), false);
    zc_tensor *weights = zc_sum(zc_exp(zc_negative(points)), ZC_AXES(1), false);
    zc_tensor *least = zc_min(zc_multiply(distances, weights), ZC_AXES(1), false);
    return zc_add(least, zc_index(zc_index(x, 0, 0), 0, 5));
}

Test(plan_failures, of_groups)
{
    fail_alone(grouped);
}

/* Columns and chains that absorb blocks, of which the last is shorter; and rows that are made again for a deviation. */
static zc_tensor *absorbed(zc_context *ctx, const zc_tensor *x)
{
    ctx->block_length = 100;
    zc_tensor *points = zc_astype(zc_reshape(zc_iota(ctx, 1100), ZC_SHAPE(550, 2)), ZC_FLOAT32);
    zc_tensor *few = zc_slice(points, 0, 0, 9, 1);
    zc_tensor *apart = zc_subtract(zc_expand_dims(points, 1), zc_expand_dims(few, 0));
    zc_tensor *distances = zc_sum(zc_multiply(apart, apart), ZC_AXES(2), false);
    zc_tensor *deviation = zc_std(distances, ZC_ALL_AXES, 0, false);
    zc_tensor *sums = zc_sum(zc_matmul(zc_matrix_transpose(zc_cos(distances)), points), ZC_ALL_AXES, false);
    zc_tensor *least = zc_sum(zc_min(distances, ZC_AXES(0), false), ZC_ALL_AXES, false);
    return zc_add(zc_add(deviation, sums), zc_add(least, zc_index(zc_index(x, 0, 0), 0, 5)));
}

Test(plan_failures, of_groups_that_absorb)
{
    fail_alone(absorbed);
}

/* Rows of many columns that are turned, of which some are made again for the other side; and the best of them. */
static zc_tensor *turned(zc_context *ctx, const zc_tensor *x)
{
    ctx->least_turned = 1;
    ctx->block_length = 50;
    zc_tensor *points = zc_astype(zc_reshape(zc_iota(ctx, 1100), ZC_SHAPE(550, 2)), ZC_FLOAT32), *values, *indices;
    zc_tensor *apart = zc_subtract(zc_expand_dims(zc_slice(points, 0, 0, 9, 1), 1), zc_expand_dims(points, 0));
    zc_tensor *distances = zc_sum(zc_multiply(apart, apart), ZC_AXES(2), false);
    zc_tensor *shares = zc_softmax(zc_negative(distances), 0);
    zc_tensor *sums = zc_sum(zc_matmul(shares, points), ZC_ALL_AXES, false);
    if (zc_top_k(shares, 3, 0, true, &values, &indices) != ZC_OK)
        return NULL;
    zc_tensor *best = zc_sum(zc_multiply(values, indices), ZC_ALL_AXES, false);
    return zc_add(zc_add(best, sums), zc_index(zc_index(x, 0, 0), 0, 5));
}

Test(plan_failures, of_groups_that_are_turned)
{
    fail_alone(turned);
}

/* Distances that a deviation reads twice, under a limit with room for some rows alone. */
static zc_tensor *limited(zc_context *ctx, const zc_tensor *x)
{
    ctx->block_length = 50;
    ctx->options.memory_limit = 400 << 10;
    zc_tensor *points = zc_astype(zc_reshape(zc_iota(ctx, 1100), ZC_SHAPE(550, 2)), ZC_FLOAT32);
    zc_tensor *apart = zc_subtract(zc_expand_dims(points, 1), points);
    zc_tensor *distances = zc_sum(zc_multiply(apart, apart), ZC_AXES(2), false);
    zc_tensor *deviation = zc_std(zc_sqrt(distances), ZC_ALL_AXES, 0, false);
    return zc_add(deviation, zc_index(zc_index(x, 0, 0), 0, 5));
}

/* The same under a limit with room for none: lean plans of every effort are tried. */
static zc_tensor *too_limited(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *t = limited(ctx, x);
    ctx->options.memory_limit = 60 << 10;
    return t;
}

Test(plan_failures, of_plans_that_a_limit_needs)
{
    fail_alone(limited);
    int k = 1;
    while (fail_once(too_limited, explain, ZC_EXECUTOR_TILE, 1, k))
        k += zc_test_stride();
    cr_expect_gt(k, 20);
}

/* Sums of shifted rows, of which slabs are split off that no group reads: planned twice. */
static zc_tensor *split(zc_context *ctx, const zc_tensor *x)
{
    enum { LENGTH = 520, WIDTH = 512 };
    static double rows[LENGTH * WIDTH];
    const int64_t shape[] = {LENGTH, WIDTH};
    zc_tensor *y = zc_import(ctx, ZC_FLOAT64, 2, shape, NULL, 0, rows, sizeof rows, NULL, NULL);
    for (int64_t k = 1; k < LENGTH; k *= 2) {
        const zc_tensor *const parts[] = {zc_full(ctx, ZC_SHAPE(k, WIDTH), ZC_FLOAT64, 0),
                                          zc_slice(y, 0, 0, LENGTH - k, 1)};
        y = zc_add(y, zc_copy(zc_concat(ctx, 2, parts, 0)));
    }
    return zc_add(y, zc_index(zc_index(x, 0, 0), 0, 5));
}

/* Asks for the cost of a plan that is made twice while its k-th piece of memory fails, or its call is cancelled there:
 * it is told, or refused for that reason; and a request to stop that came too late stops the next call. Returns false
 * where the plan takes fewer pieces. */
static bool ask_in_turn(int k, bool is_cancelled)
{
    const zc_status reason = is_cancelled ? ZC_CANCELLED : ZC_ERROR_MEMORY;
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *t = make(ctx, split);
    zc_cost cost;
    faults = (struct faults){.fail_at = k, .cancels = is_cancelled ? ctx : NULL};
    zc_status status = zc_cost_of(t, &cost);
    const bool is_reached = faults.calls >= k;
    faults = (struct faults){.fail_at = 0};
    cr_expect(status == ZC_OK || (is_reached && status == reason), "piece %d: %d, %s", k, (int)status,
              zc_error_text(ctx));
    zc_error_clear(ctx);
    if (is_cancelled && is_reached && status == ZC_OK)
        cr_expect_eq(zc_cost_of(t, &cost), ZC_CANCELLED, "piece %d", k);
    zc_error_clear(ctx);
    cr_expect_eq(zc_cost_of(t, &cost), ZC_OK, "piece %d, afterwards: %s", k, zc_error_text(ctx));
    zc_scope_end(scope);
    zc_context_free(ctx);
    return is_reached;
}

Test(plan_failures, of_plans_that_are_made_again)
{
    zc_skip_of_one_thread();
    for (int is_cancelled = 0; is_cancelled < 2; is_cancelled++) {
        int k = 1;
        while (ask_in_turn(k, is_cancelled != 0))
            k += 3 * zc_test_stride();
        cr_expect_gt(k, 200);
    }
}

/* Whenever a call is cancelled while it plans and prepares, it stops, or gets through and the next one stops; and the
 * one after that gets through. Returns false where it takes fewer pieces. */
static bool cancel_once(graph *g, zc_status (*run)(const zc_tensor *t), int k, int *stopped)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *t = make(ctx, g);
    faults = (struct faults){.fail_at = k, .cancels = ctx};
    zc_status status = run(t);
    const bool is_reached = faults.calls >= k;
    faults = (struct faults){.fail_at = 0};
    cr_expect(status == ZC_OK || (is_reached && status == ZC_CANCELLED), "call %d: %d, %s", k, (int)status,
              zc_error_text(ctx));
    *stopped += status == ZC_CANCELLED;
    zc_error_clear(ctx);
    if (is_reached && status == ZC_OK)
        cr_expect_eq(run(t), ZC_CANCELLED, "call %d", k);
    zc_error_clear(ctx);
    cr_expect_eq(run(t), ZC_OK, "call %d, afterwards: %s", k, zc_error_text(ctx));
    zc_scope_end(scope);
    zc_context_free(ctx);
    return is_reached;
}

Test(plan_failures, of_calls_that_are_cancelled)
{
    zc_skip_of_one_thread();
    int stopped = 0;
    for (size_t g = 0; g < sizeof graphs / sizeof *graphs; g++) {
        int k = 1;
        while (cancel_once(graphs[g], materialise_several, k, &stopped))
            k += zc_test_stride();
    }
    cr_expect_gt(stopped * zc_test_stride(), 100);
}

Test(plan_failures, of_several_results)
{
    fail_in_turn(materialise_several, ZC_EXECUTOR_TILE, 500);
}

Test(plan_failures, of_the_reference_executor)
{
    zc_skip_of_one_thread();
    fail_in_turn(materialise, ZC_EXECUTOR_REFERENCE, 500);
}

Test(plan_failures, of_compact_results_of_plans_alone_and_of_gradients)
{
    zc_skip_of_one_thread();
    fail_in_turn(compact, ZC_EXECUTOR_TILE, 500);
    fail_in_turn(explain, ZC_EXECUTOR_TILE, 500);
    fail_in_turn(differentiate, ZC_EXECUTOR_TILE, 100);
}

/* ---- Keys ---- */

/* A request: tensors that are asked for, and nodes that are due beside them. */
typedef struct asked {
    int count, due_count;
    const zc_tensor *tensors[512];
    zc_node *due[512];
} asked;

static zc_tensor *pair(zc_context *ctx, int rank)
{
    static const float numbers[2];
    int64_t shape[ZC_MAX_RANK];
    for (int a = 0; a < rank; a++)
        shape[a] = a == rank - 1 ? 2 : 1;
    return zc_from_data(ctx, ZC_FLOAT32, rank, shape, numbers, sizeof numbers);
}

/* Asks for so many tensors of memory, each of its own; in the end an update, of as many axes, of one that nobody asks
 * for. */
static void ask(zc_context *ctx, asked *a, int count, int due_count, int rank)
{
    *a = (asked){.count = 0};
    for (int i = 0; i < count; i++)
        a->tensors[a->count++] = pair(ctx, 1);
    for (int i = 0; i < due_count; i++)
        a->due[a->due_count++] = pair(ctx, 1)->node;
    if (rank == 0)
        return;
    const zc_tensor *x = pair(ctx, rank), *first = zc_slice(zc_places(x), -1, 0, 1, 1);
    a->tensors[a->count++] = zc_update(x, first, zc_weak_float(ctx, 1), ZC_UPDATE_SET);
}

/* Whichever piece of memory fails, there is no key; and the next one has the words of the first. True when a piece was
 * asked for. */
static bool fail_key(const zc_plan_request *request)
{
    static zc_plan_key first, key;
    bool is_reached = true;
    int k = 1;
    cr_assert(zc_plan_key_make(request, &first));
    for (; is_reached; k++) {
        faults = (struct faults){.fail_at = k};
        const bool is_made = zc_plan_key_make(request, &key);
        is_reached = faults.calls >= k;
        faults = (struct faults){.fail_at = 0};
        cr_expect_neq(is_made, is_reached, "of %d tensors, call %d", request->count, k);
        zc_plan_key_free(&key);
    }
    cr_assert(zc_plan_key_make(request, &key));
    cr_expect_eq(key.word_count, first.word_count);
    cr_expect_eq(memcmp(key.words, first.words, (size_t)first.word_count * sizeof *first.words), 0);
    zc_plan_key_free(&key);
    zc_plan_key_free(&first);
    return k > 2;
}

/* Keys of so many nodes that their words and numbers outgrow what there is room for, by any of their parts. */
Test(plan_failures, of_keys)
{
    static asked a;
    int grown = 0, rounds = 0;
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    for (int count = 1; count < 400; count++) {
        for (int due_count = 0; due_count <= count; due_count += count < 20 ? 1 : count) {
            const int rank = count % 2 == 0 ? 0 : due_count % 2 == 0 ? 1 : ZC_MAX_RANK;
            if (rounds++ % zc_test_stride() != 0)
                continue;
            zc_scope *scope = zc_scope_begin(ctx);
            ask(ctx, &a, count, due_count, rank);
            grown += fail_key(&(zc_plan_request){.count = a.count,
                                                 .tensors = a.tensors,
                                                 .function = "test",
                                                 .buys = true,
                                                 .due_count = a.due_count,
                                                 .due = a.due});
            zc_scope_end(scope);
        }
    }
    cr_expect_gt(grown * zc_test_stride(), 100);
    zc_context_free(ctx);
}

/* Planned alone: groups that are formed again, since much is held where nothing is made again. */
static zc_tensor *formed_again(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *points = zc_reshape(zc_astype(zc_iota(ctx, 18000), ZC_FLOAT32), ZC_SHAPE(9000, 2));
    zc_tensor *apart = zc_subtract(zc_expand_dims(points, 1), zc_expand_dims(points, 0));
    zc_tensor *distances = zc_sum(zc_multiply(apart, apart), ZC_AXES(2), false);
    zc_tensor *running = zc_cumulative_sum(zc_cumulative_sum(distances, 0, false), 0, false);
    zc_tensor *most = zc_max(zc_flip(running, ZC_AXES(0)), ZC_ALL_AXES, false);
    zc_tensor *f = zc_logsumexp(zc_negative(distances), ZC_AXES(1), true);
    zc_tensor *g = zc_logsumexp(zc_subtract(f, distances), ZC_AXES(0), true);
    zc_tensor *both = zc_add(zc_sum(g, ZC_ALL_AXES, false), most);
    return zc_add(both, zc_index(zc_index(x, 0, 0), 0, 5));
}

Test(plan_failures, of_groups_that_are_formed_again)
{
    int k = 1;
    while (fail_once(formed_again, explain, ZC_EXECUTOR_TILE, 1, k))
        k += zc_test_stride();
    cr_expect_gt(k, 20);
}

/* Rows and pairs that are picked of distances and of a product, operands that are copied for it, and the best of lines
 * with their numbers. */
static zc_tensor *picked(zc_context *ctx, const zc_tensor *x)
{
    static const int64_t list[] = {7, 0, 39, -3, 7, 20, 21, 22};
    enum { COUNT = sizeof list / sizeof *list, POINTS = 40, WIDTH = 250 };
    zc_tensor *points = NULL, *values, *indices;
    if (zc_materialize(zc_reshape(zc_astype(zc_iota(ctx, POINTS * WIDTH), ZC_FLOAT32), ZC_SHAPE(POINTS, WIDTH)),
                       &points) != ZC_OK)
        return NULL;
    zc_tensor *at = zc_from_data(ctx, ZC_INT64, ZC_SHAPE(COUNT), list, sizeof list);
    zc_tensor *apart = zc_subtract(zc_expand_dims(points, 1), zc_expand_dims(points, 0));
    zc_tensor *distances = zc_sum(zc_square(apart), ZC_AXES(2), false), *rows = zc_take(distances, at, 0);
    zc_tensor *narrow = zc_slice(points, 1, 0, 20, 1);
    const zc_tensor *const both[] = {at, zc_flip(at, ZC_AXES(0))};
    zc_tensor *pairs = zc_gather(zc_matmul(narrow, zc_matrix_transpose(narrow)), ZC_AXES(0, 1), both);
    if (zc_top_k(narrow, 3, 1, true, &values, &indices) != ZC_OK)
        return NULL;
    zc_tensor *best = zc_sum(zc_add(values, indices), ZC_ALL_AXES, false), *sum = zc_sum(rows, ZC_ALL_AXES, false);
    return zc_add(zc_add(zc_add(best, sum), pairs), zc_index(zc_index(x, 0, 0), 0, 5));
}

Test(plan_failures, of_what_is_picked)
{
    fail_alone(picked);
}

static const char *read_ramp(void *user, const int64_t *start, const int64_t *count, void *elements)
{
    float *to = elements;
    (void)user;
    for (int64_t i = 0; i < count[0]; i++) {
        for (int64_t k = 0; k < count[1]; k++)
            *to++ = (float)(start[0] + i) + (float)(start[1] + k) / 16;
    }
    return NULL;
}

/* Sources that are read by regions, by known positions and by computed ones, and by blocks of their chunks. */
static zc_tensor *sourced(zc_context *ctx, const zc_tensor *x)
{
    static const int64_t list[] = {7, 0, 199, -3, 7};
    const zc_source source = {.read = read_ramp, .chunk = (const int64_t[]){64, 4}};
    ctx->block_length = 100;
    zc_tensor *s = zc_from_source(ctx, ZC_FLOAT32, ZC_SHAPE(400, 8), &source);
    zc_tensor *other = zc_from_source(ctx, ZC_FLOAT32, ZC_SHAPE(400, 8), &source);
    zc_tensor *third = zc_from_source(ctx, ZC_FLOAT32, ZC_SHAPE(400, 8), &source);
    zc_tensor *at = zc_from_data(ctx, ZC_INT64, ZC_SHAPE(5), list, sizeof list);
    zc_tensor *apart = zc_subtract(s, zc_mean(s, ZC_AXES(0), true));
    zc_tensor *standard = zc_divide(apart, zc_std(s, ZC_AXES(0), 0, true));
    zc_tensor *few = zc_take(zc_take(other, at, 0), zc_from_data(ctx, ZC_INT64, ZC_SHAPE(2), list, 16), 1);
    zc_tensor *computed = zc_sum(zc_take(third, zc_abs(zc_add(at, at)), 0), ZC_ALL_AXES, false);
    zc_tensor *corner =
        zc_sum(zc_multiply(zc_slice(third, 0, 3, 9, 2), zc_slice(third, 0, 300, 303, 1)), ZC_ALL_AXES, false);
    zc_tensor *both = zc_add(zc_sum(zc_square(standard), ZC_ALL_AXES, false), zc_sum(few, ZC_ALL_AXES, false));
    return zc_add(zc_add(zc_add(both, corner), computed), zc_index(zc_index(x, 0, 0), 0, 5));
}

Test(plan_failures, of_sources)
{
    fail_alone(sourced);
}

/* Sums of rows of two matrices, one below the other, and of a stack; both have more elements than a run. */
static zc_tensor *slabs(zc_context *ctx, const zc_tensor *x)
{
    ctx->block_length = 30;
    zc_tensor *points = zc_astype(zc_reshape(zc_iota(ctx, 200), ZC_SHAPE(100, 2)), ZC_FLOAT32);
    zc_tensor *apart = zc_subtract(zc_expand_dims(points, 1), zc_expand_dims(points, 0));
    zc_tensor *distances = zc_sum(zc_square(apart), ZC_AXES(2), false),
              *similar = zc_matmul(points, zc_matrix_transpose(points));
    const zc_tensor *const halves[] = {zc_sqrt(distances), zc_tanh(similar)};
    const zc_tensor *const kernels[] = {zc_exp(distances), zc_exp(similar)};
    zc_tensor *sums = zc_logsumexp(zc_concat(ctx, 2, halves, 0), ZC_AXES(1), false);
    zc_tensor *mean = zc_mean(zc_stack(ctx, 2, kernels, 0), ZC_AXES(1, 2), false);
    zc_tensor *first = zc_update(distances, zc_index(zc_places(distances), 0, 3), zc_weak_int(ctx, 1), ZC_UPDATE_SET);
    const zc_tensor *const stored[] = {first, zc_grad(zc_square(zc_take(similar, zc_iota(ctx, 30), 0)), similar)};
    zc_tensor *more = zc_sum(zc_logsumexp(zc_concat(ctx, 2, stored, 0), ZC_AXES(1), false), ZC_ALL_AXES, false);
    zc_tensor *both = zc_add(zc_sum(sums, ZC_ALL_AXES, false), zc_sum(mean, ZC_ALL_AXES, false));
    return zc_add(zc_add(both, more), zc_index(zc_index(x, 0, 0), 0, 5));
}

Test(plan_failures, of_slabs)
{
    fail_alone(slabs);
}

/* Neighbors on a torus, two steps, and a sum of what is made of several concats: stages in sections. */
static zc_tensor *in_sections(zc_context *ctx, const zc_tensor *x)
{
    enum { STEPS = 2, ROWS = 100, COLUMNS = 90 };
    static double numbers[ROWS * COLUMNS];
    const int64_t shape[] = {ROWS, COLUMNS};
    zc_tensor *u = zc_import(ctx, ZC_FLOAT64, 2, shape, NULL, 0, numbers, sizeof numbers, NULL, NULL);
    for (int i = 0; i < STEPS; i++) {
        zc_tensor *rows = zc_add(zc_roll(u, 1, (const int64_t[]){1}, (const int[]){0}),
                                 zc_roll(u, 1, (const int64_t[]){-1}, (const int[]){0}));
        u = zc_add(zc_exp(u), zc_add(rows, zc_roll(u, 1, (const int64_t[]){2}, (const int[]){1})));
    }
    zc_tensor *sum = zc_sum(zc_square(zc_add(zc_roll(u, 1, (const int64_t[]){3}, (const int[]){0}),
                                             zc_roll(u, 1, (const int64_t[]){4}, (const int[]){0}))),
                            ZC_ALL_AXES, false);
    return zc_add(zc_add(u, sum), zc_index(zc_index(x, 0, 0), 0, 5));
}

Test(plan_failures, of_sections)
{
    fail_alone(in_sections);
}

/* Elements at positions along more axes than a load has checks. */
static zc_tensor *along_many(zc_context *ctx, const zc_tensor *x)
{
    enum { AXES = 6 };
    static const int axes[AXES] = {0, 1, 2, 3, 4, 5};
    zc_tensor *cube = NULL;
    const zc_tensor *positions[AXES];
    if (zc_materialize(zc_reshape(zc_iota(ctx, 64), ZC_SHAPE(2, 2, 2, 2, 2, 2)), &cube) != ZC_OK)
        return NULL;
    for (int a = 0; a < AXES; a++)
        positions[a] = zc_remainder(zc_iota(ctx, 7), zc_weak_int(ctx, 1 + a % 2));
    zc_tensor *taken = zc_gather(cube, AXES, axes, positions);
    return zc_add(zc_sum(taken, ZC_ALL_AXES, false), zc_index(zc_index(x, 0, 0), 0, 5));
}

Test(plan_failures, of_positions_along_many_axes)
{
    fail_alone(along_many);
}

Test(plan_failures, of_groups_that_are_cancelled)
{
    static graph *const formed[] = {grouped, absorbed, turned, limited, sourced, slabs, picked};
    zc_skip_of_one_thread();
    for (size_t g = 0; g < sizeof formed / sizeof *formed; g++) {
        int stopped = 0, k = 1;
        while (cancel_once(formed[g], materialise, k, &stopped))
            k += zc_test_stride();
        cr_expect_gt(stopped, 0, "graph %zu", g);
    }
    static graph *const planned[] = {too_limited, formed_again};
    for (size_t g = 0; g < sizeof planned / sizeof *planned; g++) {
        int stopped = 0, k = 1;
        while (cancel_once(planned[g], explain, k, &stopped))
            k += zc_test_stride();
        cr_expect_gt(stopped, 0, "graph %zu", g);
    }
}

/* ---- Lists that grow ---- */

static graph *grown;
static int others;

/* The graph beside so many other inputs, temporaries and stages: every list of the plan is full at another place. */
static zc_tensor *beside_others(zc_context *ctx, const zc_tensor *x)
{
    static const float numbers[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    zc_tensor *sum = zc_index(zc_index(x, 0, 0), 0, 5);
    for (int i = 0; i < others; i++) {
        zc_tensor *other = zc_from_data(ctx, ZC_FLOAT32, ZC_SHAPE(12), numbers, sizeof numbers);
        sum = zc_add(sum, zc_max(zc_cumulative_sum(other, 0, false), ZC_ALL_AXES, false));
    }
    return zc_add(others % 2 == 0 ? grown(ctx, x) : zc_negative(grown(ctx, x)), sum);
}

Test(plan_failures, of_lists_that_grow_at_any_place)
{
    static graph *const of_lists[] = {rewritten, along_many, ordered, picked};
    zc_skip_of_one_thread();
    for (size_t g = 0; g < sizeof of_lists / sizeof *of_lists; g++) {
        grown = of_lists[g];
        for (others = 1; others < 9; others++) {
            int k = 1;
            while (fail_once(beside_others, materialise, ZC_EXECUTOR_TILE, 1, k))
                k += zc_test_stride();
        }
    }
}

/* ---- What is computed again ---- */

/* Computes two functions of a tensor one after the other: the second one may buy it. */
static zc_status materialise_twice(const zc_tensor *t)
{
    const zc_status status = materialise(zc_sum(t, ZC_ALL_AXES, false));
    return status == ZC_OK ? materialise(zc_max(t, ZC_ALL_AXES, false)) : status;
}

Test(plan_failures, of_what_is_bought)
{
    zc_skip_of_one_thread();
    fail_in_turn(materialise_twice, ZC_EXECUTOR_TILE, 100);
}

/* ---- Files ---- */

static bool give_back(void *user, const char *name, zc_tensor *t)
{
    (void)user;
    (void)name;
    zc_release(t);
    return true;
}

/* Saves a file of three arrays and opens each. */
static zc_status write_and_open(const zc_tensor *t, const char *path)
{
    static const char *const names[] = {"first", "second", "third"};
    const zc_tensor *arrays[] = {t, t, t};
    const zc_status status = zc_save_members(3, arrays, names, path);
    return status == ZC_OK ? zc_open_members(zc_context_of(t), path, give_back, NULL) : status;
}

static zc_status write_npz(const zc_tensor *t)
{
    return write_and_open(t, "plan_failures.npz");
}

static zc_status write_safetensors(const zc_tensor *t)
{
    return write_and_open(t, "plan_failures.safetensors");
}

Test(plan_failures, of_files)
{
    static zc_status (*const formats[])(const zc_tensor *t) = {write_npz, write_safetensors};
    for (int i = 0; i < 2; i++) {
        int k = 1;
        while (fail_once(reduced, formats[i], ZC_EXECUTOR_TILE, 1, k))
            k += zc_test_stride();
        cr_expect_gt(k, 20);
    }
}
