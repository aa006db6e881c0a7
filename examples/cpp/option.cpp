/* The price of an Asian call option, by simulated paths of its share: a payment on the mean of the prices of a year. */
#include <cmath>
#include <cstdio>
#include <vector>

#include <zerocast.hpp>

#include "examples/input.h"

namespace zc = zerocast;

int main(int argc, char **argv)
{
    constexpr int steps = 50;
    constexpr double start = 100, strike = 105, rate = 0.03, volatility = 0.2;
    const int paths = program_size(argc, argv, 2000, 100000);
    std::vector<double> normal(size_t(paths) * steps);
    fill_normal(normal.data(), normal.size(), 1);
    try {
        zc::context ctx;
        const double drift = (rate - volatility * volatility / 2) / steps, scale = volatility / std::sqrt(steps);
        const auto prices = start * exp(cumulative_sum(drift + scale * ctx.view(normal, {paths, steps}), 1));
        const auto payments = std::exp(-rate) * maximum(mean(prices, 1) - strike, 0);
        const auto [price, error] = zc::compute(mean(payments), std_dev(payments) / std::sqrt(paths));
        std::printf("price %.9f\nerror %.9f\n", price.item<double>(), error.item<double>());
    } catch (const zc::error &e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
