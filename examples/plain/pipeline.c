/* A batch of images: each channel centred and scaled, 3 by 3 means with repeated edges, bright ones counted per image.
 */
#include <stdio.h>
#include <stdlib.h>

#include "examples/input.h"

enum { HEIGHT = 512, WIDTH = 512, CHANNELS = 3, ROW = (WIDTH + 2) * CHANNELS };

static const float mean[CHANNELS] = {114.5f, 127.5f, 130.5f}, deviation[CHANNELS] = {58, 60, 56};

static void normalise_row(const uint8_t *pixels, float *row)
{
    for (int x = 0; x < WIDTH; x++) {
        for (int c = 0; c < CHANNELS; c++)
            row[(x + 1) * CHANNELS + c] = (pixels[x * CHANNELS + c] - mean[c]) / deviation[c];
    }
    for (int c = 0; c < CHANNELS; c++) {
        row[c] = row[CHANNELS + c];
        row[(WIDTH + 1) * CHANNELS + c] = row[WIDTH * CHANNELS + c];
    }
}

static int count_bright(const uint8_t *image, float *padded)
{
    int count = 0;
    for (int y = 0; y < HEIGHT; y++)
        normalise_row(image + y * WIDTH * CHANNELS, padded + (y + 1) * ROW);
    memcpy(padded, padded + ROW, ROW * sizeof *padded);
    memcpy(padded + (HEIGHT + 1) * ROW, padded + HEIGHT * ROW, ROW * sizeof *padded);
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH * CHANNELS; x++) {
            float sum = 0;
            for (int dy = 0; dy < 3; dy++) {
                for (int dx = 0; dx < 3; dx++)
                    sum += padded[(y + dy) * ROW + x + dx * CHANNELS];
            }
            count += sum / 9 > 0.5f;
        }
    }
    return count;
}

int main(int argc, char **argv)
{
    const int images = program_size(argc, argv, 2, 16);
    const size_t bytes = HEIGHT * WIDTH * CHANNELS;
    uint8_t *pixels = zeros(images * bytes);
    float *padded = zeros((HEIGHT + 2) * ROW * sizeof *padded);
    fill_bytes(pixels, images * bytes, 1);
    for (int i = 0; i < images; i++)
        printf("image %d: %d bright\n", i, count_bright(pixels + i * bytes, padded));
    free(pixels);
    free(padded);
    return 0;
}
