/*
 * A broadcast beside its bytes: every row of a (4, 3) view reads the same three elements, since its stride along the
 * rows is 0. The picture of README.md.
 */
#include <inttypes.h>
#include <stdio.h>
#include <zerocast.h>

/* Prints a row of y, by its strides over the elements of x, and beside it a line of the picture of x. */
static void print_row(const zc_tensor *y, const float *x, int64_t row, const char *beside)
{
    const int64_t *strides = zc_strides(y);
    printf("y[%" PRId64 "]  ", row);
    for (int64_t column = 0; column < zc_shape(y)[1]; column++)
        printf(" %.1f ", (double)x[row * strides[0] + column * strides[1]]);
    printf("%s\n", beside);
}

static int run(zc_context *ctx)
{
    static const char *const beside[] = {
        "  --.       x: 12 bytes",
        "  --|       +-----+-----+-----+",
        "  --+-----> | 1.5 | 2.5 | 3.5 |",
        "  --'       +-----+-----+-----+",
    };
    const float elements[] = {1.5f, 2.5f, 3.5f};
    zc_tensor *x = zc_from_data(ctx, ZC_FLOAT32, ZC_SHAPE(3), elements, sizeof elements);
    zc_tensor *y = zc_broadcast_to(x, ZC_SHAPE(4, 3));
    zc_tensor *far = zc_broadcast_to(x, ZC_SHAPE(1000000000000, 3));
    zc_cost cost, far_cost;
    if (zc_cost_of(y, &cost) != ZC_OK || zc_cost_of(far, &far_cost) != ZC_OK)
        return 1;
    printf("y = broadcast_to(x, (4, 3))      strides (%" PRId64 ", %" PRId64 ")\n", zc_strides(y)[0], zc_strides(y)[1]);
    for (int64_t row = 0; row < zc_shape(y)[0]; row++)
        print_row(y, elements, row, beside[row]);
    printf("y: %" PRId64 " bytes if stored, %" PRId64 " held\n", cost.logical_bytes, cost.held_bytes);
    printf("broadcast_to(x, (10**12, 3)): %" PRId64 " bytes if stored, %" PRId64 " held\n", far_cost.logical_bytes,
           far_cost.held_bytes);
    return 0;
}

int main(void)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    int status = run(ctx);
    if (status != 0)
        fprintf(stderr, "strides: %s\n", zc_error_text(ctx));
    zc_scope_end(scope);
    zc_context_free(ctx);
    return status;
}
