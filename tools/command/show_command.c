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

static zc_tensor *number(zc_context *ctx, double value)
{
    return zc_weak_float(ctx, value);
}

/* Puts a number in the place of NaN and infinities. */
static zc_tensor *finite_or(zc_context *ctx, const zc_tensor *x, double otherwise)
{
    return zc_where(zc_isfinite(x), x, number(ctx, otherwise));
}

typedef zc_tensor *reduction(const zc_tensor *x, int count, const int *axes, bool keepdims);

/* ---- Fewer numbers ---- */

/* An array as rows and columns of pixels; a line is one column. */
typedef struct grid {
    int64_t rows, columns, channels;
} grid;

/* Runs of an axis that share a place of a picture. */
typedef struct runs {
    int64_t from, count, each;
} runs;

/* Divides an extent into at most `most` runs of one length; a shorter one at the end is the second part. Returns the
 * number of parts. */
static int find_runs(int64_t extent, int most, runs parts[2])
{
    const int64_t each = (extent - 1) / most + 1, whole = extent / each;
    parts[0] = (runs){0, whole, each};
    parts[1] = (runs){whole * each, 1, extent - whole * each}; /* proven: at most the extent */
    return parts[1].each > 0 ? 2 : 1;
}

static int64_t places_of(int64_t extent, int most)
{
    runs parts[2];
    return find_runs(extent, most, parts) == 2 ? parts[0].count + 1 : parts[0].count;
}

static zc_tensor *reduce_block(const zc_tensor *x, const runs *down, const runs *across, int64_t channels,
                               reduction *join)
{
    const int64_t rows = down->count * down->each, columns = across->count * across->each; /* proven: at most x's */
    const zc_tensor *block = zc_slice(x, 0, down->from, down->from + rows, 1);
    block = zc_slice(block, 1, across->from, across->from + columns, 1);
    return join(zc_reshape(block, ZC_SHAPE(down->count, down->each, across->count, across->each, channels)),
                ZC_AXES(1, 3), false);
}

/* Reduces x, of the grid's shape, to the places of a picture. */
static zc_tensor *reduce(zc_context *ctx, const zc_tensor *x, const grid *from, const grid *to, reduction *join)
{
    runs down[2], across[2];
    const zc_tensor *strips[2], *blocks[2];
    const int parts_down = find_runs(from->rows, (int)to->rows, down);
    const int parts_across = find_runs(from->columns, (int)to->columns, across);
    for (int i = 0; i < parts_down; i++) {
        for (int k = 0; k < parts_across; k++)
            blocks[k] = reduce_block(x, &down[i], &across[k], from->channels, join);
        strips[i] = zc_concat(ctx, parts_across, blocks, 1);
    }
    return zc_concat(ctx, parts_down, strips, 0);
}

/* Computes two tensors of `count` elements as doubles behind each other, which the caller frees; NULL with a fault, or
 * with the context's error. */
static double *take_pair(zc_context *ctx, const zc_tensor *a, const zc_tensor *b, int64_t count, zc_fault *fault)
{
    const zc_tensor *pair = zc_stack(ctx, ZC_TENSORS(a, zc_astype(b, ZC_FLOAT64)), 0);
    const size_t bytes = 2 * (size_t)count * sizeof(double); /* proven: places of a screen */
    double *v = malloc(bytes);
    if (v == NULL)
        (void)zc_fault_memory(fault);
    else if (zc_copy_to(pair, ZC_FLOAT64, v, bytes) == ZC_OK)
        return v;
    free(v);
    return NULL;
}

/* ---- The pictures ---- */

/* A line of the least and the largest finite elements of each place. */
static bool draw_line(zc_context *ctx, const zc_screen *screen, const zc_tensor *x, const grid *from, zc_fault *fault)
{
    const grid to = {places_of(from->rows, zc_line_columns(screen)), 1, 1};
    const zc_tensor *low = finite_or(ctx, x, (double)INFINITY), *high = finite_or(ctx, x, -(double)INFINITY);
    double *v =
        take_pair(ctx, reduce(ctx, low, from, &to, zc_min), reduce(ctx, high, from, &to, zc_max), to.rows, fault);
    if (v != NULL)
        zc_draw_line(screen, (int)to.rows, v, v + to.rows);
    free(v);
    return v != NULL;
}

/* An image of the means of the finite elements of each place. */
static bool draw_image(zc_context *ctx, const zc_screen *screen, const zc_tensor *x, const grid *from, zc_fault *fault)
{
    const grid to = {places_of(from->rows, zc_image_rows(screen)), places_of(from->columns, screen->columns),
                     from->channels};
    const int64_t count = to.rows * to.columns * to.channels; /* proven: places of a screen */
    double *v = take_pair(ctx, reduce(ctx, finite_or(ctx, x, 0), from, &to, zc_sum),
                          reduce(ctx, zc_isfinite(x), from, &to, zc_count_nonzero), count, fault);
    for (int64_t i = 0; v != NULL && i < count; i++)
        v[i] /= v[count + i]; /* NaN where there are none */
    if (v != NULL)
        zc_draw_image(screen, (int)to.rows, (int)to.columns, (int)to.channels, v);
    free(v);
    return v != NULL;
}

/* Finds the least and the largest finite element. */
static bool find_range(zc_context *ctx, const zc_tensor *x, double ends[2])
{
    const zc_tensor *low = zc_min(finite_or(ctx, x, (double)INFINITY), ZC_ALL_AXES, false);
    const zc_tensor *high = zc_max(finite_or(ctx, x, -(double)INFINITY), ZC_ALL_AXES, false);
    return zc_copy_to(zc_stack(ctx, ZC_TENSORS(low, high), 0), ZC_FLOAT64, ends, 2 * sizeof *ends) == ZC_OK;
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
    double ends[2] = {0, 0}, edges[BINS + 1];
    int64_t heights[BINS];
    if (zc_size(x) > 0 && !find_range(ctx, x, ends))
        return false;
    if (zc_size(x) == 0 || !(ends[0] <= ends[1]))
        return zc_fault_refuse(fault, "show: there are no finite elements");
    const double low = ends[0], high = ends[1];
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
    double ends[2] = {0, 1};
    if (channels == 1 && !find_range(ctx, x, ends))
        return NULL;
    const zc_tensor *part = zc_where(zc_isfinite(x), parts_of(ctx, x, ends[0], ends[1]), number(ctx, 0));
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

/* Real numbers; of colors in integers of 8 and 16 bits, 0 to 1. */
static const zc_tensor *as_numbers(zc_context *ctx, const zc_tensor *t, int channels)
{
    const zc_tensor *x = zc_astype(t, ZC_FLOAT64);
    const zc_dtype dtype = channels > 1 ? zc_dtype_of(t) : ZC_FLOAT64;
    const double most = dtype == ZC_UINT8 ? UINT8_MAX : dtype == ZC_UINT16 ? UINT16_MAX : 1;
    return zc_divide(x, number(ctx, most));
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
    const int64_t *shape = zc_shape(x);
    const grid from = {shape[0], channels > 0 ? shape[1] : 1, channels > 0 ? channels : 1};
    const zc_tensor *pixels = zc_reshape(x, ZC_SHAPE(from.rows, from.columns, from.channels));
    return (channels > 0 ? draw_image : draw_line)(session->ctx, &screen, pixels, &from, fault);
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
