/* k-means: points are given to the nearest of some centers, which then move to the mean of their points. The distances
 * of all points from all centers are never in memory. */
#include <cstdio>
#include <vector>

#include <zerocast.hpp>

#include "examples/input.h"

namespace zc = zerocast;

int main(int argc, char **argv)
{
    constexpr int axes = 4, centers = 8;
    const int n = program_size(argc, argv, 10000, 1000000);
    std::vector<double> points(size_t(n) * axes);
    fill_numbers(points.data(), points.size(), 1);
    try {
        zc::context ctx;
        const auto x = ctx.view(points, {n, axes});
        auto center = x({0, centers});
        for (int step = 0; step < 10; step++) {
            const auto distances = sum(square(expand_dims(x, 1) - center), 2);
            const auto is_of = expand_dims(argmin(distances, 1), 1) == ctx.arange(centers);
            const auto counts = sum(is_of, 0);
            const auto means = matmul(is_of.astype(zc::float64).T(), x) / expand_dims(counts, 1);
            const auto [next, spread, first] = zc::compute(means, mean(min(distances, 1)), counts(0));
            center = next;
            std::printf("step %d: %.6f, of center 0 %d\n", step, spread.item<double>(), first.item<int>());
        }
    } catch (const zc::error &e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
