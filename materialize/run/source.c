/*
 * Reads windows of sources on the calling thread.
 *
 * A window is read straight to where its elements are stored, where these are dense there and consecutive in the
 * source, in pieces of a few MiB so that a run can be stopped. Else windows that hold the elements and those between
 * them are read to memory of a fixed size, from which the elements are copied.
 */
#include <string.h>

#include "materialize/execute/copy.h"
#include "materialize/execute/evaluator.h"
#include "materialize/execute/executor.h"
#include "materialize/stages/source.h"
#include "runtime/context/progress.h"

enum {
    PIECE_BYTES = 8 << 20,  /* of a window that is read straight */
    ROOM_BYTES = 256 << 10, /* of one that is read to be copied from */
    LEAST_RUN_BYTES = 4096, /* that are worth a window of their own */
    SPARSE = 64             /* step from which on coordinates are read one by one */
};

/* A window that is read: axes before `axis` coordinate by coordinate, `each` coordinates of it, and all others whole.
 */
typedef struct walk {
    zc_source_box what;
    const zc_node *node;
    int axis;
    int64_t each;
    int64_t place[ZC_MAX_RANK]; /* elements from one coordinate to the next where they are stored */
    int64_t at[ZC_MAX_RANK];    /* coordinates of the box, up to `axis` */
    size_t item;
    char *to, *room; /* the first element's place; memory to copy from, or NULL */
} walk;

static int64_t covered(const zc_box *box, int axis, int64_t count)
{
    return (count - 1) * box->step[axis] + 1; /* proven: inside the axis */
}

static int64_t bytes_behind(const walk *w, int axis)
{
    int64_t bytes = (int64_t)w->item;
    for (int a = axis + 1; a < w->what.box.rank; a++)
        bytes = zc_saturating_multiply(bytes, covered(&w->what.box, a, w->what.box.count[a]));
    return bytes;
}

/* Finds the first axis from which on elements are consecutive in windows, and dense where they are stored. */
static int find_straight(const walk *w)
{
    const zc_box *box = &w->what.box;
    int64_t dense = 1;
    int a = box->rank;
    while (a > 0 && (box->count[a - 1] == 1 || (box->step[a - 1] == 1 && w->place[a - 1] == dense)))
        dense *= box->count[--a]; /* proven: elements of a slot */
    return a;
}

/* Divides what is read straight into pieces. */
static void divide_straight(walk *w, int straight)
{
    const zc_box *box = &w->what.box;
    w->axis = (int)zc_smaller(straight, box->rank - 1);
    while (w->axis < box->rank - 1 && bytes_behind(w, w->axis) > PIECE_BYTES &&
           (box->count[w->axis] == 1 || w->node->sourced->from.chunk[w->axis] == 1))
        w->axis++;
    w->each = straight == box->rank ? 1 : zc_larger(PIECE_BYTES / bytes_behind(w, w->axis), 1);
}

/* Divides what is copied from windows that fit into the room. */
static void divide_covered(walk *w)
{
    const zc_box *box = &w->what.box;
    w->axis = box->rank - 1;
    while (w->axis > 0 && box->step[w->axis] < SPARSE && bytes_behind(w, w->axis - 1) <= ROOM_BYTES)
        w->axis--;
    const int64_t held = zc_larger(ROOM_BYTES / bytes_behind(w, w->axis), 1);
    w->each = box->step[w->axis] < SPARSE ? (held - 1) / box->step[w->axis] + 1 : 1;
}

/* Tells windows that are better copied from than read straight from axis `straight` on. */
static bool is_better_covered(const walk *w, int straight)
{
    const zc_box *box = &w->what.box;
    return straight > 0 && bytes_behind(w, straight - 1) < LEAST_RUN_BYTES && box->step[box->rank - 1] < SPARSE;
}

/* Begins with the window from the element with that number on. */
static void begin(const zc_stage *stage, int64_t number, char *to, walk *w)
{
    (void)zc_source_find_box(stage, number, &w->what); /* verified */
    w->node = zc_sourced_node(stage);
    w->item = zc_dtype_bytes(stage->store.dtype);
    w->room = NULL;
    w->to = to;
    for (int a = 0; a < w->what.box.rank; a++) {
        const int d = w->what.axis[a];
        w->place[a] = d >= 0 ? stage->store.stride[d] : 0;
        w->at[a] = 0;
        if (!w->what.is_reversed[a])
            continue;
        w->to += (w->what.box.count[a] - 1) * w->place[a] * (int64_t)w->item; /* proven: inside the slot */
        w->place[a] = -w->place[a];
    }
}

/* Number of coordinates of the next piece: up to the end of a chunk, where one is within reach or read in part. */
static int64_t next_count(const walk *w)
{
    const zc_box *box = &w->what.box;
    const int64_t left = box->count[w->axis] - w->at[w->axis], chunk = w->node->sourced->from.chunk[w->axis];
    const int64_t first = box->first[w->axis] + w->at[w->axis]; /* proven: coordinates */
    if (w->room != NULL || box->step[w->axis] != 1 || left <= w->each)
        return zc_smaller(left, w->each);
    const int64_t over = (first % chunk + w->each % chunk) % chunk; /* proven: at most twice a chunk */
    const int64_t to_end = chunk - first % chunk;
    return zc_smaller(left, w->each > over ? w->each - over : to_end);
}

/* Moves on by `count` coordinates along the axis; false at the end. */
static bool move(walk *w, int64_t count)
{
    int a = w->axis;
    w->at[a] += count; /* proven: at most the extent */
    while (w->at[a] == w->what.box.count[a]) {
        w->at[a] = 0;
        if (a-- == 0)
            return false;
        w->at[a]++;
    }
    return true;
}

static void keep_truths(const walk *w, void *elements, const int64_t *count)
{
    uint8_t *truth = elements;
    int64_t n = 1;
    for (int a = 0; a < w->node->rank; a++)
        n *= count[a]; /* proven: in memory */
    for (int64_t i = 0; w->node->dtype == ZC_BOOL && i < n; i++)
        truth[i] = truth[i] != 0;
}

/* Copies the elements of a window to their places. */
static void copy_out(const walk *w, const int64_t *count, const int64_t *window, char *to)
{
    int64_t from[ZC_MAX_RANK];
    zc_view places = {.rank = w->what.box.rank};
    zc_shape_row_major(places.rank, window, from);
    for (int a = 0; a < places.rank; a++) {
        places.shape[a] = count[a];
        places.stride[a] = w->place[a];
        from[a] *= w->what.box.step[a]; /* proven: inside the window */
    }
    zc_copy_to_places(&places, to, from, w->room, w->item);
}

/* Reads the piece at hand, of `count` coordinates along the axis. */
static zc_status read_piece(zc_context *ctx, const walk *w, int64_t along)
{
    const zc_source *from = &w->node->sourced->from;
    const zc_box *box = &w->what.box;
    int64_t start[ZC_MAX_RANK], count[ZC_MAX_RANK], window[ZC_MAX_RANK], place = 0;
    for (int a = 0; a < box->rank; a++) {
        count[a] = a < w->axis ? 1 : a == w->axis ? along : box->count[a];
        window[a] = covered(box, a, count[a]);
        start[a] = box->first[a] + w->at[a] * box->step[a]; /* proven: coordinates */
        place += w->at[a] * w->place[a];                    /* proven: inside the slot */
    }
    char *to = w->to + place * (int64_t)w->item, *read = w->room != NULL ? w->room : to;
    const char *sentence = from->read(from->user, start, window, read);
    if (sentence != NULL)
        return zc_fail(ctx, ZC_ERROR_FILE, "from_source", "%s", sentence);
    keep_truths(w, read, window);
    if (w->room != NULL)
        copy_out(w, count, window, to);
    return ZC_OK;
}

static zc_status read_pieces(zc_context *ctx, walk *w)
{
    zc_status status;
    int64_t count = 1;
    bool goes_on;
    do {
        if (zc_progress_stops(&ctx->progress))
            return ZC_CANCELLED;
        count = w->node->rank > 0 ? next_count(w) : 1;
        status = read_piece(ctx, w, count);
        goes_on = status == ZC_OK && w->node->rank > 0 && move(w, count);
    } while (goes_on);
    return status;
}

/* Reads the window from the element with that number on, which is stored from `to` on. */
static zc_status read_window(zc_context *ctx, const zc_stage *stage, int64_t number, char *to)
{
    walk w;
    begin(stage, number, to, &w);
    const int straight = find_straight(&w);
    if (!is_better_covered(&w, straight)) {
        divide_straight(&w, straight);
        return read_pieces(ctx, &w);
    }
    divide_covered(&w);
    w.room = zc_heap_take(ctx->heap, ROOM_BYTES);
    if (w.room == NULL)
        return ZC_ERROR_MEMORY;
    const zc_status status = read_pieces(ctx, &w);
    zc_heap_give(ctx->heap, w.room, ROOM_BYTES);
    return status;
}

/* Reads a window for each place along the axes that positions move, unless a position is none: then they are only
 * looked at. */
static zc_status read_at_positions(zc_context *ctx, zc_evaluator *e, int axes, zc_bad_index *bad)
{
    const zc_stage *stage = e->stage;
    const zc_store *store = &stage->store;
    zc_status status = ZC_OK;
    e->bad_index = bad;
    e->progress = (zc_thread_progress){.whole = &ctx->progress};
    memset(e->position, 0, (size_t)stage->rank * sizeof *e->position);
    do {
        int64_t at = store->offset;
        for (int a = 0; a < axes; a++)
            at += e->position[a] * store->stride[a]; /* proven: inside the slot */
        const int64_t number = zc_evaluate(e)->int64;
        if (bad->check < 0)
            status =
                read_window(ctx, stage, number, e->slots[store->slot] + at * (int64_t)zc_dtype_bytes(store->dtype));
    } while (status == ZC_OK && zc_evaluator_advance(e, 0, axes, 1));
    if (status == ZC_OK && e->progress.is_stopped) /* LCOV_EXCL_BR_LINE: up to when a request to stop comes */
        return ZC_CANCELLED;                       /* LCOV_EXCL_LINE: likewise */
    return status == ZC_OK && bad->check >= 0 ? ZC_ERROR_INDEX : status;
}

static zc_preparation prepare(zc_context *ctx, const zc_stage *stage, char *const *slots, zc_arena *arena,
                              void **prepared)
{
    (void)ctx;
    if (stage->kind != &zc_stage_kind_source)
        return ZC_DECLINED;
    zc_evaluator *e = zc_evaluator_new(stage, slots, arena);
    *prepared = e;
    return e != NULL ? ZC_PREPARED : ZC_NOT_PREPARED;
}

static zc_status run(zc_context *ctx, void *prepared, char *scratch, zc_bad_index *bad)
{
    (void)scratch;
    zc_evaluator *e = prepared;
    const zc_stage *stage = e->stage;
    if (!zc_stage_has_no_positions(stage))
        return read_at_positions(ctx, e, zc_source_moved_axes(stage), bad);
    const int64_t first = stage->store.offset * (int64_t)zc_dtype_bytes(stage->store.dtype); /* proven: in the slot */
    return read_window(ctx, stage, zc_source_first(stage), e->slots[stage->store.slot] + first);
}

const zc_stage_executor zc_stage_executor_source = {
    .name = "source", .is_reference = true, .prepare = prepare, .run = run};
