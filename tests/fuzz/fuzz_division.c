/*
 * Bytes of divisions, and of the graphs in them: any bytes are refused with a sentence, or are pieces that need those
 * with lower numbers alone, of which the first and the last ones are recorded and computed, which ends and does no
 * harm.
 */
#include "tests/fuzz/target.h"

#include <stdbool.h>

#include "zerocast.h"

enum { MOST_INPUTS = 2, LOOKED_AT = 8, MOST_CALLS = 20 };

static bool stop_soon(void *user, int64_t done, int64_t total)
{
    (void)done, (void)total;
    return ++*(int *)user < MOST_CALLS;
}

/* Checks a piece, and computes one that needs no other. */
static void compute(zc_context *ctx, const zc_division *d, int64_t i)
{
    zc_piece piece;
    zc_tensor *out[2], *made = NULL;
    int calls = 0;
    claim(zc_division_piece(d, i, &piece) == ZC_OK);
    claim(piece.need_count >= 0 && piece.need_count <= ZC_MOST_NEEDS && piece.outputs >= 1 && piece.outputs <= 2);
    for (int n = 0; n < piece.need_count; n++)
        claim(piece.needs[n] >= 0 && piece.needs[n] < i);
    const zc_status status = zc_division_record(d, i, 0, NULL, out);
    claim((status == ZC_OK) == (out[0] != NULL) && (status == ZC_OK || zc_error_text(ctx)[0] != '\0'));
    zc_error_clear(ctx);
    if (status != ZC_OK)
        return;
    zc_set_progress(ctx, stop_soon, &calls);
    claim(zc_materialize(out[0], &made) != ZC_ERROR_INTERNAL);
    zc_set_progress(ctx, NULL, NULL);
    zc_error_clear(ctx);
}

static void look_at(zc_context *ctx, const zc_division *d)
{
    const int64_t count = zc_division_count(d);
    claim(count > 0);
    for (int64_t i = 0; i < LOOKED_AT && i < count; i++)
        compute(ctx, d, i);
    for (int64_t i = count < LOOKED_AT ? 0 : count - LOOKED_AT; i < count; i++)
        compute(ctx, d, i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const float single[12] = {1, -2, 3, 0.5F, -0.0F, 7, 8, -9, 10, 11, 12, 13};
    static const double twice[6] = {1, 2, -3, 4, 0.25, 6};
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .memory_limit = 1 << 20, .header_limit = 16 << 20});
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *inputs[MOST_INPUTS] = {zc_from_data(ctx, ZC_FLOAT32, ZC_SHAPE(12), single, sizeof single),
                                            zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(6), twice, sizeof twice)};
    for (int n = 0; n <= MOST_INPUTS; n++) {
        zc_division *d = NULL;
        const zc_status status = zc_division_restore(ctx, data, size, n, inputs, &d);
        claim((status == ZC_OK) == (d != NULL) && (status == ZC_OK || zc_error_text(ctx)[0] != '\0'));
        zc_error_clear(ctx);
        if (d != NULL)
            look_at(ctx, d);
        zc_division_free(d);
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
    return 0;
}
