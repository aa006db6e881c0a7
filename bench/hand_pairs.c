/*
 * Reductions over all pairs of points by hand. Points of y are packed once, by coordinates, so that a vector holds one
 * coordinate of LANES of them; the distances of eight points of x to a panel of them stay in the second-level cache.
 */
#include <stdlib.h>

#include "bench/hand.h"
#include "bench/vector.h"

enum { ROWS = 8, PANEL = 1024 };

typedef enum pair_result { SMOOTHED, DENSITY, NEAREST, DISTANCE } pair_result;

/* Results of a row so far. */
typedef struct row_state {
    float sum, least;
    int64_t at;
} row_state;

/* Coordinate k of PANEL points is at panels[(j * depth + k * PANEL)]; what is beyond the last point repeats it. */
static float *pack(const float *y, int64_t count, int64_t depth)
{
    const int64_t padded = (count + PANEL - 1) / PANEL * PANEL;
    float *panels = aligned_alloc(64, (size_t)(padded * depth) * sizeof *panels);
    for (int64_t j = 0; panels != NULL && j < padded; j++) {
        const float *point = y + (j < count ? j : count - 1) * depth;
        float *to = panels + j / PANEL * PANEL * depth + j % PANEL;
        for (int64_t k = 0; k < depth; k++)
            to[k * PANEL] = point[k];
    }
    return panels;
}

static inline __attribute__((always_inline)) void find_distances(const float *x, const float *panel, int64_t depth,
                                                                 float to[ROWS][PANEL])
{
    for (int64_t c = 0; c < PANEL; c += 2 * LANES) {
        f32v sums[ROWS][2] = {{{0}}};
        for (int64_t k = 0; k < depth; k++) {
            const f32v first = load(panel + k * PANEL + c), second = load(panel + k * PANEL + c + LANES);
#pragma GCC unroll 8
            for (int r = 0; r < ROWS; r++) {
                const f32v at = all(x[r * depth + k]), a = at - first, b = at - second;
                sums[r][0] += a * a;
                sums[r][1] += b * b;
            }
        }
#pragma GCC unroll 8
        for (int r = 0; r < ROWS; r++) {
            store(to[r] + c, sums[r][0]);
            store(to[r] + c + LANES, sums[r][1]);
        }
    }
}

/* Puts the points beyond the last one far away. */
static void end_row(float *row, int64_t count)
{
    for (int64_t c = count; c < PANEL; c++)
        row[c] = 80;
}

static float sum_of_kernel(const float *row, const float *weights, int64_t count)
{
    f32v sums[2] = {{0}};
    int64_t c = 0;
    for (; c + 2 * LANES <= count; c += 2 * LANES) {
        for (int v = 0; v < 2; v++) {
            const f32v e = exponential(-load(row + c + v * LANES));
            sums[v] = fused(e, weights != NULL ? load(weights + c + v * LANES) : all(1), sums[v]);
        }
    }
    float sum = sum_of_lanes(sums[0] + sums[1]);
    for (; c < count; c++)
        sum += expf(-row[c]) * (weights != NULL ? weights[c] : 1);
    return sum;
}

static void find_least(const float *row, int64_t first, int64_t count, bool numbers, row_state *state)
{
    f32v least[4];
    for (int v = 0; v < 4; v++)
        least[v] = load(row + v * LANES);
    for (int64_t c = 4 * LANES; c < PANEL; c += 4 * LANES) {
        for (int v = 0; v < 4; v++)
            least[v] = smaller(least[v], load(row + c + v * LANES));
    }
    const f32v one = smaller(smaller(least[0], least[1]), smaller(least[2], least[3]));
    float found = one[0];
    for (int l = 1; l < LANES; l++)
        found = one[l] < found ? one[l] : found;
    if (found >= state->least)
        return;
    state->least = found;
    int64_t c = 0;
    while (numbers && c < count && row[c] != found)
        c++;
    state->at = first + c;
}

/* Absorbs the distances of some points of x to `count` points of y from the one numbered `first` on. */
static inline __attribute__((always_inline)) void absorb(float d[ROWS][PANEL], const float *weights, int64_t first,
                                                         int64_t count, int rows, pair_result result, row_state *states)
{
    for (int r = 0; r < rows; r++) {
        if (result == SMOOTHED || result == DENSITY) {
            states[r].sum += sum_of_kernel(d[r], result == SMOOTHED ? weights + first : NULL, count);
            continue;
        }
        end_row(d[r], count);
        find_least(d[r], first, count, result == NEAREST, &states[r]);
    }
}

static inline __attribute__((always_inline)) void reduce_pairs(const bench_work *w, int64_t depth, pair_result result)
{
    static float distances[ROWS][PANEL];
    const int64_t count = w->n / depth;
    const float *x = w->x;
    float *panels = pack(w->y, count, depth);
    for (int64_t i = 0; panels != NULL && i < count; i += ROWS) {
        const int rows = count - i < ROWS ? (int)(count - i) : ROWS;
        float some[ROWS * 64] = {0};
        row_state states[ROWS];
        memcpy(some, x + i * depth, (size_t)(rows * depth) * sizeof *some);
        for (int r = 0; r < ROWS; r++)
            states[r] = (row_state){0, INFINITY, 0};
        for (int64_t j = 0; j < count; j += PANEL) {
            find_distances(some, panels + j * depth, depth, distances);
            absorb(distances, x, j, count - j < PANEL ? count - j : PANEL, rows, result, states);
        }
        for (int r = 0; r < rows; r++) {
            if (result == NEAREST)
                ((int64_t *)w->by_hand)[i + r] = states[r].at;
            else
                ((float *)w->by_hand)[i + r] = result == DISTANCE ? states[r].least : states[r].sum;
        }
    }
    free(panels);
}

#define OF_DEPTH(name, result, depth)                                                                                  \
    void hand_##name##_##depth(const bench_work *w)                                                                    \
    {                                                                                                                  \
        reduce_pairs(w, depth, result);                                                                                \
    }
#define OF_EACH_DEPTH(name, result) OF_DEPTH(name, result, 3) OF_DEPTH(name, result, 16) OF_DEPTH(name, result, 64)

OF_EACH_DEPTH(smoothed, SMOOTHED)
OF_EACH_DEPTH(density, DENSITY)
OF_EACH_DEPTH(nearest, NEAREST)
OF_EACH_DEPTH(distance, DISTANCE)
