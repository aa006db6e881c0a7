/* Heat spreads over a plate until it hardly changes: zerocast.hpp, and the loop that its users write. */
#include <cstdio>
#include <vector>

#include <zerocast.hpp>

namespace zc = zerocast;

int main()
{
    constexpr int N = 128;
    std::vector<double> plate(N * N);
    for (int i = N / 4; i < N / 2; i++)
        plate[static_cast<size_t>(i * N + i)] = 100;
    try {
        zc::context ctx;
        zc::tensor u = ctx.view(plate, {N, N});
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
