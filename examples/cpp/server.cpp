/* A server: many small requests of varying shapes, each for the correlations of the columns of a table. What takes more
 * than a limit is refused with a sentence, and a client that hangs up gets nothing; the context goes on, and holds
 * nothing of either. */
#include <cstdio>
#include <vector>

#include <zerocast.hpp>

#include "examples/input.h"

namespace zc = zerocast;

static zc::tensor answer(const zc::tensor &x)
{
    const auto s = (x - mean(x, 0)) / std_dev(x, 0);
    return (matmul(s.T(), s) / x.shape(0)).compute();
}

int main(int argc, char **argv)
{
    const int requests = program_size(argc, argv, 40, 20000);
    std::vector<double> pool(500 * 4000);
    fill_normal(pool.data(), pool.size(), 1);
    zc_options options = {};
    options.memory_limit = 16 << 20;
    zc::context ctx(options);
    for (int i = 0; i < requests; i++) {
        const int rows = 50 + i * 37 % 450, columns = i % 10 == 7 ? 4000 : 2 + i * 11 % 14;
        if (i % 10 == 3)
            ctx.cancel(); /* as another thread does while the call below computes */
        try {
            const auto matrix = answer(ctx.view(pool.data(), {rows, columns}));
            std::printf("request %d: %.9f\n", i, sum(matrix).item<double>());
        } catch (const zc::error &e) {
            std::printf("request %d: %s\n", i, e.status() == ZC_CANCELLED ? "cancelled" : "refused");
            std::fprintf(stderr, "%s\n", e.what());
        }
    }
    std::printf("%lld bytes held\n", static_cast<long long>(ctx.memory().held_bytes));
}
