/* The nearest of some places for each of some points in space. The matrix of their distances is never in memory. */
#include <cstdio>
#include <vector>

#include <zerocast.hpp>

#include "examples/input.h"

namespace zc = zerocast;

int main(int argc, char **argv)
{
    const int n = program_size(argc, argv, 1000, 20000);
    std::vector<double> points(size_t(n) * 3), places(points);
    fill_numbers(points.data(), points.size(), 1);
    fill_numbers(places.data(), places.size(), 2);
    try {
        zc::context ctx;
        const auto squares = sum(square(expand_dims(ctx.view(points, {n, 3}), 1) - ctx.view(places, {n, 3})), 2);
        const auto [distance, indices] = zc::compute(mean(sqrt(min(squares, 1))), sum(argmin(squares, 1)));
        std::printf("mean distance %.12f\nsum of indices %lld\n", distance.item<double>(), indices.item<long long>());
    } catch (const zc::error &e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
