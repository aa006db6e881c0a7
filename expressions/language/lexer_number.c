#include "expressions/language/lexer_number.h"

#include <stdlib.h>

enum { MAX_NUMBER_BYTES = 1000 };

/* A cursor that reads past the end as NUL, which is no part of a number. */
typedef struct scan {
    const char *text;
    size_t length;
    size_t at;
    const char *error;
} scan;

static char peek(const scan *s, size_t ahead)
{
    return s->at + ahead < s->length ? s->text[s->at + ahead] : '\0';
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    char lower = (char)(c | ' ');
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
}

static bool is_digit(char c)
{
    return digit_value(c) < 10;
}

/* Digits, single underscores between them. */
static void skip_digits(scan *s, int base)
{
    while (digit_value(peek(s, 0)) < base || (peek(s, 0) == '_' && digit_value(peek(s, 1)) < base))
        s->at++;
}

/* The digits from `from` to the cursor. */
static uint64_t read_integer(scan *s, size_t from, int base)
{
    uint64_t value = 0;
    for (size_t i = from; i < s->at; i++) {
        if (s->text[i] == '_')
            continue;
        uint64_t digit = (uint64_t)digit_value(s->text[i]);
        if (value > (UINT64_MAX - digit) / (uint64_t)base)
            s->error = "an integer has 64 bits at most";
        value = value * (uint64_t)base + digit;
    }
    return value;
}

static double read_real(scan *s)
{
    char plain[MAX_NUMBER_BYTES + 1];
    size_t used = 0;
    if (s->at > MAX_NUMBER_BYTES) {
        s->error = "the number is longer than 1000 characters";
        return 0;
    }
    for (size_t i = 0; i < s->at; i++) {
        if (s->text[i] != '_')
            plain[used++] = s->text[i];
    }
    plain[used] = '\0';
    return strtod(plain, NULL);
}

static zc_token scan_prefixed(scan *s, int base)
{
    zc_token token = {.kind = ZC_TOKEN_INTEGER};
    s->at = peek(s, 2) == '_' ? 3 : 2;
    size_t from = s->at;
    skip_digits(s, base);
    if (s->at == from)
        s->error = "digits are missing after the prefix";
    token.integer = read_integer(s, from, base);
    return token;
}

static void skip_exponent(scan *s)
{
    size_t sign = peek(s, 1) == '+' || peek(s, 1) == '-' ? 1 : 0;
    if ((peek(s, 0) | ' ') != 'e' || !is_digit(peek(s, 1 + sign)))
        return;
    s->at += 1 + sign;
    skip_digits(s, 10);
}

static bool is_zero_padded(const scan *s)
{
    size_t zeros = 0;
    while (zeros < s->at && (s->text[zeros] == '0' || s->text[zeros] == '_'))
        zeros++;
    return zeros > 0 && zeros < s->at;
}

static zc_token scan_decimal(scan *s)
{
    zc_token token = {.kind = ZC_TOKEN_INTEGER};
    skip_digits(s, 10);
    size_t whole = s->at;
    if (peek(s, 0) == '.') {
        s->at++;
        if (is_digit(peek(s, 0)))
            skip_digits(s, 10);
    }
    skip_exponent(s);
    if (s->at > whole) {
        token.kind = ZC_TOKEN_FLOAT;
        token.real = read_real(s);
    }
    if ((peek(s, 0) | ' ') == 'j') {
        token.kind = ZC_TOKEN_IMAGINARY;
        token.real = read_real(s);
        s->at++;
    } else if (token.kind == ZC_TOKEN_INTEGER) {
        token.integer = read_integer(s, 0, 10);
        if (is_zero_padded(s))
            s->error = "an integer does not begin with 0";
    }
    return token;
}

static int prefix_base(const scan *s)
{
    if (peek(s, 0) != '0')
        return 10;
    char letter = (char)(peek(s, 1) | ' ');
    return letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
}

zc_token zc_number_scan(const char *text, size_t length)
{
    scan s = {.text = text, .length = length};
    int base = prefix_base(&s);
    zc_token token = base == 10 ? scan_decimal(&s) : scan_prefixed(&s, base);
    bool is_joined = is_digit(peek(&s, 0)) || zc_is_name(text + s.at, s.at < length ? 1 : 0);
    if (s.error == NULL && is_joined)
        s.error = "a number ends here, and nothing joins it to what follows";
    if (s.error != NULL) {
        token.kind = ZC_TOKEN_ERROR;
        token.error = s.error;
    }
    token.text = text;
    token.length = s.at;
    return token;
}
