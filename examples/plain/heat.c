/* Heat spreads over a plate until it hardly changes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "examples/input.h"

int main(int argc, char **argv)
{
    const int n = program_size(argc, argv, 128, 1024);
    double *u = zeros((size_t)n * n * sizeof *u), *next = zeros((size_t)n * n * sizeof *next);
    for (int i = n / 4; i < n / 2; i++)
        u[i * n + i] = 100;
    double change = 1;
    for (int step = 1; step <= 500 && change >= 0.01; step++) {
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < n - 1; j++) {
                const double *c = u + i * n + j;
                next[i * n + j] = c[0] + 0.2 * (c[-n] + c[n] + c[-1] + c[1] - 4 * c[0]);
            }
        }
        if (step % 50 == 0) {
            change = 0;
            for (int i = 0; i < n * n; i++)
                change = fabs(next[i] - u[i]) > change ? fabs(next[i] - u[i]) : change;
            printf("%d: %.6f\n", step, change);
        }
        double *computed = next;
        next = u;
        u = computed;
    }
    free(u);
    free(next);
    return 0;
}
