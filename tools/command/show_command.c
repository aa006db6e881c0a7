/*
 * A picture takes as many numbers as the screen has places: means of an image's pixels, extremes of a line's points,
 * counts of a histogram's bins. They are recorded like any expression, so a large array is read once and no copy of it
 * is made.
 */
#include "tools/command/show_command.h"

#include <math.h>
#include <stdlib.h>

#include "tools/command/pipes.h"
#include "tools/command/session.h"
#include "tools/output/picture.h"

enum { BINS = 20, COLORS = 256 };

typedef zc_tensor *reduction(const zc_tensor *x, int count, const int *axes, bool keepdims);

/* ---- Fewer numbers ---- */

/* Joins runs of an axis so that at most `most` are left; what lacks in the last run is its last element again. */
static zc_tensor *shrink(const zc_tensor *x, int axis, int most, reduction *join)
{
    int64_t shape[ZC_MAX_RANK + 1], before[ZC_MAX_RANK] = {0}, after[ZC_MAX_RANK] = {0};
    const int rank = zc_rank(x);
    const int64_t extent = rank > 0 ? zc_shape(x)[axis] : 0;
    if (extent <= most || rank == ZC_MAX_RANK)
        return zc_retain((zc_tensor *)(uintptr_t)x);
    const int64_t each = (extent - 1) / most + 1, count = (extent - 1) / each + 1;
    for (int a = 0; a < rank; a++)
        shape[a < axis ? a : a + 1] = zc_shape(x)[a];
    shape[axis] = count;
    shape[axis + 1] = each;
    after[axis] = count * each - extent; /* proven: less than a run */
    return join(zc_reshape(zc_pad(x, rank, before, after, ZC_PAD_EDGE, NULL), rank + 1, shape), ZC_AXES(axis + 1),
                false);
}

/* Computes a tensor as doubles, which the caller frees; NULL with a fault. */
static double *take_doubles(const zc_tensor *t, zc_fault *fault)
{
    const size_t count = t != NULL ? (size_t)zc_size(t) : 0;
    double *v = malloc((count + 1) * sizeof *v);
    if (v == NULL)
        (void)zc_fault_memory(fault);
    else if (t != NULL && zc_copy_to(t, ZC_FLOAT64, v, count * sizeof *v) == ZC_OK)
        return v;
    free(v);
    return NULL;
}

/* ---- The pictures ---- */

static bool draw_line(const zc_screen *screen, const zc_tensor *x, zc_fault *fault)
{
    const int most = zc_line_columns(screen);
    const zc_tensor *low = shrink(x, 0, most, zc_min);
    double *lows = take_doubles(low, fault), *highs = take_doubles(shrink(x, 0, most, zc_max), fault);
    const bool ok = lows != NULL && highs != NULL;
    if (ok)
        zc_draw_line(screen, (int)zc_size(low), lows, highs);
    free(lows);
    free(highs);
    return ok;
}

/* An image of one channel, or of the channels that its last axis has. */
static bool draw_image(const zc_screen *screen, const zc_tensor *x, int channels, zc_fault *fault)
{
    const int rows = zc_image_rows(screen);
    const zc_tensor *across = shrink(x, 1, screen->columns, zc_mean), *small = shrink(across, 0, rows, zc_mean);
    double *v = take_doubles(small, fault);
    if (v != NULL)
        zc_draw_image(screen, (int)zc_shape(small)[0], (int)zc_shape(small)[1], channels, v);
    free(v);
    return v != NULL;
}

static zc_tensor *number(zc_context *ctx, double value)
{
    return zc_weak_float(ctx, value);
}

/* The least and the largest finite element. */
static bool find_range(zc_context *ctx, const zc_tensor *x, double *low, double *high)
{
    const zc_tensor *is_finite = zc_isfinite(x);
    const zc_tensor *ends[] = {zc_min(zc_where(is_finite, x, number(ctx, (double)INFINITY)), ZC_ALL_AXES, false),
                               zc_max(zc_where(is_finite, x, number(ctx, -(double)INFINITY)), ZC_ALL_AXES, false)};
    zc_tensor *found[2] = {NULL, NULL};
    return zc_materialize_all(2, ends, found) == ZC_OK && zc_item(found[0], low) == ZC_OK &&
           zc_item(found[1], high) == ZC_OK;
}

/* Places of x in a range, from 0 to 1: halves, since the width of a range may be infinite. */
static zc_tensor *parts_of(zc_context *ctx, const zc_tensor *x, double low, double high)
{
    const double width = high / 2 - low / 2;
    const zc_tensor *from = zc_subtract(zc_multiply(x, number(ctx, 0.5)), number(ctx, low / 2));
    return zc_divide(from, number(ctx, width > 0 ? width : 1));
}

static bool draw_histogram(zc_context *ctx, const zc_screen *screen, const zc_tensor *x, zc_fault *fault)
{
    double low = 0, high = 0, edges[BINS + 1];
    int64_t heights[BINS];
    if (zc_size(x) == 0 || !find_range(ctx, x, &low, &high) || !(low <= high))
        return zc_error_status(ctx) == ZC_OK && zc_fault_refuse(fault, "show: there are no finite elements");
    const zc_tensor *all = zc_reshape(x, ZC_SHAPE(zc_size(x), 1)), *is_finite = zc_isfinite(all);
    const zc_tensor *bin = zc_floor(zc_multiply(parts_of(ctx, all, low, high), number(ctx, BINS)));
    const zc_tensor *last = zc_minimum(bin, number(ctx, BINS - 1)); /* the largest element is in the last one */
    const zc_tensor *is_in = zc_logical_and(is_finite, zc_equal(last, zc_iota(ctx, BINS)));
    if (zc_copy_to(zc_count_nonzero(is_in, ZC_AXES(0), false), ZC_INT64, heights, sizeof heights) != ZC_OK)
        return false;
    for (int i = 0; i <= BINS; i++)
        edges[i] = 2 * (low / 2 + (high / 2 - low / 2) * i / (double)BINS);
    zc_draw_bars(screen, BINS, edges, heights);
    return true;
}

/* ---- Files ---- */

/* The colors of COLORS numbers from 0 to 1: (COLORS, 3) uint8. */
static zc_tensor *make_colors(zc_context *ctx)
{
    uint8_t colors[COLORS][3];
    for (int i = 0; i < COLORS; i++)
        zc_color_of((double)i / (COLORS - 1), colors[i]);
    return zc_from_data(ctx, ZC_UINT8, ZC_SHAPE(COLORS, 3), colors, sizeof colors);
}

/* An image as uint8: a matrix in colors, channels from 0 to 1 as 0 to 255. */
static zc_tensor *as_pixels(zc_context *ctx, const zc_tensor *x, int channels)
{
    double low = 0, high = 1;
    if (channels == 1 && !find_range(ctx, x, &low, &high))
        return NULL;
    const zc_tensor *part = zc_where(zc_isfinite(x), parts_of(ctx, x, low, high), number(ctx, 0));
    const zc_tensor *levels = zc_round(zc_multiply(zc_clip(part, number(ctx, 0), number(ctx, 1)), number(ctx, 255)));
    return channels == 1 ? zc_take(make_colors(ctx), zc_astype(levels, ZC_INT64), 0) : zc_astype(levels, ZC_UINT8);
}

/* ---- The command ---- */

/* Channels of an image: 1 of a matrix, 3 or 4 of colors, 0 of what is none. */
static int channels_of(const zc_tensor *t)
{
    const int rank = zc_rank(t);
    const int64_t last = rank > 0 ? zc_shape(t)[rank - 1] : 0;
    return rank == 2 ? 1 : rank == 3 && (last == 3 || last == 4) ? (int)last : 0;
}

/* Real numbers; of colors in bytes, 0 to 1. */
static const zc_tensor *as_numbers(zc_context *ctx, const zc_tensor *t, int channels)
{
    const zc_tensor *x = zc_astype(t, ZC_FLOAT64);
    return channels > 1 && zc_dtype_of(t) == ZC_UINT8 ? zc_divide(x, number(ctx, 255)) : x;
}

static bool save(const zc_session *session, const zc_request *request, const zc_tensor *x, int channels,
                 zc_fault *fault)
{
    if (channels == 0)
        return zc_fault_refuse(fault, "show: images are saved, of shape (rows, columns) or with 3 or 4 channels");
    const zc_tensor *pixels = as_pixels(session->ctx, x, channels);
    return pixels != NULL && zc_save_results(session->ctx, 1, &pixels, request, fault);
}

static bool draw(const zc_session *session, const zc_request *request, const zc_tensor *t, zc_fault *fault)
{
    zc_screen screen = zc_screen_of(stdout);
    const int channels = channels_of(t);
    const zc_tensor *x = as_numbers(session->ctx, t, channels);
    if (x == NULL)
        return false;
    if (request->output_count > 0)
        return save(session, request, x, channels, fault);
    if (request->histogram)
        return draw_histogram(session->ctx, &screen, x, fault);
    if (zc_size(t) == 0 || (channels == 0 && zc_rank(t) != 1))
        return zc_fault_refuse(fault,
                               "show: draws arrays of one axis, of two, or of rows, columns and 3 or 4 channels");
    return channels > 0 ? draw_image(&screen, x, channels, fault) : draw_line(&screen, x, fault);
}

static bool show(const zc_session *session, const zc_request *request, zc_fault *fault)
{
    if (session->results.count != 1 || request->output_count > 1)
        return zc_fault_refuse(fault, "show: draws one result%s", request->output_count > 1 ? ", to one file" : "");
    zc_scope *scope = zc_scope_begin(session->ctx);
    bool ok = scope != NULL && draw(session, request, session->results.tensors[0], fault);
    if (!ok && fault->status == ZC_OK)
        ok = zc_fault_library(fault, session->ctx);
    zc_scope_end(scope);
    return ok;
}

bool zc_show_command(const zc_request *request, zc_fault *fault)
{
    zc_session session;
    const bool ok = zc_session_begin(&session, request, fault) && show(&session, request, fault);
    zc_session_end(&session);
    return ok;
}
