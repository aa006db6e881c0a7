/* Frames of a camera, in buffers whose rows are padded to a pitch: what differs from the frame before and from a
 * background that follows slowly has moved. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "examples/input.h"

enum { HEIGHT = 720, WIDTH = 1280, PITCH = 1344, BUFFERS = 4 };

static int count_moved(const uint8_t *frame, const uint8_t *before, float *background)
{
    int moved = 0;
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            const int at = y * PITCH + x;
            float *pixel = background + y * WIDTH + x;
            moved += abs(frame[at] - before[at]) > 20 && fabsf(frame[at] - *pixel) > 20;
            *pixel += 0.05f * (frame[at] - *pixel);
        }
    }
    return moved;
}

int main(int argc, char **argv)
{
    const int frames = program_size(argc, argv, 8, 400);
    uint8_t *buffers = zeros(BUFFERS * HEIGHT * PITCH);
    float *background = zeros(HEIGHT * WIDTH * sizeof *background);
    fill_bytes(buffers, BUFFERS * HEIGHT * PITCH, 1);
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++)
            background[y * WIDTH + x] = buffers[y * PITCH + x];
    }
    int moved = 0;
    for (int i = 1; i < frames; i++) {
        const uint8_t *frame = buffers + i % BUFFERS * HEIGHT * PITCH;
        moved = count_moved(frame, buffers + (i - 1) % BUFFERS * HEIGHT * PITCH, background);
        if (i % 4 == 3)
            printf("frame %d: %d moved\n", i, moved);
    }
    free(buffers);
    free(background);
    return 0;
}
