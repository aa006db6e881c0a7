/* Logistic regression by gradient descent: the loss is written down, its gradient is not. */
#include <cstdio>
#include <vector>

#include <zerocast.hpp>

#include "examples/input.h"

namespace zc = zerocast;

int main(int argc, char **argv)
{
    constexpr int features = 16;
    const int n = program_size(argc, argv, 2000, 100000);
    std::vector<double> data(size_t(n) * features), noise(n);
    fill_normal(data.data(), data.size(), 1);
    fill_normal(noise.data(), noise.size(), 2);
    try {
        zc::context ctx;
        const auto x = ctx.view(data, {n, features});
        const auto y = x({}, 0) - 0.5 * x({}, 1) > ctx.view(noise);
        auto w = ctx.copy(std::vector<double>(features));
        for (int step = 0; step < 100; step++) {
            const auto z = matmul(x, w), l = mean(softplus(z) - y * z);
            const auto [loss, next] = zc::compute(l, w - 0.5 * grad(l, w));
            if (step % 20 == 0)
                std::printf("step %d: loss %.9f\n", step, loss.item<double>());
            w = next;
        }
        int j = 0;
        for (double weight : w.values<double>())
            std::printf("w[%d] = %.9f\n", j++, weight);
    } catch (const zc::error &e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
