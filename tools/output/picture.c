#include "tools/output/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

enum { LABEL = 11, DOTS_ACROSS = 2, DOTS_DOWN = 4, MOST_COLUMNS = 1024, MOST_ROWS = 512 };

/* ---- The screen ---- */

static int size_in(const char *text, int most, int otherwise)
{
    const long size = text != NULL ? strtol(text, NULL, 10) : 0;
    return size > 0 ? (int)(size < most ? size : most) : otherwise;
}

zc_screen zc_screen_of(FILE *out)
{
    struct winsize size = {0};
    zc_screen screen = {out, size_in(getenv("COLUMNS"), MOST_COLUMNS, 80), size_in(getenv("LINES"), MOST_ROWS, 24),
                        false};
    if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
        screen.columns = size.ws_col;
        screen.rows = size.ws_row;
        screen.has_color = getenv("NO_COLOR") == NULL;
    }
    return screen;
}

/* ---- Numbers ---- */

typedef struct range {
    double low, high;
} range;

static range range_of(int64_t count, const double *v)
{
    range r = {(double)INFINITY, -(double)INFINITY};
    for (int64_t i = 0; i < count; i++) {
        if (isfinite(v[i])) {
            r.low = v[i] < r.low ? v[i] : r.low;
            r.high = v[i] > r.high ? v[i] : r.high;
        }
    }
    return r;
}

/* A place in a range, from 0 to 1; in the middle where all are equal. Halves: the width of a range may be infinite. */
static double part_of(range r, double v)
{
    const double width = r.high / 2 - r.low / 2;
    return width > 0 ? (v / 2 - r.low / 2) / width : 0.5;
}

void zc_color_of(double part, uint8_t color[3])
{
    static const uint8_t stops[][3] = {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
    enum { LAST = sizeof stops / sizeof stops[0] - 1 };
    const double at = part < 0 ? 0 : part > 1 ? (double)LAST : part * (double)LAST;
    const int stop = at < (double)LAST ? (int)at : LAST - 1;
    for (int c = 0; c < 3; c++)
        color[c] = (uint8_t)lrint(stops[stop][c] + (at - stop) * (stops[stop + 1][c] - stops[stop][c]));
}

/* ---- Images ---- */

typedef struct image {
    const zc_screen *screen;
    int rows, columns, channels;
    const double *v;
    range range;
} image;

/* The brightness of a pixel from 0 to 1; negative where it shows nothing. */
static double brightness(const image *m, int row, int column)
{
    const double *v = m->v + ((int64_t)row * m->columns + column) * m->channels; /* proven: in memory */
    const double light = m->channels == 1 ? part_of(m->range, *v) : 0.299 * v[0] + 0.587 * v[1] + 0.114 * v[2];
    return isfinite(light) && isfinite(*v) ? light : -1;
}

/* Finds the color of a pixel; where it shows nothing, `color` stays. */
static void color_of(const image *m, int row, int column, uint8_t color[3])
{
    const double *v = m->v + ((int64_t)row * m->columns + column) * m->channels; /* proven: in memory */
    if (m->channels == 1 && isfinite(*v))
        zc_color_of(part_of(m->range, *v), color);
    for (int c = 0; c < 3 && m->channels > 1; c++)
        color[c] = (uint8_t)lrint(255 * (v[c] >= 1 ? 1 : v[c] > 0 ? v[c] : 0));
}

/* Two pixels in a character: the upper one its own color, the lower one the color behind it. */
static void put_pair(const image *m, int row, int column)
{
    uint8_t upper[3] = {0}, lower[3] = {0};
    color_of(m, row, column, upper);
    fprintf(m->screen->out, "\x1b[38;2;%d;%d;%dm", upper[0], upper[1], upper[2]);
    if (row + 1 < m->rows) {
        color_of(m, row + 1, column, lower);
        fprintf(m->screen->out, "\x1b[48;2;%d;%d;%dm", lower[0], lower[1], lower[2]);
    }
    fputs("▀", m->screen->out);
}

static void put_shade(const image *m, int row, int column)
{
    static const char *const shades[] = {" ", "░", "▒", "▓", "█"};
    enum { SHADES = sizeof shades / sizeof *shades };
    const double light = brightness(m, row, column);
    const int shade = light < 0 ? 0 : light >= 1 ? SHADES - 1 : (int)(light * (double)SHADES);
    fputs(shades[shade], m->screen->out);
}

int zc_image_rows(const zc_screen *screen)
{
    const int rows = screen->rows > 2 ? screen->rows - 2 : 1;
    return screen->has_color ? 2 * rows : rows; /* proven: at most MOST_ROWS */
}

void zc_draw_image(const zc_screen *screen, int rows, int columns, int channels, const double *v)
{
    const image m = {screen, rows, columns, channels, v, range_of(channels == 1 ? (int64_t)rows * columns : 0, v)};
    for (int row = 0; row < rows; row += screen->has_color ? 2 : 1) {
        for (int column = 0; column < columns; column++)
            (screen->has_color ? put_pair : put_shade)(&m, row, column);
        fputs(screen->has_color ? "\x1b[0m\n" : "\n", screen->out);
    }
    if (channels == 1 && m.range.low <= m.range.high)
        fprintf(screen->out, "%.6g to %.6g\n", m.range.low, m.range.high);
}

/* ---- Lines ---- */

int zc_line_columns(const zc_screen *screen)
{
    const int columns = screen->columns - LABEL - 1;
    return DOTS_ACROSS * (columns > 1 ? columns : 1); /* proven: at most MOST_COLUMNS */
}

/* The bit of a dot in a Braille character. */
static unsigned dot_of(int across, int down)
{
    static const uint8_t bits[DOTS_ACROSS][DOTS_DOWN] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};
    return bits[across][down];
}

/* The row of dots of a number, from the top. */
static int row_of(range r, double v, int rows)
{
    return (int)lrint((1 - part_of(r, v)) * (rows - 1));
}

static void put_braille(FILE *out, unsigned dots)
{
    const char text[4] = {(char)0xe2, (char)(0xa0 | dots >> 6), (char)(0x80 | (dots & 0x3f)), '\0'};
    fputs(dots == 0 ? " " : text, out);
}

/* The dots of place i in the DOTS_DOWN rows of dots from `from` on. */
static unsigned dots_of(range r, double low, double high, int rows, int from, int across)
{
    unsigned dots = 0;
    if (!isfinite(low) || !isfinite(high))
        return 0;
    const int top = row_of(r, high, rows), bottom = row_of(r, low, rows);
    for (int d = 0; d < DOTS_DOWN; d++)
        dots |= from + d >= top && from + d <= bottom ? dot_of(across, d) : 0;
    return dots;
}

void zc_draw_line(const zc_screen *screen, int count, const double *low, const double *high)
{
    const range r = {range_of(count, low).low, range_of(count, high).high};
    const int rows = screen->rows > 4 ? screen->rows - 3 : 1, dots = rows * DOTS_DOWN; /* proven: few rows */
    for (int row = 0; row < rows; row++) {
        if ((row == 0 || row == rows - 1) && r.low <= r.high)
            fprintf(screen->out, "%*.5g ", LABEL, row == 0 ? r.high : r.low);
        else
            fprintf(screen->out, "%*s ", LABEL, "");
        for (int i = 0; i < count; i += DOTS_ACROSS) {
            unsigned set = 0;
            for (int k = i; k < i + DOTS_ACROSS && k < count; k++)
                set |= dots_of(r, low[k], high[k], dots, row * DOTS_DOWN, k - i); /* proven: few rows */
            put_braille(screen->out, set);
        }
        putc('\n', screen->out);
    }
}

/* ---- Bars ---- */

/* Eighths of a character. */
static void put_bar(FILE *out, int eighths)
{
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    for (; eighths >= 8; eighths -= 8)
        fputs("█", out);
    fputs(parts[eighths], out);
}

void zc_draw_bars(const zc_screen *screen, int count, const double *edges, const int64_t *heights)
{
    int64_t most = 1;
    for (int i = 0; i < count; i++)
        most = heights[i] > most ? heights[i] : most;
    const int room = screen->columns - 2 * LABEL - 16, width = room > 8 ? room : 8;
    for (int i = 0; i < count; i++) {
        fprintf(screen->out, "%*.5g to %*.5g ", LABEL, edges[i], LABEL, edges[i + 1]);
        put_bar(screen->out, (int)((double)heights[i] / (double)most * (8 * width))); /* proven: few columns */
        fprintf(screen->out, " %lld\n", (long long)heights[i]);
    }
}
