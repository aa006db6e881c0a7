#include "expressions/language/lexer.h"

#include <string.h>

#include "expressions/language/lexer_number.h"
#include "expressions/language/operators.h"

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool zc_is_name(const char *text, size_t length)
{
    if (length == 0 || !is_letter(text[0]))
        return false;
    for (size_t i = 1; i < length; i++) {
        if (!is_letter(text[i]) && !is_digit(text[i]))
            return false;
    }
    return true;
}

zc_lexer zc_lexer_begin(const char *source, size_t length)
{
    return (zc_lexer){.at = source, .end = source + length};
}

/* Blanks, comments, and newlines where they mean nothing. */
static void skip_blanks(zc_lexer *lexer)
{
    while (lexer->at < lexer->end) {
        char c = *lexer->at;
        if (c == '#') {
            while (lexer->at < lexer->end && *lexer->at != '\n')
                lexer->at++;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || (c == '\n' && lexer->brackets > 0)) {
            lexer->at++;
        } else {
            return;
        }
    }
}

static zc_token make(zc_lexer *lexer, zc_token_kind kind, size_t length)
{
    zc_token token = {.kind = kind, .text = lexer->at, .length = length};
    lexer->at += length;
    return token;
}

static zc_token make_error(zc_lexer *lexer, size_t length, const char *error)
{
    zc_token token = make(lexer, ZC_TOKEN_ERROR, length);
    token.error = error;
    return token;
}

static zc_token read_name(zc_lexer *lexer)
{
    size_t length = 1, left = (size_t)(lexer->end - lexer->at);
    while (length < left && (is_letter(lexer->at[length]) || is_digit(lexer->at[length])))
        length++;
    return make(lexer, ZC_TOKEN_NAME, length);
}

/* Strings name modes, so they need no escapes. */
static zc_token read_string(zc_lexer *lexer)
{
    size_t length = 1, left = (size_t)(lexer->end - lexer->at);
    char quote = *lexer->at;
    while (length < left && lexer->at[length] != quote && lexer->at[length] != '\n')
        length++;
    if (length == left || lexer->at[length] != quote)
        return make_error(lexer, length, "the string is not closed");
    zc_token token = make(lexer, ZC_TOKEN_STRING, length + 1);
    token.text++;
    token.length -= 2;
    return token;
}

static zc_token read_number(zc_lexer *lexer)
{
    zc_token token = zc_number_scan(lexer->at, (size_t)(lexer->end - lexer->at));
    lexer->at += token.length;
    return token;
}

static zc_token_kind punctuation(char c)
{
    static const char characters[] = ".,:=()[];\n";
    static const zc_token_kind kinds[] = {
        ZC_TOKEN_DOT,         ZC_TOKEN_COMMA,        ZC_TOKEN_COLON,         ZC_TOKEN_ASSIGN,    ZC_TOKEN_OPEN_PAREN,
        ZC_TOKEN_CLOSE_PAREN, ZC_TOKEN_OPEN_BRACKET, ZC_TOKEN_CLOSE_BRACKET, ZC_TOKEN_SEPARATOR, ZC_TOKEN_SEPARATOR};
    const char *found = c == '\0' ? NULL : strchr(characters, c);
    return found == NULL ? ZC_TOKEN_ERROR : kinds[found - characters];
}

static zc_token read_punctuation(zc_lexer *lexer)
{
    zc_token_kind kind = punctuation(*lexer->at);
    if (kind == ZC_TOKEN_ERROR)
        return make_error(lexer, 1, "this character means nothing here");
    if (kind == ZC_TOKEN_OPEN_PAREN || kind == ZC_TOKEN_OPEN_BRACKET)
        lexer->brackets++;
    if ((kind == ZC_TOKEN_CLOSE_PAREN || kind == ZC_TOKEN_CLOSE_BRACKET) && lexer->brackets > 0)
        lexer->brackets--;
    return make(lexer, kind, 1);
}

zc_token zc_lexer_next(zc_lexer *lexer)
{
    skip_blanks(lexer);
    size_t left = (size_t)(lexer->end - lexer->at);
    if (left == 0)
        return make(lexer, ZC_TOKEN_END, 0);
    const char *at = lexer->at;
    if (is_letter(*at))
        return read_name(lexer);
    if (is_digit(*at) || (*at == '.' && left > 1 && is_digit(at[1])))
        return read_number(lexer);
    if (*at == '\'' || *at == '"')
        return read_string(lexer);
    if (left >= 3 && memcmp(at, "...", 3) == 0)
        return make(lexer, ZC_TOKEN_ELLIPSIS, 3);
    zc_operator op;
    const bool may_be_operator = *at == '=' || punctuation(*at) == ZC_TOKEN_ERROR; /* == is one */
    if (may_be_operator && (zc_operator_find(at, left, false, &op) || zc_operator_find(at, left, true, &op)))
        return make(lexer, ZC_TOKEN_OPERATOR, strlen(zc_operator_describe(op)->text));
    return read_punctuation(lexer);
}
