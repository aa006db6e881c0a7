/* Decimals beside the C library, which rounds correctly too: random ones, middles of two numbers, and what is written.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/decimal/digits.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

static void expect_read(const char *text)
{
    zc_decimal d;
    const char *end = text + strlen(text);
    cr_assert(zc_decimal_scan(text, end, &d) == end, "%s", text);
    const double wanted = strtod(text, NULL), got = zc_decimal_double(&d);
    cr_expect_eq(memcmp(&got, &wanted, sizeof got), 0, "%s: %a, not %a", text, got, wanted);
    const float single = fabsf(strtof(text, NULL));
    cr_expect(zc_decimal_magnitude(&d, 24, -149) == (double)single || isinf(single), "%s of float", text);
}

static double any_double(void)
{
    const uint64_t bits = zc_random_u64();
    double value;
    memcpy(&value, &bits, sizeof value);
    return isfinite(value) ? value : 0.5;
}

Test(decimal, is_read_as_the_c_library_reads_it)
{
    char text[2000];
    zc_random_begin("decimal");
    for (int i = 0; i < 20000; i++) {
        const double value = any_double();
        const int digits = (int)(zc_random_u64() % 25);
        (void)snprintf(text, sizeof text, i % 3 == 0 ? "%.*e" : i % 3 == 1 ? "%+.*g" : "%.*E", digits, value);
        expect_read(text);
        (void)snprintf(text, sizeof text, "%.*f", digits, zc_random_double() * 1e6);
        expect_read(text);
    }
}

/* The middle of two numbers, in full and cut at any place, and one more digit behind it. */
Test(decimal, next_to_the_middle_of_two_is_decided)
{
    char text[2000];
    zc_random_begin("decimal_middles");
    for (int i = 0; i < 2000; i++) {
        double value = fabs(any_double());
        if (i % 4 == 0)
            value = ldexp(value, -ilogb(value == 0 ? 1 : value) - 1060 - (int)(zc_random_u64() % 14)); /* subnormal */
        const long double middle = ((long double)value + nextafter(value, INFINITY)) / 2;
        const int digits = i % 2 == 0 ? 1080 : (int)(15 + zc_random_u64() % 770);
        const int length = snprintf(text, 1500, "%.*Le", digits, middle);
        expect_read(text);
        char *exponent = strchr(text, 'e');
        memmove(exponent + 1, exponent, (size_t)(text + length + 1 - exponent));
        *exponent = '1';
        expect_read(text);
    }
}

Test(decimal, of_any_spelling_is_read)
{
    static const char *const texts[] = {"0",
                                        "-0",
                                        "0.0e99",
                                        "1e400",
                                        "-1e400",
                                        "1e-400",
                                        "1e-330",
                                        "-123456789e-340",
                                        "2.4703282292062327e-324",
                                        "2.4703282292062328e-324",
                                        "4.9e-324",
                                        "1e99999999999999999999",
                                        "1e-99999999999999999999",
                                        "9007199254740993",
                                        "009007199254740993",
                                        "00.9007199254740993e16",
                                        "9007199254740992.99999999999999999999",
                                        "9007199254740993.00000000000000000000000000000000001",
                                        "179769313486231580793728971405301e276",
                                        "+.5",
                                        "5.",
                                        "00000000000000000000000000000000000001",
                                        "0.000000000000000000000000000000000000001",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "123456789012345678901234567890",
                                        "1e22",
                                        "1e23",
                                        "8.5e-5",
                                        "1.7976931348623157e308",
                                        "1.7976931348623158e308",
                                        "1.7976931348623159e308",
                                        "2.2250738585072011e-308"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_read(texts[i]);
    static const char *const none[] = {"", "-", "+", ".", "-.", "e5", "1e", "1e+", ".e1", "x", "--1", " 1"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        zc_decimal d;
        cr_expect(zc_decimal_scan(none[i], none[i] + strlen(none[i]), &d) == NULL, "'%s'", none[i]);
    }
}

/* A number with more zeros than any exponent makes up for, and digits that count behind 800 others. */
Test(decimal, of_many_digits_is_read)
{
    enum { MANY = 3000 };
    static char text[MANY + 64];
    memset(text, '0', MANY);
    memcpy(text, "0.", 2);
    memcpy(text + MANY, "123e2995", 9);
    expect_read(text);
    memset(text, '9', MANY);
    memcpy(text + MANY, "e-2990", 7);
    expect_read(text);
    (void)snprintf(text, sizeof text, "9007199254740993");
    memset(text + 16, '0', MANY);
    memcpy(text + 16, ".", 1);
    memcpy(text + MANY, "1", 2);
    expect_read(text);
    memcpy(text + MANY, "0", 2);
    expect_read(text);
}

/* Every length of text is safe: nothing is read behind it. */
Test(decimal, ends_with_its_text)
{
    static const char text[] = "-123456789012345678901234.5678901234567e-12";
    for (size_t length = 0; length < sizeof text; length++) {
        char *copy = malloc(length + 1), *end = copy + length;
        memcpy(copy, text, length);
        zc_decimal d;
        const char *read = zc_decimal_scan(copy, end, &d);
        cr_expect(read == NULL || read <= end);
        if (read != NULL)
            (void)zc_decimal_double(&d);
        free(copy);
    }
}
