/* A batch of images: each channel centred and scaled, 3 by 3 means with repeated edges, bright ones counted per image.
 * One expression, one pass; neither the padded images nor their windows are ever in memory. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <zerocast.h>

#include "examples/input.h"

enum { HEIGHT = 512, WIDTH = 512, CHANNELS = 3 };

static const char bright[] = "m = astype(asarray([114.5, 127.5, 130.5]), float32);"
                             "d = astype(asarray([58, 60, 56]), float32);"
                             "p = pad((x - m) / d, ((0, 0), (1, 1), (1, 1), (0, 0)), mode='edge');"
                             "w = sliding_window_view(p, (3, 3), (1, 2));"
                             "count_nonzero(mean(w, axis=(4, 5)) > 0.5, axis=(1, 2, 3))";

int main(int argc, char **argv)
{
    const unsigned n = program_size(argc, argv, 2, 16);
    const size_t bytes = (size_t)n * HEIGHT * WIDTH * CHANNELS, count_bytes = n * sizeof(int64_t);
    uint8_t *images = zeros(bytes);
    int64_t *counts = zeros(count_bytes);
    fill_bytes(images, bytes, 1);
    zc_context *ctx = zc_context_new(NULL);
    zc_scope_begin(ctx); /* until the context ends */
    zc_tensor *x = zc_import(ctx, ZC_UINT8, ZC_SHAPE(n, HEIGHT, WIDTH, CHANNELS), NULL, 0, images, bytes, NULL, NULL);
    const int failed = zc_copy_to(zc_eval(ctx, bright, ZC_NAMED(x)), ZC_INT64, counts, count_bytes) != ZC_OK;
    if (failed)
        fprintf(stderr, "%s\n", zc_error_text(ctx));
    for (unsigned i = 0; i < n && !failed; i++)
        printf("image %u: %" PRId64 " bright\n", i, counts[i]);
    zc_context_free(ctx);
    free(images);
    free(counts);
    return failed;
}
