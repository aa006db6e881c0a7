/* Pictures of numbers, by what a reader of the characters sees, on streams and on a terminal. */
#define _XOPEN_SOURCE 600 /* pseudo-terminals */
#include "tests/support/zc_test.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tools/output/picture.h"

/* Characters that a picture is drawn of. */
static char text[1 << 16];

static zc_screen begin_screen(int columns, int rows, bool has_color)
{
    FILE *out = fmemopen(text, sizeof text, "w");
    cr_assert_not_null(out);
    return (zc_screen){out, columns, rows, has_color};
}

/* Closes the screen and compares its characters. */
static void expect_drawn(const zc_screen *screen, const char *drawn)
{
    cr_assert_eq(fclose(screen->out), 0);
    cr_expect_str_eq(text, drawn);
}

#define NOTHING ((double)NAN)

/* ---- Colors ---- */

Test(picture, colors_go_from_dark_to_bright)
{
    int before = -1;
    uint8_t color[3], ends[2][3];
    for (int i = -1; i <= 11; i++) {
        zc_color_of(i / 10.0, color);
        const int light = 299 * color[0] + 587 * color[1] + 114 * color[2];
        cr_expect_geq(light, before, "%d of 10", i);
        before = light;
    }
    zc_color_of(-1e300, ends[0]);
    zc_color_of(1e300, ends[1]);
    cr_expect(ends[0][0] == 68 && ends[0][1] == 1 && ends[0][2] == 84);
    cr_expect(ends[1][0] == 253 && ends[1][1] == 231 && ends[1][2] == 37);
}

/* ---- Images ---- */

Test(picture, images_are_half_blocks_in_color)
{
    const zc_screen screen = begin_screen(80, 24, true);
    cr_expect_eq(zc_image_rows(&screen), 44);
    zc_draw_image(&screen, 3, 1, 1, (const double[]){0, NOTHING, 2});
    expect_drawn(&screen, "\x1b[38;2;68;1;84m\x1b[48;2;0;0;0m▀\x1b[0m\n\x1b[38;2;253;231;37m▀\x1b[0m\n0 to 2\n");
}

Test(picture, channels_are_red_green_and_blue)
{
    const zc_screen screen = begin_screen(80, 24, true);
    zc_draw_image(&screen, 1, 2, 4, (const double[]){0, 0.5, 1, 1, -3, 7, NOTHING, 1});
    expect_drawn(&screen, "\x1b[38;2;0;128;255m▀\x1b[38;2;0;255;0m▀\x1b[0m\n");
}

Test(picture, images_are_shades_without_color)
{
    const zc_screen screen = begin_screen(80, 2, false);
    cr_expect_eq(zc_image_rows(&screen), 1);
    zc_draw_image(&screen, 1, 4, 3, (const double[]){0, 0, 0, 1, 1, 1, 0.5, 0.5, 0.5, 1, NOTHING, 1});
    expect_drawn(&screen, " █▒ \n");
    const zc_screen empty = begin_screen(80, 24, false);
    zc_draw_image(&empty, 1, 2, 1, (const double[]){NOTHING, (double)INFINITY});
    expect_drawn(&empty, "  \n");
}

/* The width of the range is infinite. */
Test(picture, the_widest_range_has_a_middle)
{
    const zc_screen screen = begin_screen(80, 24, false);
    zc_draw_image(&screen, 1, 3, 1, (const double[]){-1.7e308, 0, 1.7e308});
    expect_drawn(&screen, " ▒█\n-1.7e+308 to 1.7e+308\n");
}

/* ---- Lines ---- */

Test(picture, lines_are_dots_between_their_ends)
{
    const zc_screen screen = begin_screen(14, 5, false);
    cr_expect_eq(zc_line_columns(&screen), 4);
    zc_draw_line(&screen, 3, (const double[]){0, 0, 7}, (const double[]){7, 0, 7});
    expect_drawn(&screen, "          7 ⡇⠁\n          0 ⣇ \n");
}

Test(picture, lines_without_numbers_are_blank)
{
    const zc_screen screen = begin_screen(3, 4, false);
    cr_expect_eq(zc_line_columns(&screen), 2);
    zc_draw_line(&screen, 1, (const double[]){(double)INFINITY}, (const double[]){-(double)INFINITY});
    expect_drawn(&screen, "             \n");
    const zc_screen half = begin_screen(3, 4, false);
    zc_draw_line(&half, 2, (const double[]){1, 1}, (const double[]){NOTHING, 1});
    expect_drawn(&half, "          1 ⠠\n");
}

/* ---- Bars ---- */

Test(picture, bars_are_as_long_as_their_counts)
{
    const zc_screen screen = begin_screen(46, 24, false);
    zc_draw_bars(&screen, 3, (const double[]){0, 1, 2, 3}, (const int64_t[]){16, 0, 1});
    expect_drawn(&screen, "          0 to           1 ████████ 16\n          1 to           2  0\n"
                          "          2 to           3 ▌ 1\n");
}

/* ---- The screen ---- */

static zc_screen screen_of(const char *columns, const char *lines)
{
    cr_assert(setenv("COLUMNS", columns, 1) == 0 && setenv("LINES", lines, 1) == 0);
    return zc_screen_of(stdin);
}

Test(picture, screens_are_as_large_as_the_environment_says)
{
    const int file = open("/dev/null", O_RDONLY);
    cr_assert(file >= 0 && dup2(file, STDIN_FILENO) >= 0);
    zc_screen screen = screen_of("100", "50");
    cr_expect(screen.columns == 100 && screen.rows == 50 && !screen.has_color);
    screen = screen_of("1000000", "99999999999999999999");
    cr_expect(screen.columns == 1024 && screen.rows == 512);
    screen = screen_of("-5", "many");
    cr_expect(screen.columns == 80 && screen.rows == 24);
    cr_assert(unsetenv("COLUMNS") == 0 && unsetenv("LINES") == 0);
    screen = zc_screen_of(stdin);
    cr_expect(screen.columns == 80 && screen.rows == 24);
    (void)close(file);
}

Test(picture, screens_are_as_large_as_the_terminal)
{
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    cr_assert(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    FILE *out = fopen(ptsname(terminal), "w");
    cr_assert_not_null(out);
    for (int rows = 0; rows <= 30; rows += 30) {
        const struct winsize size = {.ws_col = 70, .ws_row = (unsigned short)rows};
        cr_assert_eq(ioctl(terminal, TIOCSWINSZ, &size), 0);
        cr_assert(unsetenv("NO_COLOR") == 0 && setenv("COLUMNS", "90", 1) == 0);
        zc_screen screen = zc_screen_of(out);
        cr_expect(screen.columns == (rows > 0 ? 70 : 90) && screen.has_color == (rows > 0));
        cr_assert_eq(setenv("NO_COLOR", "1", 1), 0);
        screen = zc_screen_of(out);
        cr_expect_not(screen.has_color);
    }
    const struct winsize none = {.ws_row = 30};
    cr_assert_eq(ioctl(terminal, TIOCSWINSZ, &none), 0);
    cr_expect_eq(zc_screen_of(out).columns, 90);
    cr_assert(unsetenv("NO_COLOR") == 0 && unsetenv("COLUMNS") == 0);
    (void)fclose(out);
    (void)close(terminal);
}
