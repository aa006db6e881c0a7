/* A batch of images: each channel centred and scaled, 3 by 3 means with repeated edges, bright ones counted per image.
 * One pass; neither the padded images nor their windows are ever in memory. */
#include <cstdio>
#include <vector>

#include <zerocast.hpp>

#include "examples/input.h"

namespace zc = zerocast;

int main(int argc, char **argv)
{
    constexpr int height = 512, width = 512, channels = 3;
    const int images = program_size(argc, argv, 2, 16);
    std::vector<uint8_t> pixels(size_t(images) * height * width * channels);
    fill_bytes(pixels.data(), pixels.size(), 1);
    try {
        zc::context ctx;
        const auto x = ctx.view(pixels, {images, height, width, channels});
        const auto normal = (x - ctx.copy({114.5f, 127.5f, 130.5f})) / ctx.copy({58.f, 60.f, 56.f});
        const auto windows = sliding_window_view(pad(normal, {0, 1, 1, 0}, ZC_PAD_EDGE), {3, 3}, {1, 2});
        int i = 0;
        for (auto count : count_nonzero(mean(windows, {4, 5}) > 0.5, {1, 2, 3}).values<int>())
            std::printf("image %d: %d bright\n", i++, count);
    } catch (const zc::error &e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
