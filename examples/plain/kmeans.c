/* k-means: points are given to the nearest of some centers, which then move to the mean of their points. */
#include <stdio.h>
#include <stdlib.h>

#include "examples/input.h"

enum { AXES = 4, CENTERS = 8, STEPS = 10 };

static int find_nearest(const double *point, double center[CENTERS][AXES], double *distance)
{
    int nearest = 0;
    for (int k = 0; k < CENTERS; k++) {
        double sum = 0;
        for (int a = 0; a < AXES; a++)
            sum += (point[a] - center[k][a]) * (point[a] - center[k][a]);
        if (k == 0 || sum < *distance) {
            *distance = sum;
            nearest = k;
        }
    }
    return nearest;
}

int main(int argc, char **argv)
{
    const int n = program_size(argc, argv, 10000, 1000000);
    double *points = zeros((size_t)n * AXES * sizeof *points), center[CENTERS][AXES];
    fill_numbers(points, (size_t)n * AXES, 1);
    memcpy(center, points, sizeof center);
    for (int step = 0; step < STEPS; step++) {
        double sums[CENTERS][AXES] = {0}, spread = 0;
        int counts[CENTERS] = {0};
        for (int i = 0; i < n; i++) {
            double distance;
            const int nearest = find_nearest(points + i * AXES, center, &distance);
            spread += distance;
            counts[nearest]++;
            for (int a = 0; a < AXES; a++)
                sums[nearest][a] += points[i * AXES + a];
        }
        for (int k = 0; k < CENTERS; k++) {
            for (int a = 0; a < AXES; a++)
                center[k][a] = sums[k][a] / counts[k];
        }
        printf("step %d: %.6f, of center 0 %d\n", step, spread / n, counts[0]);
    }
    free(points);
    return 0;
}
