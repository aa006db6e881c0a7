/* A server: many small requests of varying shapes, each for the correlations of the columns of a table. What takes more
 * than a limit is refused, and a client that hangs up gets nothing. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "examples/input.h"

enum { POOL = 500 * 4000, LIMIT = 16 << 20 };

typedef enum { OK, REFUSED, CANCELLED } outcome;

static void standardise(const double *x, int rows, int columns, double *s)
{
    for (int j = 0; j < columns; j++) {
        double mean = 0, variance = 0;
        for (int i = 0; i < rows; i++)
            mean += x[i * columns + j];
        mean /= rows;
        for (int i = 0; i < rows; i++)
            variance += (x[i * columns + j] - mean) * (x[i * columns + j] - mean);
        const double deviation = sqrt(variance / rows);
        for (int i = 0; i < rows; i++)
            s[i * columns + j] = (x[i * columns + j] - mean) / deviation;
    }
}

static outcome answer(const double *x, int rows, int columns, const bool *is_cancelled, double *total)
{
    const size_t table = (size_t)rows * columns * sizeof(double), square = (size_t)columns * columns * sizeof(double);
    if (table + square > LIMIT) {
        fprintf(stderr, "%zu bytes are more than the limit of %d\n", table + square, LIMIT);
        return REFUSED;
    }
    double *s = malloc(table), *matrix = calloc(1, square);
    if (s == NULL || matrix == NULL) {
        free(s);
        free(matrix);
        return REFUSED;
    }
    standardise(x, rows, columns, s);
    for (int i = 0; i < rows && !*is_cancelled; i++) {
        for (int j = 0; j < columns; j++) {
            for (int k = 0; k < columns; k++)
                matrix[j * columns + k] += s[i * columns + j] * s[i * columns + k];
        }
    }
    *total = 0;
    for (int j = 0; j < columns * columns; j++)
        *total += matrix[j] / rows;
    free(s);
    free(matrix);
    return *is_cancelled ? CANCELLED : OK;
}

int main(int argc, char **argv)
{
    const int requests = program_size(argc, argv, 40, 20000);
    double *pool = zeros(POOL * sizeof *pool), total = 0;
    fill_normal(pool, POOL, 1);
    for (int i = 0; i < requests; i++) {
        const int rows = 50 + i * 37 % 450, columns = i % 10 == 7 ? 4000 : 2 + i * 11 % 14;
        const bool is_cancelled = i % 10 == 3;
        const outcome given = answer(pool, rows, columns, &is_cancelled, &total);
        if (given == OK)
            printf("request %d: %.9f\n", i, total);
        else
            printf("request %d: %s\n", i, given == CANCELLED ? "cancelled" : "refused");
    }
    printf("0 bytes held\n");
    free(pool);
    return 0;
}
