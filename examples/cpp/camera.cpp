/* Frames of a camera, in buffers whose rows are padded to a pitch: what differs from the frame before and from a
 * background that follows slowly has moved. Frames are seen where they are, at the stride of their rows. */
#include <cstdio>
#include <vector>

#include <zerocast.hpp>

#include "examples/input.h"

namespace zc = zerocast;

int main(int argc, char **argv)
{
    constexpr int height = 720, width = 1280, pitch = 1344, buffers = 4;
    const int frames = program_size(argc, argv, 8, 400);
    std::vector<uint8_t> memory(buffers * height * pitch);
    fill_bytes(memory.data(), memory.size(), 1);
    try {
        zc::context ctx;
        const auto all = ctx.view(memory.data(), {buffers, height, width}, {height * pitch, pitch, 1});
        zc::tensor background = all(0).astype(zc::float32);
        for (int i = 1; i < frames; i++) {
            const auto frame = all(i % buffers), before = all((i - 1) % buffers);
            const auto differs = (abs(frame.astype(zc::int16) - before) > 20) & (abs(frame - background) > 20);
            const auto [moved, next] = zc::compute(sum(differs), background + 0.05 * (frame - background));
            background = next;
            if (i % 4 == 3)
                std::printf("frame %d: %d moved\n", i, moved.item<int>());
        }
    } catch (const zc::error &e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
