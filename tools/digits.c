#include "tools/digits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 17, MOST_DIGITS_FLOAT32 = 9, UNCUT = 350 /* digits, more than any number has */ };

static bool reads_back(const char *text, double x, bool is_float32) {
    return is_float32 ? strtof(text, NULL) == (float)x : strtod(text, NULL) == x;
}

/* The digits after the first, of the shortest scientific form. */
static int shortest_digits(double x, bool is_float32) {
    char text[DIGITS_BYTES];
    int most = (is_float32 ? MOST_DIGITS_FLOAT32 : MOST_DIGITS) - 1;
    for (int digits = 0; digits < most; digits++) {
        (void)snprintf(text, sizeof text, "%.*e", digits, x);
        if (reads_back(text, x, is_float32))
            return digits;
    }
    return most;
}

static int exponent_of(double x, int digits) {
    char text[DIGITS_BYTES];
    (void)snprintf(text, sizeof text, "%.*e", digits, x);
    return (int)strtol(strchr(text, 'e') + 1, NULL, 10);
}

/* Removes zeros at the end of a text that has a point; the point stays. */
static void trim_zeros(char *text) {
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '0')
        length--;
    text[length] = '\0';
}

/* Digits before the point are those of the number itself, after it as few as tell it from its neighbours. */
void digits_positional(char *text, double x, bool is_float32, int precision) {
    int digits = x == 0 ? 0 : shortest_digits(x, is_float32);
    int fraction = x == 0 ? 0 : digits - exponent_of(x, digits);
    fraction = fraction < 0 ? 0 : fraction > precision ? precision : fraction;
    (void)snprintf(text, DIGITS_BYTES, "%.*f%s", fraction, x, fraction == 0 ? "." : "");
    trim_zeros(text);
}

/* Here digits before the point, too, end where the shortest ones do, and zeros follow. */
static void write_shortest(char *text, double x, bool is_float32) {
    int digits = x == 0 ? 0 : shortest_digits(x, is_float32), exponent = x == 0 ? 0 : exponent_of(x, digits);
    if (exponent < digits || x == 0) {
        digits_positional(text, x, is_float32, UNCUT);
        return;
    }
    char shortest[DIGITS_BYTES];
    (void)snprintf(shortest, sizeof shortest, "%.*e", digits, x);
    char *to = text;
    for (const char *from = shortest; *from != 'e'; from++) {
        if (*from != '.')
            *to++ = *from;
    }
    for (int i = digits; i < exponent; i++)
        *to++ = '0';
    *to++ = '.';
    *to = '\0';
}

void digits_scientific(char *text, double x, bool is_float32, int precision) {
    int digits = x == 0 ? 0 : shortest_digits(x, is_float32);
    char whole[DIGITS_BYTES];
    (void)snprintf(whole, sizeof whole, "%.*e", digits < precision ? digits : precision, x);
    char *e = strchr(whole, 'e');
    char exponent[16];
    (void)snprintf(exponent, sizeof exponent, "%s", e);
    *e = '\0';
    if (strchr(whole, '.') == NULL)
        (void)snprintf(e, 2, ".");
    trim_zeros(whole);
    (void)snprintf(text, DIGITS_BYTES, "%.*s%s", DIGITS_BYTES - 20, whole, exponent);
}

void digits_scalar(char *text, double x, bool is_float32) {
    double size = fabs(x);
    if (!isfinite(x)) {
        (void)snprintf(text, DIGITS_BYTES, "%s", isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
    } else if (x == 0 || (size >= 1e-4 && size < 1e16)) {
        write_shortest(text, x, is_float32);
        size_t length = strlen(text);
        if (text[length - 1] == '.')
            (void)snprintf(text + length, DIGITS_BYTES - length, "0");
    } else {
        digits_scientific(text, x, is_float32, UNCUT);
        char *point = strstr(text, ".e");
        if (point != NULL)
            memmove(point, point + 1, strlen(point));
    }
}
