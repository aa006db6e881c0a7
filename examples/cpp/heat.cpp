/* Heat spreads over a plate until it hardly changes: zerocast.hpp, and the loop that its users write. */
#include <cstdio>
#include <vector>

#include <zerocast.hpp>

#include "examples/input.h"

namespace zc = zerocast;

int main(int argc, char **argv)
{
    const int n = program_size(argc, argv, 128, 1024);
    std::vector<double> plate(static_cast<size_t>(n) * n);
    for (int i = n / 4; i < n / 2; i++)
        plate[i * n + i] = 100;
    try {
        zc::context ctx;
        zc::tensor u = ctx.view(plate, {n, n});
        for (int step = 1; step <= 500; step++) {
            const auto c = u({1, -1}, {1, -1}); /* views: no memory */
            const auto around =
                u({0, -2}, {1, -1}) + u({2, zc::none}, {1, -1}) + u({1, -1}, {0, -2}) + u({1, -1}, {2, zc::none});
            const auto next = pad(c + 0.2 * (around - 4 * c), 1);
            if (step % 50 != 0) {
                u = next.compute();
                continue;
            }
            const auto [computed, change] = zc::compute(next, max(abs(next - u))); /* in one run */
            u = computed;
            std::printf("%d: %.6f\n", step, change.item<double>());
            if (change.item<double>() < 0.01)
                break;
        }
    } catch (const zc::error &e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
