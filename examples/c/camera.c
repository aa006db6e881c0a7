/* Frames of a camera, in buffers whose rows are padded to a pitch: what differs from the frame before and from a
 * background that follows slowly has moved. Frames are seen where they are, at the stride of their rows. */
#include <stdio.h>
#include <stdlib.h>

#include <zerocast.h>

#include "examples/input.h"

enum { HEIGHT = 720, WIDTH = 1280, PITCH = 1344, BUFFERS = 4, BYTES = BUFFERS * HEIGHT * PITCH };

int main(int argc, char **argv)
{
    const int frames = (int)program_size(argc, argv, 8, 400);
    const int64_t strides[] = {HEIGHT * PITCH, PITCH, 1};
    uint8_t *memory = zeros(BYTES);
    fill_bytes(memory, BYTES, 1);
    zc_context *ctx = zc_context_new(NULL);
    zc_scope_begin(ctx); /* until the context ends */
    zc_tensor *all = zc_import(ctx, ZC_UINT8, ZC_SHAPE(BUFFERS, HEIGHT, WIDTH), strides, 0, memory, BYTES, NULL, NULL);
    zc_tensor *b = zc_eval(ctx, "astype(all[0], float32)", ZC_NAMED(all)), *made[2];
    int failed = 0;
    for (int i = 1; i < frames && !failed; i++) {
        double moved;
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *f = zc_index(all, 0, i % BUFFERS), *before = zc_index(all, 0, (i - 1) % BUFFERS);
        zc_tensor *differs =
            zc_eval(ctx, "sum((abs(astype(f, int16) - before) > 20) & (abs(f - b) > 20))", ZC_NAMED(f, before, b));
        zc_tensor *next = zc_eval(ctx, "b + 0.05 * (f - b)", ZC_NAMED(b, f));
        failed =
            zc_materialize_all(ZC_TENSORS(differs, next), made) || zc_item(made[0], &moved) || zc_replace(&b, made[1]);
        if (i % 4 == 3 && !failed)
            printf("frame %d: %.0f moved\n", i, moved);
        zc_scope_end(scope);
    }
    if (failed)
        fprintf(stderr, "%s\n", zc_error_text(ctx));
    zc_release(b);
    zc_context_free(ctx);
    free(memory);
    return failed;
}
