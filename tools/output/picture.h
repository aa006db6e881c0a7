/*
 * Pictures of numbers on a terminal: images of half blocks in color or of shades, lines of Braille dots, bars.
 *
 * Invariant: whatever the numbers are, a line has at most the columns of the screen, and NaN and infinities show as
 * nothing.
 */
#ifndef ZC_TOOLS_OUTPUT_PICTURE_H
#define ZC_TOOLS_OUTPUT_PICTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct zc_screen {
    FILE *out;
    int columns, rows; /* of characters */
    bool has_color;    /* 24 bits, by escape sequences */
} zc_screen;

/* The screen behind a stream: a terminal's size, or that of the environment's COLUMNS, or 80 by 24. */
zc_screen zc_screen_of(FILE *out);

/* The color of a number from 0 to 1, dark blue to yellow. */
void zc_color_of(double part, uint8_t color[3]);

/* Number of pixels that an image may have: two in a character where there is color. */
int zc_image_rows(const zc_screen *screen);

/* Draws an image: v[rows][columns] from the least to the largest, or, of 3 or 4 channels, v[rows][columns][channels] of
 * red, green and blue from 0 to 1. */
void zc_draw_image(const zc_screen *screen, int rows, int columns, int channels, const double *v);

/* Number of places of a line side by side. */
int zc_line_columns(const zc_screen *screen);

/* Draws a line between low[i] and high[i] for each of count places. */
void zc_draw_line(const zc_screen *screen, int count, const double *low, const double *high);

/* Draws a bar for each of count bins between edges[i] and edges[i + 1]. */
void zc_draw_bars(const zc_screen *screen, int count, const double *edges, const int64_t *heights);

#endif
