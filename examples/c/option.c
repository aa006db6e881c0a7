/* The price of an Asian call option, by simulated paths of its share: a payment on the mean of the prices of a year. */
#include <stdio.h>
#include <stdlib.h>

#include <zerocast.h>

#include "examples/input.h"

enum { STEPS = 50 };

static const char payments[] = "start = 100; strike = 105; rate = 0.03; volatility = 0.2; steps = normal.shape[1];"
                               "drift = (rate - volatility**2 / 2) / steps; scale = volatility / sqrt(steps);"
                               "prices = start * exp(cumulative_sum(drift + scale * normal, axis=1));"
                               "exp(-rate) * maximum(mean(prices, axis=1) - strike, 0)";

int main(int argc, char **argv)
{
    const unsigned n = program_size(argc, argv, 2000, 100000);
    const size_t bytes = STEPS * n * sizeof(double);
    double *numbers = zeros(bytes), price, error;
    fill_normal(numbers, STEPS * n, 1);
    zc_context *ctx = zc_context_new(NULL);
    zc_scope_begin(ctx); /* until the context ends */
    zc_tensor *normal = zc_import(ctx, ZC_FLOAT64, ZC_SHAPE(n, STEPS), NULL, 0, numbers, bytes, NULL, NULL), *made[2];
    zc_tensor *p = zc_eval(ctx, payments, ZC_NAMED(normal)), *mean = zc_mean(p, ZC_ALL_AXES, false);
    zc_tensor *off = zc_eval(ctx, "std(p) / sqrt(p.size)", ZC_NAMED(p));
    const int failed =
        zc_materialize_all(ZC_TENSORS(mean, off), made) || zc_item(made[0], &price) || zc_item(made[1], &error);
    if (failed)
        fprintf(stderr, "%s\n", zc_error_text(ctx));
    else
        printf("price %.9f\nerror %.9f\n", price, error);
    zc_context_free(ctx);
    free(numbers);
    return failed;
}
