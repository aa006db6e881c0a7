/*
 * Padding: axis by axis a concat of views. What is put before and after an axis is a broadcast of one element, or runs
 * of the axis itself, forwards and backwards. Many runs are taken by computed positions instead, so that what is
 * recorded does not grow with the padding.
 */
#include "runtime/graph/scope.h"
#include "runtime/record/record.h"

enum { MOST_PERIODS = 8 };

/* The runs that an axis and its padding consist of, as tensors. */
typedef struct runs {
    zc_context *ctx;
    zc_tensor **tensors;
    size_t bytes; /* of the list */
    int count, room;
} runs;

static void release_runs(runs *r)
{
    for (int i = 0; i < r->count; i++)
        zc_release(r->tensors[i]);
    if (r->tensors != NULL)
        zc_heap_give(r->ctx->heap, r->tensors, r->bytes);
}

/* Takes over the run, which may be NULL: false then, and when memory is out. */
static bool add_run(runs *r, zc_tensor *run)
{
    if (run != NULL && r->count < r->room) { /* LCOV_EXCL_BR_LINE: begin_runs() made room for all */
        r->tensors[r->count++] = run;
        return true;
    }
    zc_release(run);
    return false;
}

/* Room for an axis that is repeated so often as a whole: two runs each time, and twice two that are cut off. */
static bool begin_runs(runs *r, zc_context *ctx, int times)
{
    *r = (runs){.ctx = ctx};
    r->room = 2 * times + 4;
    r->bytes = (size_t)r->room * sizeof *r->tensors;
    r->tensors = zc_heap_take(ctx->heap, r->bytes);
    if (r->tensors == NULL)
        (void)zc_fail_memory(ctx, "pad");
    return r->tensors != NULL;
}

/* ---- What is put there ---- */

/* `length` times what `element` shows, whose extent along the axis is 1; element may be NULL. */
static zc_tensor *spread(const zc_tensor *element, int axis, int64_t length)
{
    if (element == NULL)
        return NULL;
    int64_t shape[ZC_MAX_RANK];
    for (int a = 0; a < element->rank; a++)
        shape[a] = a == axis ? length : element->dims[a];
    return zc_broadcast_to(element, element->rank, shape);
}

/* The value, in t's dtype, along an axis of t. */
static zc_tensor *fill(const zc_tensor *t, int axis, int64_t length, const zc_tensor *value)
{
    int64_t shape[ZC_MAX_RANK];
    for (int a = 0; a < t->rank; a++)
        shape[a] = a == axis ? length : t->dims[a];
    return zc_broadcast_to(value, t->rank, shape);
}

static zc_tensor *edge(const zc_tensor *t, int axis, int64_t length, bool is_last)
{
    zc_tensor *element = zc_slice(t, axis, is_last ? -1 : 0, is_last ? ZC_NONE : 1, 1);
    zc_tensor *run = spread(element, axis, length);
    zc_release(element);
    return run;
}

static bool pad_ends(const zc_tensor *t, int axis, int64_t before, int64_t after, const zc_tensor *value, runs *r)
{
    return begin_runs(r, t->ctx, 0) &&
           add_run(r, value != NULL ? fill(t, axis, before, value) : edge(t, axis, before, false)) &&
           add_run(r, zc_adopt(t->ctx, t)) &&
           add_run(r, value != NULL ? fill(t, axis, after, value) : edge(t, axis, after, true));
}

/* ---- Runs of the axis itself ---- */

/* The axis of several elements continued for ever: forwards, and then, where it turns, backwards. Reflecting leaves out
 * both ends on the way back. */
typedef struct pattern {
    int64_t extent;
    int64_t back; /* elements on the way back */
    bool skips_ends;
} pattern;

static pattern pattern_of(zc_pad_mode mode, int64_t extent)
{
    bool reflects = mode == ZC_PAD_REFLECT;
    int64_t back = mode == ZC_PAD_SYMMETRIC ? extent : reflects ? extent - 2 : 0;
    return (pattern){extent, back, reflects};
}

/* The run of t that begins `at` elements into the pattern's period and has at most `most` elements; *length is how many
 * it has. */
static zc_tensor *run_at(const zc_tensor *t, int axis, const pattern *p, int64_t at, int64_t most, int64_t *length)
{
    if (at < p->extent) {
        *length = zc_smaller(p->extent - at, most);
        return zc_slice(t, axis, at, at + *length, 1);
    }
    int64_t gone = at - p->extent;
    int64_t first = p->extent - 1 - (p->skips_ends ? 1 : 0) - gone;
    *length = zc_smaller(p->back - gone, most);
    return zc_slice(t, axis, first, first - *length < 0 ? ZC_NONE : first - *length, -1);
}

static int64_t period_of(const pattern *p)
{
    return p->extent + p->back; /* proven: at most two extents, and the padded one fits */
}

/* t at positions along the axis that repeat the pattern: element i of the result is element i - before of it. */
static zc_tensor *take_pattern(const zc_tensor *t, int axis, int64_t before, int64_t length, const pattern *p)
{
    zc_scope *scope = zc_scope_begin(t->ctx);
    if (scope == NULL)
        return NULL;
    const int64_t last = p->extent - 1 + p->extent - (p->skips_ends ? 1 : 0); /* of a place and the one it turns to */
    zc_tensor *place = zc_remainder(zc_subtract(zc_iota(t->ctx, length), zc_weak_int(t->ctx, before)),
                                    zc_weak_int(t->ctx, period_of(p)));
    if (p->back > 0) {
        zc_tensor *is_back = zc_greater_equal(place, zc_weak_int(t->ctx, p->extent));
        place = zc_where(is_back, zc_subtract(zc_weak_int(t->ctx, last), place), place);
    }
    return zc_scope_end_with(scope, place == NULL ? NULL : zc_take(t, place, axis));
}

static bool pad_runs(const zc_tensor *t, int axis, int64_t before, int64_t after, const pattern *p, runs *r)
{
    int64_t period = period_of(p);
    int64_t left = before + p->extent + after;
    int64_t at = (period - before % period) % period;
    if (!begin_runs(r, t->ctx, (int)(left / period)))
        return false;
    while (left > 0) {
        int64_t length;
        if (!add_run(r, run_at(t, axis, p, at, left, &length)))
            return false;
        left -= length;
        at = (at + length) % period;
    }
    return true;
}

/* ---- The whole ---- */

static zc_tensor *pad_axis(const zc_tensor *t, int axis, int64_t before, int64_t after, zc_pad_mode mode,
                           const zc_tensor *value)
{
    runs r;
    bool made;
    if (mode == ZC_PAD_CONSTANT || mode == ZC_PAD_EDGE || t->dims[axis] == 1) {
        made = pad_ends(t, axis, before, after, mode == ZC_PAD_CONSTANT ? value : NULL, &r);
    } else {
        pattern p = pattern_of(mode, t->dims[axis]);
        int64_t length = before + t->dims[axis] + after; /* proven: check_widths() */
        if (length / period_of(&p) > MOST_PERIODS)
            return take_pattern(t, axis, before, length, &p);
        made = pad_runs(t, axis, before, after, &p, &r);
    }
    zc_tensor *result = NULL;
    if (made)
        result = zc_concat(t->ctx, r.count, (const zc_tensor *const *)(const void *)r.tensors, axis);
    release_runs(&r);
    return result;
}

static zc_status check_widths(const zc_tensor *t, int rank, const int64_t *before, const int64_t *after,
                              zc_pad_mode mode, const zc_tensor *value)
{
    char text[ZC_SHAPE_TEXT];
    int64_t shape[ZC_MAX_RANK], size;
    zc_reason why;
    if (before == NULL || after == NULL || rank != t->rank)
        return zc_fail(t->ctx, ZC_ERROR_ARGUMENT, "pad", "shape %s has %d axes, but padding is given for %d",
                       zc_shape_text(text, sizeof text, t->rank, t->dims), t->rank,
                       before == NULL || after == NULL ? 0 : rank);
    if ((int)mode < 0 || mode > ZC_PAD_WRAP)
        return zc_fail(t->ctx, ZC_ERROR_ARGUMENT, "pad", "%d is not a mode", (int)mode);
    if (value != NULL && (value->rank != 0 || value->ctx != t->ctx))
        return zc_fail(t->ctx, ZC_ERROR_ARGUMENT, "pad", "the value is no scalar of the tensor's context");
    for (int a = 0; a < rank; a++) {
        int64_t padded;
        if (before[a] < 0 || after[a] < 0)
            return zc_fail(t->ctx, ZC_ERROR_ARGUMENT, "pad", "the padding of axis %d is negative", a);
        if (!zc_checked_add(before[a], after[a], &padded) || !zc_checked_add(padded, t->dims[a], &padded) ||
            !zc_checked_add(padded, t->dims[a], &padded))
            return zc_fail(t->ctx, ZC_ERROR_OVERFLOW, "pad", "the padding of axis %d is more than int64 holds", a);
        if (mode != ZC_PAD_CONSTANT && t->dims[a] == 0 && before[a] + after[a] > 0)
            return zc_fail(t->ctx, ZC_ERROR_ARGUMENT, "pad", "axis %d of shape %s has no elements to repeat", a,
                           zc_shape_text(text, sizeof text, t->rank, t->dims));
        shape[a] = before[a] + t->dims[a] + after[a]; /* proven: just now */
    }
    zc_status status = zc_shape_size(rank, shape, &size, &why);
    return status == ZC_OK ? ZC_OK : zc_fail_because(t->ctx, status, "pad", &why);
}

zc_tensor *zc_pad(const zc_tensor *t, int rank, const int64_t *before, const int64_t *after, zc_pad_mode mode,
                  const zc_tensor *value)
{
    if (zc_refuse_lost("pad", "t, value", (const zc_tensor *const[]){t, value}, value != NULL ? 2 : 1) ||
        check_widths(t, rank, before, after, mode, value) != ZC_OK)
        return NULL;
    zc_tensor *filler = value != NULL ? zc_astype(value, zc_dtype_of(t)) : zc_full(t->ctx, 0, NULL, zc_dtype_of(t), 0);
    zc_tensor *padded = filler != NULL ? zc_adopt(t->ctx, t) : NULL;
    for (int a = 0; a < rank && padded != NULL; a++) {
        if (before[a] == 0 && after[a] == 0)
            continue;
        zc_tensor *inner = padded;
        padded = pad_axis(inner, a, before[a], after[a], mode, filler);
        zc_release(inner);
    }
    zc_release(filler);
    return padded;
}
