/* Drawing calls, and handing them to the views room. */
#include "tests/views/chain.h"

#include "tests/support/random.h"
#include "views/view_ops.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool draw_chance(int one_in)
{
    return zc_random_range(1, one_in) == 1;
}

/* From 0..limit, small numbers as likely as large ones where limit is huge. */
static int64_t draw_up_to(int64_t limit, bool huge)
{
    if (!huge || limit < 16)
        return zc_random_range(0, limit);
    int bits = 63 - __builtin_clzll((unsigned long long)limit);
    int64_t bound = (int64_t)(((uint64_t)2 << zc_random_range(0, bits)) - 1);
    return zc_random_range(0, bound > limit ? limit : bound);
}

static int draw_axis(int rank)
{
    int wrong = draw_chance(40) ? 1 : 0;
    return (int)zc_random_range(-rank - wrong, rank - 1 + wrong);
}

static int64_t draw_extent(const chain_limits *limits)
{
    return draw_chance(25) ? 0 : 1 + draw_up_to(limits->extent - 1, limits->huge);
}

/* Product of the extents that are not 0; beyond int64 it is just large. */
static wide measure(int rank, const int64_t *shape)
{
    wide product = 1;
    for (int a = 0; a < rank && product <= INT64_MAX; a++)
        product *= shape[a] > 0 ? shape[a] : 1;
    return product;
}

int chain_draw_shape(const chain_limits *limits, int64_t *shape)
{
    int rank = (int)zc_random_range(0, limits->rank);
    for (int a = 0; a < rank; a++) {
        shape[a] = draw_extent(limits);
        while (measure(a + 1, shape) > limits->size)
            shape[a] /= 2;
    }
    return rank;
}

static void draw_broadcast(int rank, const int64_t *shape, const chain_limits *limits, view_call *c)
{
    int added = (int)zc_random_range(0, limits->rank > rank ? 2 : 0);
    c->count = rank + added;
    for (int a = 0; a < c->count; a++) {
        int64_t own = a < added ? 1 : shape[a - added];
        c->shape[a] = own == 1 && draw_chance(2) ? draw_extent(limits) : own;
        if (measure(c->count, c->shape) > limits->size && own == 1)
            c->shape[a] = 1;
    }
    if (c->count > 0 && draw_chance(12))
        c->shape[zc_random_range(0, c->count - 1)] = limits->huge ? (int64_t)zc_random_u64() : zc_random_range(-1, 3);
    if (draw_chance(40))
        c->count = (int)zc_random_range(0, c->count);
}

/* The size of a new axis, within what is left for all of them. */
static int64_t draw_new(const chain_limits *limits, wide *budget)
{
    int64_t extent = draw_extent(limits);
    if (extent > *budget)
        extent = 1;
    *budget /= extent > 0 ? extent : 1;
    return extent;
}

/* The operand's axes in order among new ones: a target and where they are in it, or for nGraph where they are not. */
static void draw_placed(int rank, const int64_t *shape, const chain_limits *limits, view_call *c)
{
    wide budget = limits->size / measure(rank, shape);
    int used = 0;
    c->count = rank + (int)zc_random_range(0, limits->rank > rank ? 2 : 0);
    for (int a = 0; a < c->count; a++) {
        bool is_own = used < rank && (c->count - a == rank - used || zc_random_bool());
        bool is_new = !is_own || (shape[used] == 1 && c->dialect != NGRAPH && zc_random_bool());
        c->shape[a] = is_new ? draw_new(limits, &budget) : shape[used];
        if (is_own == (c->dialect != NGRAPH))
            c->axes[c->listed++] = a;
        used += is_own;
    }
    if (c->dialect == STABLEHLO && rank > 1 && zc_random_bool()) { /* which may transpose */
        int kept = c->axes[0];
        c->axes[0] = c->axes[rank - 1];
        c->axes[rank - 1] = kept;
        int64_t size = c->shape[c->axes[0]];
        c->shape[c->axes[0]] = c->shape[kept];
        c->shape[kept] = size;
    }
    if (c->count > 0 && draw_chance(15))
        c->shape[zc_random_range(0, c->count - 1)] = limits->huge ? (int64_t)zc_random_u64() : zc_random_range(-1, 3);
    if (c->listed > 0 && draw_chance(15))
        c->axes[zc_random_range(0, c->listed - 1)] = (int)zc_random_range(-1, c->count);
}

/* Takes back what a dialect can fill in by itself: -1 or 1 for sizes of the operand, axes in front. */
static void loosen(int rank, const chain_limits *limits, view_call *c)
{
    bool keeps = c->dialect == MINDSPORE || c->dialect == TORCH;
    bool yields = c->dialect == ONNX || c->dialect == OPENVINO_BIDIRECTIONAL || c->dialect == OPENVINO_PDPD;
    int first = c->count - rank;
    for (int a = first > 0 ? first : 0; (keeps || yields) && a < c->count; a++)
        if (draw_chance(4))
            c->shape[a] = keeps ? -1 : 1;
    if (yields && c->dialect != OPENVINO_PDPD && c->count > 0 && draw_chance(6)) {
        c->count--;
        memmove(c->shape, c->shape + 1, (size_t)c->count * sizeof *c->shape);
    }
    if (c->dialect == OPENVINO_PDPD && zc_random_bool()) {
        c->listed = 1;
        c->axes[0] = first;
        if (c->count < limits->rank)
            c->shape[c->count++] = 1;
    }
}

static void draw_dialect(int rank, const int64_t *shape, const chain_limits *limits, view_call *c)
{
    c->dialect = (dialect)zc_random_range(0, DIALECTS - 1);
    if (dialect_takes_list(c->dialect) && c->dialect != OPENVINO_PDPD) {
        draw_placed(rank, shape, limits, c);
    } else if (c->dialect == XLA_BROADCAST) {
        wide budget = limits->size / measure(rank, shape);
        c->count = (int)zc_random_range(0, limits->rank > rank ? 2 : 0);
        for (int i = 0; i < c->count; i++)
            c->shape[i] = draw_chance(15) ? zc_random_range(-2, 0) : draw_new(limits, &budget);
    } else {
        draw_broadcast(rank, shape, limits, c);
        loosen(rank, limits, c);
    }
}

static void draw_order(int count, int *axes)
{
    for (int a = 0; a < count; a++)
        axes[a] = a;
    for (int a = count - 1; a > 0; a--) {
        int b = (int)zc_random_range(0, a);
        int kept = axes[a];
        axes[a] = axes[b];
        axes[b] = kept;
    }
    for (int a = 0; a < count; a++)
        axes[a] -= zc_random_bool() ? count : 0;
    if (count > 1 && draw_chance(15))
        axes[0] = axes[1];
}

static int64_t draw_bound(int64_t extent, bool huge)
{
    switch (zc_random_range(0, huge ? 9 : 19)) {
    case 0:
        return ZC_NONE;
    case 1:
        return zc_random_bool() ? INT64_MAX : INT64_MIN + 1;
    case 2:
        return (int64_t)zc_random_u64();
    default:
        return zc_random_bool() ? draw_up_to(extent, huge) : -draw_up_to(extent, huge) - 1;
    }
}

static void draw_slice(int rank, const int64_t *shape, const chain_limits *limits, view_call *c)
{
    c->axes[0] = draw_axis(rank);
    int64_t extent = rank > 0 ? shape[(c->axes[0] % rank + rank) % rank] : 1;
    c->start = draw_bound(extent, limits->huge);
    c->stop = draw_bound(extent, limits->huge);
    c->step = draw_chance(10) ? draw_bound(extent, true) : zc_random_range(-3, 3);
    if (c->step == 0 && !draw_chance(10))
        c->step = 1;
}

static void draw_index(int rank, const int64_t *shape, const chain_limits *limits, view_call *c)
{
    c->axes[0] = draw_axis(rank);
    int64_t extent = rank > 0 ? shape[(c->axes[0] % rank + rank) % rank] : 1;
    c->start =
        draw_chance(15) ? draw_bound(extent, limits->huge) : draw_up_to(extent > 0 ? extent - 1 : 0, limits->huge);
}

static void draw_axes(int rank, const int64_t *shape, bool ones, view_call *c)
{
    c->count = 0;
    for (int a = 0; a < rank; a++)
        if (zc_random_bool() && (!ones || shape[a] == 1 || draw_chance(30)))
            c->axes[c->count++] = zc_random_bool() ? a : a - rank;
    if (draw_chance(15))
        c->count = -1;
    else if (c->count > 1 && draw_chance(20))
        c->axes[0] = draw_axis(rank);
}

static void draw_strides(int rank, const int64_t *shape, const chain_limits *limits, view_call *c)
{
    int64_t size = rank > 0 ? shape[0] + 1 : 1;
    c->count = (int)zc_random_range(0, 3);
    c->start = draw_up_to(size, limits->huge);
    for (int a = 0; a < c->count; a++) {
        c->shape[a] = zc_random_range(draw_chance(8) ? 0 : 1, 3);
        c->stride[a] = draw_chance(20) ? (int64_t)(zc_random_u64() >> 3) : zc_random_range(-2, 4);
    }
    if (limits->huge && draw_chance(4))
        c->start = (int64_t)zc_random_u64();
}

/* A window per axis, or a few along axes that may come again; none where there would be too many axes or elements. */
static void draw_windows(int rank, const int64_t *shape, const chain_limits *limits, view_call *c)
{
    wide size = measure(rank, shape);
    c->listed = draw_chance(4) ? -1 : (int)zc_random_range(0, 2);
    c->count = draw_chance(30) ? (int)zc_random_range(0, 2) : c->listed == -1 ? rank : c->listed;
    if (rank == 0 || rank + c->count > limits->rank)
        c->count = c->listed = rank > 0 ? 0 : (int)zc_random_range(-1, 1);
    for (int i = 0; i < c->count; i++) {
        c->axes[i] = c->listed == -1 ? i : draw_axis(rank);
        int64_t extent = rank > 0 ? shape[(c->axes[i] % rank + rank) % rank] : 1;
        int64_t most = (wide)limits->size / size < extent ? (int64_t)((wide)limits->size / size) : extent;
        c->shape[i] = draw_chance(20) ? zc_random_range(-1, 3) : draw_up_to(most, limits->huge);
        size *= c->shape[i] > 0 ? c->shape[i] : 1;
    }
}

/* Splits the element count into factors, in random places. */
static void draw_factors(int rank, const int64_t *shape, const chain_limits *limits, view_call *c)
{
    wide rest = oracle_size(rank, shape);
    c->count = (int)zc_random_range(1, limits->rank);
    for (int a = 0; a < c->count; a++)
        c->shape[a] = 1;
    for (int64_t factor = 2; factor < 50 && rest > 1;) {
        if (rest % factor != 0) {
            factor++;
            continue;
        }
        rest /= factor;
        c->shape[zc_random_range(0, c->count - 1)] *= factor;
    }
    c->shape[c->count - 1] *= (int64_t)rest; /* what has no small factors, or 0 */
    if (rest == 0)
        for (int a = 0; a < c->count - 1; a++)
            c->shape[a] = draw_extent(limits);
    if (rest == 0 && measure(c->count, c->shape) > limits->size)
        c->count = 0;
    if (draw_chance(5))
        c->shape[zc_random_range(0, c->count > 0 ? c->count - 1 : 0)] = draw_chance(4) ? zc_random_range(-2, 9) : -1;
    if (draw_chance(30))
        c->shape[0] = -1;
}

void chain_draw(call_kind kind, int rank, const int64_t *shape, const chain_limits *limits, view_call *c)
{
    memset(c, 0, sizeof *c);
    c->kind = kind;
    c->axes[0] = draw_axis(rank);
    c->axes[1] = draw_axis(rank);
    switch (kind) {
    case CALL_BROADCAST_TO:
    case CALL_TF_BROADCAST_TO:
        draw_broadcast(rank, shape, limits, c);
        break;
    case CALL_PERMUTE_DIMS:
        c->count = draw_chance(30) ? (int)zc_random_range(-1, rank + 1) : rank;
        draw_order(c->count, c->axes);
        break;
    case CALL_SLICE:
        draw_slice(rank, shape, limits, c);
        break;
    case CALL_INDEX:
        draw_index(rank, shape, limits, c);
        break;
    case CALL_EXPAND_DIMS:
        c->axes[0] = draw_axis(rank + 1);
        break;
    case CALL_SQUEEZE:
    case CALL_FLIP:
        draw_axes(rank, shape, kind == CALL_SQUEEZE, c);
        break;
    case CALL_DIAGONAL:
        c->start = draw_bound(rank > 0 ? shape[0] : 3, limits->huge);
        break;
    case CALL_DIALECT:
        draw_dialect(rank, shape, limits, c);
        break;
    case CALL_ROT90:
        c->start = draw_bound(6, true);
        break;
    case CALL_SLIDING_WINDOW_VIEW:
        draw_windows(rank, shape, limits, c);
        break;
    case CALL_AS_STRIDED:
        draw_strides(rank, shape, limits, c);
        break;
    case CALL_RESHAPE:
        draw_factors(rank, shape, limits, c);
        break;
    default:
        break;
    }
}

zc_status chain_call(const view_call *c, const zc_view *in, bool *affine, zc_view *out, zc_reason *why)
{
    switch (c->kind) {
    case CALL_BROADCAST_TO:
        return zc_view_broadcast_to(in, c->count, c->shape, out, why);
    case CALL_TF_BROADCAST_TO:
        return zc_view_tf_broadcast_to(in, c->count, c->shape, out, why);
    case CALL_PERMUTE_DIMS:
        return zc_view_permute_dims(in, c->count, c->axes, out, why);
    case CALL_MATRIX_TRANSPOSE:
        return zc_view_matrix_transpose(in, out, why);
    case CALL_SWAPAXES:
        return zc_view_swapaxes(in, c->axes[0], c->axes[1], out, why);
    case CALL_MOVEAXIS:
        return zc_view_moveaxis(in, c->axes[0], c->axes[1], out, why);
    case CALL_SLICE:
        return zc_view_slice(in, c->axes[0], c->start, c->stop, c->step, out, why);
    case CALL_INDEX:
        return zc_view_index(in, c->axes[0], c->start, out, why);
    case CALL_EXPAND_DIMS:
        return zc_view_expand_dims(in, c->axes[0], out, why);
    case CALL_SQUEEZE:
        return zc_view_squeeze(in, c->count, c->axes, out, why);
    case CALL_FLIP:
        return zc_view_flip(in, c->count, c->axes, out, why);
    case CALL_DIALECT:
        return dialect_call(c->dialect, in, c->count, c->shape, c->listed, c->axes, out, why);
    case CALL_ROT90:
        return zc_view_rot90(in, c->start, c->axes[0], c->axes[1], out, why);
    case CALL_DIAGONAL:
        return zc_view_diagonal(in, c->start, c->axes[0], c->axes[1], out, why);
    case CALL_SLIDING_WINDOW_VIEW:
        return zc_view_sliding_window_view(in, c->count, c->shape, c->listed, c->axes, out, why);
    case CALL_AS_STRIDED:
        return zc_view_as_strided(in, c->count, c->shape, c->stride, c->start, out, why);
    default:
        return zc_view_reshape(in, c->count, c->shape, affine, out, why);
    }
}

const char *chain_text(const view_call *c, int rank, const int64_t *shape, char *buffer, size_t bytes)
{
    static const char *const names[CALL_KINDS] = {
        "broadcast_to", "tf_broadcast_to", "permute_dims", "matrix_transpose",    "swapaxes",
        "moveaxis",     "slice",           "index",        "expand_dims",         "squeeze",
        "flip",         "rot90",           "diagonal",     "sliding_window_view", "dialect",
        "as_strided",   "reshape"};
    char in[ZC_SHAPE_TEXT];
    char to[ZC_SHAPE_TEXT];
    snprintf(
        buffer, bytes,
        "%s of %s: count %d, shape %s, axes %d %d, start/index/offset %" PRId64 ", stop %" PRId64 ", step %" PRId64,
        c->kind == CALL_DIALECT ? dialect_names[c->dialect] : names[c->kind], zc_shape_text(in, sizeof in, rank, shape),
        c->count, zc_shape_text(to, sizeof to, c->count > 0 ? c->count : 0, c->shape), c->axes[0], c->axes[1], c->start,
        c->stop, c->step);
    return buffer;
}
