/* PageRank: each page hands its rank to the pages that it links to, until ranks hardly change. */
#include <cstdio>
#include <vector>

#include <zerocast.hpp>

#include "examples/input.h"

namespace zc = zerocast;

int main(int argc, char **argv)
{
    constexpr int links = 8;
    const int n = program_size(argc, argv, 2000, 200000);
    std::vector<int32_t> pages(size_t(n) * links); /* those that link to each page */
    fill_integers(pages.data(), pages.size(), 1, n);
    try {
        zc::context ctx;
        const auto from = ctx.view(pages, {n, links});
        const auto degree = update(ctx.zeros(n), from, ctx.full({}, 1.0), ZC_UPDATE_ADD).compute();
        zc::tensor rank = ctx.full(n, 1.0 / n);
        int steps = 0;
        for (double moved = 1; moved > 1e-9; steps++) {
            const auto share = where(degree > 0, rank / degree, 0), lost = sum(where(degree > 0, 0, rank));
            const auto next = 0.15 / n + 0.85 * (sum(take(share, from, 0), 1) + lost / n);
            const auto [computed, change] = zc::compute(next, sum(abs(next - rank)));
            rank = computed;
            moved = change.item<double>();
        }
        std::printf("%d steps\npage %d: %.12f\n", steps, argmax(rank).item<int>(), max(rank).item<double>());
    } catch (const zc::error &e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
