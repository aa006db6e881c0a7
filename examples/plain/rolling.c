/* Statistics of a long series over a moving window: mean and standard deviation, and what lies outside of a band. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "examples/input.h"

enum { WINDOW = 20 };

int main(int argc, char **argv)
{
    const int n = program_size(argc, argv, 10000, 4000000);
    double *x = zeros((size_t)n * sizeof *x);
    fill_normal(x, (size_t)n, 1);
    double total = 0, most = 0;
    int outside = 0;
    for (int i = WINDOW; i <= n; i++) {
        double sum = 0, squares = 0;
        for (int k = i - WINDOW; k < i; k++)
            sum += x[k];
        const double mean = sum / WINDOW;
        for (int k = i - WINDOW; k < i; k++)
            squares += (x[k] - mean) * (x[k] - mean);
        const double deviation = sqrt(squares / WINDOW);
        total += mean;
        most = deviation > most ? deviation : most;
        outside += fabs(x[i - 1] - mean) > 2 * deviation;
    }
    printf("mean of means %.9f\nlargest deviation %.9f\noutside %d\n", total / (n - WINDOW + 1), most, outside);
    free(x);
    return 0;
}
