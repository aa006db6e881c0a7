/* Tokens of the expression language. */
#include "tests/support/zc_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expressions/base/suggest.h"
#include "expressions/language/lexer.h"
#include "expressions/language/names.h"
#include "tests/support/random.h"

static zc_token first_token(const char *source)
{
    zc_lexer lexer = zc_lexer_begin(source, strlen(source));
    return zc_lexer_next(&lexer);
}

/* ---- Numbers: Python's literals ---- */

typedef struct integer_row {
    const char *source;
    uint64_t value;
} integer_row;

Test(lexer, reads_integers)
{
    static const integer_row rows[] = {
        {"0", 0},
        {"00", 0},
        {"0_0", 0},
        {"42", 42},
        {"1_000_000", 1000000},
        {"0x1f", 31},
        {"0XfF", 255},
        {"0x_1", 1},
        {"0b1011", 11},
        {"0o17", 15},
        {"9223372036854775807", INT64_MAX},
        {"9223372036854775808", (uint64_t)1 << 63},
        {"9223372036854775809", ((uint64_t)1 << 63) + 1},
        {"18446744073709551615", UINT64_MAX},
        {"0xffffffffffffffff", UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        zc_token token = first_token(rows[i].source);
        cr_expect(token.kind == ZC_TOKEN_INTEGER, "%s is of kind %d", rows[i].source, token.kind);
        cr_expect(token.integer == rows[i].value, "%s is %llu", rows[i].source, (unsigned long long)token.integer);
        cr_expect(token.length == strlen(rows[i].source), "%s has %zu characters", rows[i].source, token.length);
    }
}

typedef struct float_row {
    const char *source;
    double value;
} float_row;

Test(lexer, reads_floats)
{
    static const float_row rows[] = {
        {"1.5", 1.5},   {".5", 0.5},        {"5.", 5},
        {"1e3", 1000},  {"1E-3", 0.001},    {"1_0.0_1", 10.01},
        {"1.e2", 100},  {"1e+2", 100},      {"0e5", 0},
        {"007.5", 7.5}, {"1e1_0", 1e10},    {"0.1", 0.1},
        {"1e-400", 0},  {"5e-324", 5e-324}, {"12345678901234567890.0", 12345678901234567890.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        zc_token token = first_token(rows[i].source);
        cr_expect(token.kind == ZC_TOKEN_FLOAT, "%s is of kind %d", rows[i].source, token.kind);
        cr_expect(token.real == rows[i].value, "%s is %a", rows[i].source, token.real);
        cr_expect(token.length == strlen(rows[i].source), "%s has %zu characters", rows[i].source, token.length);
    }
    cr_expect(first_token("1e999").real > 1e308);
}

Test(lexer, refuses_numbers_that_python_refuses)
{
    static const char *const rows[] = {"007",  "1__0", "1_",   "0x",   "0xg", "0b2",  "0o8",    "3x",
                                       "1.5y", "1_a",  "0_x1", "1e5z", "2jj", "1._5", "1.2_e3", "0b"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        zc_token token = first_token(rows[i]);
        cr_expect(token.kind == ZC_TOKEN_ERROR, "%s is of kind %d", rows[i], token.kind);
        cr_expect_not_null(token.error, "%s has no sentence", rows[i]);
    }
    char longest[1200];
    memset(longest, '1', sizeof longest);
    memcpy(longest + sizeof longest - 3, ".5", 3);
    cr_expect(first_token(longest).kind == ZC_TOKEN_ERROR);
    cr_expect(first_token("2j").kind == ZC_TOKEN_IMAGINARY);
    cr_expect(first_token("2.5J").kind == ZC_TOKEN_IMAGINARY);
}

/* ---- The other tokens ---- */

Test(lexer, reads_the_longest_token)
{
    static const char source[] = "a_1 ** * // / << <= < >> >= > == != = ... . , : ; ( ) [ ] + - @ % & | ^ ~ 'it' \"x\"";
    static const zc_token_kind kinds[] = {
        ZC_TOKEN_NAME,        ZC_TOKEN_OPERATOR,     ZC_TOKEN_OPERATOR,      ZC_TOKEN_OPERATOR,  ZC_TOKEN_OPERATOR,
        ZC_TOKEN_OPERATOR,    ZC_TOKEN_OPERATOR,     ZC_TOKEN_OPERATOR,      ZC_TOKEN_OPERATOR,  ZC_TOKEN_OPERATOR,
        ZC_TOKEN_OPERATOR,    ZC_TOKEN_OPERATOR,     ZC_TOKEN_OPERATOR,      ZC_TOKEN_ASSIGN,    ZC_TOKEN_ELLIPSIS,
        ZC_TOKEN_DOT,         ZC_TOKEN_COMMA,        ZC_TOKEN_COLON,         ZC_TOKEN_SEPARATOR, ZC_TOKEN_OPEN_PAREN,
        ZC_TOKEN_CLOSE_PAREN, ZC_TOKEN_OPEN_BRACKET, ZC_TOKEN_CLOSE_BRACKET, ZC_TOKEN_OPERATOR,  ZC_TOKEN_OPERATOR,
        ZC_TOKEN_OPERATOR,    ZC_TOKEN_OPERATOR,     ZC_TOKEN_OPERATOR,      ZC_TOKEN_OPERATOR,  ZC_TOKEN_OPERATOR,
        ZC_TOKEN_OPERATOR,    ZC_TOKEN_STRING,       ZC_TOKEN_STRING,        ZC_TOKEN_END,       ZC_TOKEN_END};
    zc_lexer lexer = zc_lexer_begin(source, strlen(source));
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        zc_token token = zc_lexer_next(&lexer);
        cr_expect(token.kind == kinds[i], "token %zu, '%.*s', is of kind %d", i, (int)token.length, token.text,
                  token.kind);
    }
}

Test(lexer, skips_comments_and_newlines_within_brackets)
{
    static const char source[] = "a # one\n(b # two\n\n) \t\r\f\nc";
    static const zc_token_kind kinds[] = {ZC_TOKEN_NAME,        ZC_TOKEN_SEPARATOR, ZC_TOKEN_OPEN_PAREN, ZC_TOKEN_NAME,
                                          ZC_TOKEN_CLOSE_PAREN, ZC_TOKEN_SEPARATOR, ZC_TOKEN_NAME,       ZC_TOKEN_END};
    zc_lexer lexer = zc_lexer_begin(source, strlen(source));
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        cr_expect_eq(zc_lexer_next(&lexer).kind, kinds[i], "token %zu", i);
}

Test(lexer, refuses_what_is_no_token)
{
    static const char *const rows[] = {"$", "?", "!", "\\", "`", "{", "'open", "\"open\n\"", "\x80", "\x01"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_expect(first_token(rows[i]).kind == ZC_TOKEN_ERROR, "row %zu", i);
    zc_lexer lexer = zc_lexer_begin("\0", 1);
    cr_expect_eq(zc_lexer_next(&lexer).kind, ZC_TOKEN_ERROR);
}

/* The source has no end mark: a token must not be looked for beyond it. */
Test(lexer, stops_at_the_end_of_any_bytes)
{
    zc_random_begin("lexer");
    for (int i = 0; i < 20000 * zc_test_scale(); i++) {
        static const char alphabet[] = "0019aexX_.+-*/<>=!'\"# \n([)],:;jJbo~";
        size_t length = (size_t)zc_random_range(0, 12);
        char *source = malloc(length + 1); /* exactly as long, so that a sanitizer sees an overrun */
        for (size_t k = 0; k < length; k++)
            source[k] = alphabet[zc_random_range(0, sizeof alphabet - 2)];
        char *exact = realloc(source, length == 0 ? 1 : length);
        zc_lexer lexer = zc_lexer_begin(exact, length);
        size_t total = 0;
        for (zc_token token = zc_lexer_next(&lexer); token.kind != ZC_TOKEN_END; token = zc_lexer_next(&lexer)) {
            total++;
            cr_assert(token.text >= exact && token.text + token.length <= exact + length);
        }
        cr_assert(total <= length);
        free(exact);
    }
}

/* ---- Names ---- */

Test(names, are_numbered_once)
{
    zc_names names = {0};
    zc_fault fault = {0};
    uint32_t number;
    char text[16];
    cr_expect_not(zc_names_find(&names, "x", 1, &number));
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < 5000; i++) {
            int length = snprintf(text, sizeof text, "name%u", i);
            cr_assert(zc_names_intern(&names, text, (size_t)length, &number, &fault));
            cr_assert_eq(number, i);
        }
    }
    cr_expect_eq(names.count, 5000);
    cr_expect_not(zc_names_find(&names, "name", 4, &number));
    cr_expect(zc_names_find(&names, "name4999", 8, &number));
    cr_expect_str_eq(names.texts[number], "name4999");
    zc_names_free(&names);
}

/* ---- Suggestions ---- */

typedef struct suggestion_row {
    const char *wanted;
    const char *offered;
    bool is_near;
} suggestion_row;

Test(suggest, offers_near_names_only)
{
    static const suggestion_row rows[] = {
        {"sqr", "sqrt", true},
        {"sqrrt", "sqrt", true},
        {"sqtr", "sqrt", true},
        {"sqrx", "sqrt", true},
        {"sqrt", "sum", false},
        {"xy", "xz", false},
        {"x", "y", false},
        {"axes", "axis", true},
        {"brodcast_too", "broadcast_to", true},
        {"permute", "permute_dims", false},
        {"", "e", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        zc_suggestion suggestion = zc_suggestion_begin(rows[i].wanted);
        char text[ZC_SUGGESTION_TEXT];
        zc_suggestion_offer(&suggestion, rows[i].offered);
        bool is_near = strstr(zc_suggestion_text(&suggestion, text), rows[i].offered) != NULL;
        cr_expect(is_near == rows[i].is_near, "%s, %s", rows[i].wanted, rows[i].offered);
    }
}

Test(suggest, prefers_the_nearest_and_ignores_the_long)
{
    char longest[200], text[ZC_SUGGESTION_TEXT];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    zc_suggestion suggestion = zc_suggestion_begin("logical_nat");
    zc_suggestion_offer(&suggestion, longest);
    zc_suggestion_offer(&suggestion, "logical_and");
    zc_suggestion_offer(&suggestion, "logical_not");
    zc_suggestion_offer(&suggestion, "logical_xor");
    cr_expect_str_eq(zc_suggestion_text(&suggestion, text), "; did you mean 'logical_not'?");
}
