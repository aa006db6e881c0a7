/* PageRank: each page hands its rank to the pages that it links to, until ranks hardly change. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "examples/input.h"

enum { LINKS = 8 };

int main(int argc, char **argv)
{
    const int n = program_size(argc, argv, 2000, 200000);
    int32_t *from = zeros((size_t)n * LINKS * sizeof *from); /* the pages that link to each page */
    double *degree = zeros((size_t)n * sizeof *degree), *rank = zeros((size_t)n * sizeof *rank);
    double *share = zeros((size_t)n * sizeof *share);
    fill_integers(from, (size_t)n * LINKS, 1, n);
    for (int i = 0; i < n * LINKS; i++)
        degree[from[i]]++;
    for (int i = 0; i < n; i++)
        rank[i] = 1.0 / n;
    double change = 1;
    int steps = 0;
    for (; change > 1e-9; steps++) {
        double lost = 0;
        for (int i = 0; i < n; i++) {
            share[i] = degree[i] > 0 ? rank[i] / degree[i] : 0;
            lost += degree[i] > 0 ? 0 : rank[i];
        }
        change = 0;
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int k = 0; k < LINKS; k++)
                sum += share[from[i * LINKS + k]];
            const double next = 0.15 / n + 0.85 * (sum + lost / n);
            change += fabs(next - rank[i]);
            rank[i] = next;
        }
    }
    int best = 0;
    for (int i = 0; i < n; i++)
        best = rank[i] > rank[best] ? i : best;
    printf("%d steps\npage %d: %.12f\n", steps, best, rank[best]);
    free(from);
    free(degree);
    free(rank);
    free(share);
    return 0;
}
