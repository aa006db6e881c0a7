/* The nearest of some places for each of some points in space. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "examples/input.h"

int main(int argc, char **argv)
{
    const int n = program_size(argc, argv, 1000, 20000);
    double *points = zeros((size_t)n * 3 * sizeof *points), *places = zeros((size_t)n * 3 * sizeof *places);
    fill_numbers(points, (size_t)n * 3, 1);
    fill_numbers(places, (size_t)n * 3, 2);
    double distances = 0;
    long long sum = 0;
    for (int i = 0; i < n; i++) {
        int nearest = 0;
        double least = INFINITY;
        for (int j = 0; j < n; j++) {
            const double x = points[3 * i] - places[3 * j], y = points[3 * i + 1] - places[3 * j + 1],
                         z = points[3 * i + 2] - places[3 * j + 2], square = x * x + y * y + z * z;
            if (square < least) {
                least = square;
                nearest = j;
            }
        }
        distances += sqrt(least);
        sum += nearest;
    }
    printf("mean distance %.12f\nsum of indices %lld\n", distances / n, sum);
    free(points);
    free(places);
    return 0;
}
