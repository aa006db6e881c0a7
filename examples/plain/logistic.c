/* Logistic regression by gradient descent, the gradient by hand. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "examples/input.h"

enum { FEATURES = 16, STEPS = 100 };

int main(int argc, char **argv)
{
    const int n = program_size(argc, argv, 2000, 100000);
    double *x = zeros((size_t)n * FEATURES * sizeof *x), *y = zeros((size_t)n * sizeof *y);
    fill_normal(x, (size_t)n * FEATURES, 1);
    fill_normal(y, (size_t)n, 2);
    for (int i = 0; i < n; i++)
        y[i] = x[i * FEATURES] - 0.5 * x[i * FEATURES + 1] > y[i];
    double w[FEATURES] = {0};
    for (int step = 0; step < STEPS; step++) {
        double loss = 0, gradient[FEATURES] = {0};
        for (int i = 0; i < n; i++) {
            double z = 0;
            for (int j = 0; j < FEATURES; j++)
                z += x[i * FEATURES + j] * w[j];
            const double e = exp(-fabs(z));
            loss += (z > 0 ? z : 0) + log1p(e) - y[i] * z;
            const double p = z > 0 ? 1 / (1 + e) : e / (1 + e);
            for (int j = 0; j < FEATURES; j++)
                gradient[j] += (p - y[i]) * x[i * FEATURES + j];
        }
        for (int j = 0; j < FEATURES; j++)
            w[j] -= 0.5 / n * gradient[j];
        if (step % 20 == 0)
            printf("step %d: loss %.9f\n", step, loss / n);
    }
    for (int j = 0; j < FEATURES; j++)
        printf("w[%d] = %.9f\n", j, w[j]);
    free(x);
    free(y);
    return 0;
}
