#include "expressions/print/print.h"

#include "expressions/base/memory.h"
#include "expressions/print/column.h"

enum { DIGITS = 8 };

/* ---- What is shown ---- */

static int64_t size_of(int rank, const int64_t *shape)
{
    int64_t size = 1;
    for (int i = 0; i < rank; i++)
        size *= shape[i]; /* proven: at most the size of a tensor */
    return size;
}

/* The sizes of the shown part, and whether axes are cut. */
static bool find_shown(zc_printer out, int rank, const int64_t *shape, int64_t *shown)
{
    const bool shows_all = out.style != NULL && out.style->shows_all;
    bool is_summarised = !shows_all && size_of(rank, shape) > ZC_PRINT_THRESHOLD;
    for (int i = 0; i < rank; i++) {
        bool is_cut = is_summarised && shape[i] > 2 * ZC_PRINT_EDGE;
        shown[i] = is_cut ? 2 * ZC_PRINT_EDGE : shape[i];
    }
    return is_summarised;
}

/* ---- Layout ---- */

typedef struct layout {
    zc_printer out;
    int rank;
    const int64_t *shape;
    int64_t shown[ZC_MAX_RANK];
    zc_column column;
    const void *data;
    int64_t next; /* element to be printed */
    int length;   /* of the line so far, the spaces that wait included */
    int waiting;  /* spaces that are written when something follows them */
    bool is_over; /* the printer wants no more */
} layout;

static void write_all(layout *l, const char *text, int length)
{
    l->is_over = l->is_over || !l->out.write(l->out.user, text, (size_t)length);
}

/* Writes the spaces that wait. */
static void put_waiting(layout *l)
{
    static const char spaces[] = "                                ";
    while (l->waiting > 0) {
        const int length = l->waiting < (int)sizeof spaces - 1 ? l->waiting : (int)sizeof spaces - 1;
        write_all(l, spaces, length);
        l->waiting -= length;
    }
}

/* Spaces at the end wait for what follows them. */
static void put(layout *l, const char *text, int length)
{
    for (int from = 0, to; from < length; from = to) {
        const bool is_space = text[from] == ' ';
        for (to = from + 1; to < length && (text[to] == ' ') == is_space;)
            to++;
        if (is_space) {
            l->waiting += to - from;
            continue;
        }
        put_waiting(l);
        write_all(l, text + from, to - from);
    }
    l->length += length;
}

static void put_many(layout *l, char c, int count)
{
    for (int i = 0; i < count; i++)
        put(l, &c, 1);
}

static void end_line(layout *l)
{
    write_all(l, "\n", 1);
    l->waiting = 0;
    l->length = 0;
}

/* A word goes to the next line where this one is full, unless the line has nothing but its indent. */
static void put_word(layout *l, const char *word, int length)
{
    if (l->length + length > ZC_PRINT_LINE - l->rank && l->length > l->rank) {
        end_line(l);
        put_many(l, ' ', l->rank);
    }
    put(l, word, length);
}

static bool is_gap(const layout *l, int axis, int64_t index)
{
    return index == ZC_PRINT_EDGE && l->shown[axis] < l->shape[axis];
}

static void put_row(layout *l)
{
    char word[ZC_WORD_BYTES];
    int last = l->rank - 1;
    for (int64_t i = 0; i < l->shown[last] && !l->is_over; i++) {
        if (i > 0)
            put(l, " ", 1);
        if (is_gap(l, last, i)) {
            put_word(l, "...", 3);
            put(l, " ", 1);
        }
        int length = zc_column_write(&l->column, l->data, l->next++, word);
        put_word(l, word, length);
    }
    put_waiting(l); /* the padding of the last word stays */
}

/* Between two rows: closes and opens the brackets of the axes inside `axis`, whose index has just become `index`. */
static void put_break(layout *l, int axis, int64_t index)
{
    int inner = l->rank - 1 - axis;
    put_many(l, ']', inner);
    for (int pass = is_gap(l, axis, index) ? 0 : 1; pass < 2; pass++) {
        for (int i = 0; i < inner; i++)
            end_line(l);
        put_many(l, ' ', axis + 1);
        if (pass == 0)
            put(l, "...", 3);
    }
    put_many(l, '[', inner);
}

/* Counts up the row's index from the last axis but one; returns the axis that moved on, or -1 after the last row. */
static int advance(const layout *l, int64_t *index)
{
    for (int axis = l->rank - 2; axis >= 0; axis--) {
        if (++index[axis] < l->shown[axis])
            return axis;
        index[axis] = 0;
    }
    return -1;
}

static void put_rows(layout *l)
{
    int64_t index[ZC_MAX_RANK] = {0};
    put_many(l, '[', l->rank);
    put_row(l);
    for (int axis = advance(l, index); axis >= 0 && !l->is_over; axis = advance(l, index)) {
        put_break(l, axis, index[axis]);
        put_row(l);
    }
    put_many(l, ']', l->rank);
}

bool zc_print_array(zc_printer out, zc_dtype dtype, int rank, const int64_t *shape, const void *data)
{
    layout l = {.out = out, .rank = rank, .shape = shape, .data = data};
    const int digits = out.style != NULL ? out.style->digits : -1;
    (void)find_shown(out, rank, shape, l.shown);
    int64_t count = size_of(rank, l.shown);
    char word[ZC_WORD_BYTES];
    if (count == 0) {
        write_all(&l, "[]", 2);
    } else if (rank == 0 && digits < 0) {
        write_all(&l, word, zc_element_write(zc_element_read(dtype, data, 0), word));
    } else {
        l.column = zc_column_fit(dtype, data, count, digits < 0 ? DIGITS : digits);
        if (rank > 0)
            put_rows(&l);
        else
            write_all(&l, word, zc_column_write(&l.column, data, 0, word));
    }
    write_all(&l, "\n", 1);
    return !l.is_over;
}

/* ---- Corners ---- */

/* A cut axis becomes two: which end, and which element there. Axes of size 1 are left out; k other axes show 2^k
 * elements at least, so the rank stays far below the highest. No product here leaves what t has been proven to reach.
 */
static zc_tensor *corners_of(const zc_tensor *t)
{
    int64_t shape[2 * ZC_MAX_RANK], stride[2 * ZC_MAX_RANK];
    int rank = 0;
    for (int i = 0; i < zc_rank(t); i++) {
        int64_t size = zc_shape(t)[i], step = zc_strides(t)[i];
        if (size > 2 * ZC_PRINT_EDGE) {
            shape[rank] = 2;
            stride[rank++] = (size - ZC_PRINT_EDGE) * step;
            size = ZC_PRINT_EDGE;
        }
        shape[rank] = size;
        stride[rank] = step;
        rank += size == 1 ? 0 : 1;
    }
    return zc_as_strided(t, rank, shape, stride, 0);
}

/* Returns the part of a tensor that is shown, not computed yet; NULL with a fault. */
static zc_tensor *show(zc_printer out, const zc_tensor *t, zc_fault *fault)
{
    int64_t shown[ZC_MAX_RANK];
    bool is_summarised = find_shown(out, zc_rank(t), zc_shape(t), shown);
    if ((out.style == NULL || !out.style->shows_all) && size_of(zc_rank(t), shown) > ZC_PRINT_MAX_SHOWN) {
        (void)zc_fault_refuse(fault, "print: more than %d elements would be shown; save them to a file",
                              ZC_PRINT_MAX_SHOWN);
        return NULL;
    }
    zc_tensor *view = is_summarised ? corners_of(t) : zc_retain((zc_tensor *)(uintptr_t)t);
    if (view == NULL)
        (void)zc_fault_library(fault, zc_context_of(t));
    return view;
}

static void release_all(int count, zc_tensor **tensors)
{
    for (int i = 0; i < count; i++)
        zc_release(tensors[i]);
}

static zc_status compute(int count, zc_tensor *const *views, zc_tensor **dense)
{
    return count == 1 ? zc_materialize(views[0], dense)
                      : zc_materialize_all(count, (const zc_tensor *const *)views, dense);
}

/* views, dense: room for what is shown of each. */
static bool print(zc_printer out, int count, const zc_tensor *const *tensors, zc_tensor **views, zc_tensor **dense,
                  zc_fault *fault)
{
    for (int i = 0; i < count; i++) {
        views[i] = show(out, tensors[i], fault);
        if (views[i] == NULL)
            return false;
    }
    if (compute(count, views, dense) != ZC_OK)
        return zc_fault_library(fault, zc_context_of(tensors[0]));
    bool goes_on = true;
    for (int i = 0; i < count && goes_on; i++)
        goes_on =
            zc_print_array(out, zc_dtype_of(tensors[i]), zc_rank(tensors[i]), zc_shape(tensors[i]), zc_data(dense[i]));
    return true;
}

bool zc_print_tensors(zc_printer out, int count, const zc_tensor *const *tensors, zc_fault *fault)
{
    zc_tensor **room = zc_memory_take(fault, 2 * (size_t)count * sizeof(zc_tensor *)); /* proven: they are in memory */
    if (room == NULL)
        return false;
    bool ok = print(out, count, tensors, room, room + count, fault);
    release_all(2 * count, room);
    zc_memory_give((const void *)room);
    return ok;
}
