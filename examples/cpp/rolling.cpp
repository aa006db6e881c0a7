/* Statistics of a long series over a moving window: mean and standard deviation, and what lies outside of a band. The
 * windows are a view: no memory. */
#include <cstdio>
#include <vector>

#include <zerocast.hpp>

#include "examples/input.h"

namespace zc = zerocast;

int main(int argc, char **argv)
{
    constexpr int window = 20;
    std::vector<double> series(program_size(argc, argv, 10000, 4000000));
    fill_normal(series.data(), series.size(), 1);
    try {
        zc::context ctx;
        const auto x = ctx.view(series), windows = sliding_window_view(x, window);
        const auto m = mean(windows, 1), s = std_dev(windows, 1);
        const auto outside = abs(x({window - 1, zc::none}) - m) > 2 * s;
        const auto [average, most, count] = zc::compute(mean(m), max(s), sum(outside));
        std::printf("mean of means %.9f\nlargest deviation %.9f\noutside %d\n", average.item<double>(),
                    most.item<double>(), count.item<int>());
    } catch (const zc::error &e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
