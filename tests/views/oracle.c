/* View operations as index maps: slow, plain, and written without a look at views/. */
#include "tests/views/oracle.h"

#include "tests/views/dialect_rules.h"

#include <string.h>

wide oracle_size(int rank, const int64_t *shape)
{
    wide size = 1;
    for (int a = 0; a < rank; a++)
        size *= shape[a];
    return size;
}

void oracle_unravel(int64_t k, int rank, const int64_t *shape, int64_t *at)
{
    for (int a = rank - 1; a >= 0; a--) {
        at[a] = k % shape[a];
        k /= shape[a];
    }
}

void oracle_next(int rank, const int64_t *shape, int64_t *at)
{
    for (int a = rank - 1; a >= 0; a--) {
        if (++at[a] < shape[a])
            return;
        at[a] = 0;
    }
}

wide oracle_ravel(int rank, const int64_t *shape, const int64_t *at)
{
    wide k = 0;
    for (int a = 0; a < rank; a++)
        k = k * shape[a] + at[a];
    return k;
}

wide oracle_address(int rank, const int64_t *stride, wide offset, const int64_t *at)
{
    for (int a = 0; a < rank; a++)
        offset += (wide)stride[a] * at[a];
    return offset;
}

/* ---- Refusals and result shapes ---- */

static bool is_axis(int axis, int rank)
{
    return -rank <= axis && axis < rank;
}

static int plain_axis(int axis, int rank)
{
    return axis < 0 ? rank + axis : axis;
}

/* A shape that may be: no negative size, and sizes that are not 0 multiply to an int64. */
static bool is_shape(int rank, const int64_t *shape)
{
    wide product = 1;
    bool fits = true;
    for (int a = 0; a < rank; a++) {
        if (shape[a] < 0)
            return false;
        if (shape[a] > 0 && fits)
            product *= shape[a];
        fits = fits && product <= INT64_MAX;
    }
    return fits;
}

/* Axes in a list, each at most once. */
static bool mark_axes(const view_call *c, int rank, bool *marked)
{
    memset(marked, c->count == -1, (size_t)rank * sizeof *marked);
    for (int i = 0; i < c->count; i++) {
        if (!is_axis(c->axes[i], rank) || marked[plain_axis(c->axes[i], rank)])
            return false;
        marked[plain_axis(c->axes[i], rank)] = true;
    }
    return true;
}

static void set_shape_from_order(index_map *s)
{
    for (int a = 0; a < s->rank; a++)
        s->shape[a] = s->order[a] < 0 ? 1 : s->shape_in[s->order[a]];
}

static bool begin_broadcast(const view_call *c, index_map *s)
{
    if (c->count < s->rank_in || !is_shape(c->count, c->shape))
        return false;
    s->rank = c->count;
    memcpy(s->shape, c->shape, sizeof s->shape);
    for (int a = 0; a < s->rank; a++) {
        s->order[a] = a - (s->rank - s->rank_in);
        if (s->order[a] < 0)
            s->order[a] = -1;
        else if (s->shape_in[s->order[a]] != 1 && s->shape_in[s->order[a]] != s->shape[a])
            return false;
    }
    return true;
}

static void list_of(int count, const int64_t *items, numbers *out)
{
    out->count = count;
    for (int i = 0; i < count; i++)
        out->item[i] = items[i];
}

static bool begin_dialect(const view_call *c, index_map *s)
{
    numbers from, to, axes;
    placement p;
    list_of(s->rank_in, s->shape_in, &from);
    list_of(c->count, c->shape, &to);
    axes.count = c->listed;
    for (int i = 0; i < c->listed; i++)
        axes.item[i] = c->axes[i];
    if (!dialect_rule(c->dialect, &from, &to, &axes, &p))
        return false;
    s->rank = p.rank;
    memcpy(s->shape, p.shape, (size_t)p.rank * sizeof *p.shape);
    for (int a = 0; a < s->rank; a++)
        s->order[a] = -1;
    for (int a = 0; a < s->rank_in; a++)
        s->order[p.axis[a]] = a;
    return is_shape(s->rank, s->shape);
}

static bool begin_permutation(const view_call *c, index_map *s)
{
    bool marked[ZC_MAX_RANK];
    if (c->count != s->rank_in || !mark_axes(c, s->rank_in, marked))
        return false;
    for (int a = 0; a < s->rank; a++)
        s->order[a] = plain_axis(c->axes[a], s->rank_in);
    set_shape_from_order(s);
    return true;
}

static bool begin_swap(index_map *s, int axis1, int axis2)
{
    if (!is_axis(axis1, s->rank_in) || !is_axis(axis2, s->rank_in))
        return false;
    s->order[plain_axis(axis1, s->rank_in)] = plain_axis(axis2, s->rank_in);
    s->order[plain_axis(axis2, s->rank_in)] = plain_axis(axis1, s->rank_in);
    set_shape_from_order(s);
    return true;
}

/* The others in order, and the source put in where the destination says. */
static bool begin_move(const view_call *c, index_map *s)
{
    if (!is_axis(c->axes[0], s->rank_in) || !is_axis(c->axes[1], s->rank_in))
        return false;
    int source = plain_axis(c->axes[0], s->rank_in);
    int destination = plain_axis(c->axes[1], s->rank_in);
    int other = 0;
    for (int a = 0; a < s->rank; a++) {
        if (a == destination) {
            s->order[a] = source;
            continue;
        }
        if (other == source)
            other++;
        s->order[a] = other++;
    }
    set_shape_from_order(s);
    return true;
}

/* Python's language reference, in 128 bits: the elements i + n*k, n >= 0, before j. */
static bool begin_slice(const view_call *c, index_map *s)
{
    if (!is_axis(c->axes[0], s->rank_in) || c->step == 0)
        return false;
    int axis = plain_axis(c->axes[0], s->rank_in);
    wide length = s->shape_in[axis];
    wide k = c->step;
    wide end = k > 0 ? length : length - 1;
    wide i = c->start < 0 ? c->start + length : c->start;
    wide j = c->stop < 0 ? c->stop + length : c->stop;
    wide begin = k > 0 ? 0 : -1;
    i = i > end ? end : i < begin ? begin : i;
    j = j > end ? end : j < begin ? begin : j;
    if (c->start == ZC_NONE)
        i = k > 0 ? 0 : length - 1;
    if (c->stop == ZC_NONE)
        j = k > 0 ? length : -1;
    wide count = k > 0 ? (j - i + k - 1) / k : (i - j - k - 1) / -k;
    s->first = (int64_t)i;
    s->shape[axis] = count > 0 ? (int64_t)count : 0;
    return true;
}

static void remove_axis(index_map *s, int axis)
{
    s->rank--;
    for (int a = axis; a < s->rank; a++) {
        s->shape[a] = s->shape[a + 1];
        s->order[a] = s->order[a + 1];
    }
}

static bool begin_index(const view_call *c, index_map *s)
{
    if (!is_axis(c->axes[0], s->rank_in))
        return false;
    int axis = plain_axis(c->axes[0], s->rank_in);
    wide length = s->shape_in[axis];
    s->first = (int64_t)(c->start < 0 ? c->start + length : c->start);
    remove_axis(s, axis);
    return -length <= c->start && c->start < length;
}

static bool begin_expansion(const view_call *c, index_map *s)
{
    if (s->rank_in == ZC_MAX_RANK || !is_axis(c->axes[0], s->rank_in + 1))
        return false;
    int axis = plain_axis(c->axes[0], s->rank_in + 1);
    s->rank++;
    for (int a = 0; a < s->rank; a++)
        s->order[a] = a < axis ? a : a == axis ? -1 : a - 1;
    set_shape_from_order(s);
    return true;
}

static bool begin_squeeze(const view_call *c, index_map *s)
{
    bool marked[ZC_MAX_RANK];
    if (!mark_axes(c, s->rank_in, marked))
        return false;
    for (int a = s->rank_in - 1; a >= 0; a--) {
        if (marked[a] && s->shape_in[a] != 1)
            return false;
        if (marked[a])
            remove_axis(s, a);
    }
    return true;
}

static bool begin_diagonal(const view_call *c, index_map *s)
{
    if (s->rank_in < 2 || !is_axis(c->axes[0], s->rank_in) || !is_axis(c->axes[1], s->rank_in))
        return false;
    int row = plain_axis(c->axes[0], s->rank_in);
    int column = plain_axis(c->axes[1], s->rank_in);
    if (row == column)
        return false;
    wide rows = s->shape_in[row] + (c->start < 0 ? (wide)c->start : 0);
    wide columns = s->shape_in[column] - (c->start > 0 ? (wide)c->start : 0);
    wide length = rows < columns ? rows : columns;
    remove_axis(s, row > column ? row : column);
    remove_axis(s, row > column ? column : row);
    s->order[s->rank] = -1;
    s->shape[s->rank++] = length < 0 ? 0 : (int64_t)length;
    return true;
}

/* The shape of so many quarter turns, taken one by one in oracle_pull. */
static int turns(int64_t k)
{
    return (int)((k % 4 + 4) % 4);
}

static bool begin_rotation(const view_call *c, index_map *s)
{
    if (s->rank_in < 2 || !is_axis(c->axes[0], s->rank_in) || !is_axis(c->axes[1], s->rank_in))
        return false;
    int from = plain_axis(c->axes[0], s->rank_in);
    int to = plain_axis(c->axes[1], s->rank_in);
    if (from == to)
        return false;
    if (turns(c->start) % 2 == 1) {
        s->shape[from] = s->shape_in[to];
        s->shape[to] = s->shape_in[from];
    }
    return true;
}

/* One turn takes row r of column j to what stood at (j, last - r). */
static void pull_rotation(const index_map *s, const int64_t *at, int64_t *from)
{
    int row = plain_axis(s->made_by->axes[0], s->rank_in);
    int column = plain_axis(s->made_by->axes[1], s->rank_in);
    int64_t columns = s->shape[column];
    int64_t rows = s->shape[row];
    memcpy(from, at, (size_t)s->rank * sizeof *at);
    for (int turn = turns(s->made_by->start); turn > 0; turn--) {
        int64_t kept = from[row];
        from[row] = from[column];
        from[column] = rows - 1 - kept; /* before the turn there were as many columns as rows now */
        int64_t exchanged = rows;
        rows = columns;
        columns = exchanged;
    }
}

static bool begin_windows(const view_call *c, index_map *s)
{
    if (c->count != (c->listed == -1 ? s->rank_in : c->listed) || s->rank_in + c->count > ZC_MAX_RANK)
        return false;
    for (int i = 0; i < c->count; i++) {
        int axis = c->listed == -1 ? i : c->axes[i];
        if (!is_axis(axis, s->rank_in) || c->shape[i] < 0)
            return false;
        wide positions = (wide)s->shape[plain_axis(axis, s->rank_in)] - c->shape[i] + 1;
        if (positions < 1 || positions > INT64_MAX)
            return false;
        s->shape[plain_axis(axis, s->rank_in)] = (int64_t)positions;
        s->order[s->rank] = -1;
        s->shape[s->rank++] = c->shape[i];
    }
    return is_shape(s->rank, s->shape);
}

static bool begin_reshape(const view_call *c, index_map *s)
{
    wide size = oracle_size(s->rank_in, s->shape_in);
    int unknown = -1;
    s->rank = c->count;
    memcpy(s->shape, c->shape, sizeof s->shape);
    for (int a = 0; a < s->rank; a++) {
        if (s->shape[a] != -1)
            continue;
        if (unknown >= 0)
            return false;
        unknown = a;
        s->shape[a] = 1;
    }
    if (!is_shape(s->rank, s->shape))
        return false;
    wide known = oracle_size(s->rank, s->shape);
    if (unknown < 0)
        return known == size;
    if (known == 0 || size % known != 0)
        return false;
    s->shape[unknown] = (int64_t)(size / known);
    return true;
}

bool oracle_map(const view_call *c, int rank, const int64_t *shape, index_map *out)
{
    memset(out, 0, sizeof *out);
    out->made_by = c;
    out->rank_in = out->rank = rank;
    memcpy(out->shape_in, shape, (size_t)rank * sizeof *shape);
    memcpy(out->shape, shape, (size_t)rank * sizeof *shape);
    for (int a = 0; a < rank; a++)
        out->order[a] = a;
    bool marked[ZC_MAX_RANK];
    switch (c->kind) {
    case CALL_BROADCAST_TO:
    case CALL_TF_BROADCAST_TO:
        return begin_broadcast(c, out);
    case CALL_DIALECT:
        return begin_dialect(c, out);
    case CALL_PERMUTE_DIMS:
        return begin_permutation(c, out);
    case CALL_MATRIX_TRANSPOSE:
        return rank >= 2 && begin_swap(out, rank - 2, rank - 1);
    case CALL_SWAPAXES:
        return begin_swap(out, c->axes[0], c->axes[1]);
    case CALL_MOVEAXIS:
        return begin_move(c, out);
    case CALL_SLICE:
        return begin_slice(c, out);
    case CALL_INDEX:
        return begin_index(c, out);
    case CALL_EXPAND_DIMS:
        return begin_expansion(c, out);
    case CALL_SQUEEZE:
        return begin_squeeze(c, out);
    case CALL_FLIP:
        return mark_axes(c, rank, marked);
    case CALL_ROT90:
        return begin_rotation(c, out);
    case CALL_DIAGONAL:
        return begin_diagonal(c, out);
    case CALL_SLIDING_WINDOW_VIEW:
        return begin_windows(c, out);
    case CALL_RESHAPE:
        return begin_reshape(c, out);
    default:
        out->rank = c->count;
        memcpy(out->shape, c->shape, sizeof out->shape);
        return is_shape(c->count, c->shape);
    }
}

void oracle_pull(const index_map *s, const int64_t *at, int64_t *from)
{
    const view_call *c = s->made_by;
    bool marked[ZC_MAX_RANK];
    if (c->kind == CALL_RESHAPE) {
        oracle_unravel((int64_t)oracle_ravel(s->rank, s->shape, at), s->rank_in, s->shape_in, from);
        return;
    }
    if (c->kind == CALL_ROT90) {
        pull_rotation(s, at, from);
        return;
    }
    for (int a = 0; a < s->rank_in; a++)
        from[a] = 0;
    for (int a = 0; a < s->rank; a++)
        if (s->order[a] >= 0)
            from[s->order[a]] = s->shape_in[s->order[a]] == 1 ? 0 : at[a];
    for (int i = 0; c->kind == CALL_SLIDING_WINDOW_VIEW && i < c->count; i++)
        from[c->listed == -1 ? i : plain_axis(c->axes[i], s->rank_in)] += at[s->rank_in + i];
    int axis = plain_axis(c->axes[0], s->rank_in);
    if (c->kind == CALL_SLICE)
        from[axis] = (int64_t)(s->first + (wide)at[axis] * c->step);
    if (c->kind == CALL_INDEX)
        from[axis] = s->first;
    if (c->kind == CALL_DIAGONAL) {
        from[axis] = at[s->rank - 1] - (c->start < 0 ? c->start : 0);
        from[plain_axis(c->axes[1], s->rank_in)] = at[s->rank - 1] + (c->start > 0 ? c->start : 0);
    }
    if (c->kind == CALL_FLIP && mark_axes(c, s->rank_in, marked))
        for (int a = 0; a < s->rank; a++)
            from[a] = marked[a] ? s->shape_in[a] - 1 - at[a] : at[a];
}
