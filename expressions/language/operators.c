#include "expressions/language/operators.h"

#include <string.h>

static const zc_operator_info table[ZC_OPERATOR_COUNT] = {
#define ZC_UNARY(NAME, text, binds, name, function)      {ZC_OPERATOR_IS_UNARY, text, binds, name, function, NULL},
#define ZC_BINARY(NAME, text, binds, name, function)     {ZC_OPERATOR_IS_BINARY, text, binds, name, NULL, function},
#define ZC_COMPARISON(NAME, text, binds, name, function) {ZC_OPERATOR_IS_COMPARISON, text, binds, name, NULL, function},
#include "expressions/language/operators.def"
};

const zc_operator_info *zc_operator_describe(zc_operator op)
{
    return &table[op];
}

bool zc_operator_find(const char *text, size_t length, bool is_unary, zc_operator *op)
{
    size_t best = 0;
    for (int i = 0; i < ZC_OPERATOR_COUNT; i++) {
        if (table[i].text[0] != text[0] || (table[i].kind == ZC_OPERATOR_IS_UNARY) != is_unary)
            continue;
        const size_t size = strlen(table[i].text);
        if (size <= best || size > length)
            continue;
        if (memcmp(table[i].text, text, size) == 0) {
            best = size;
            *op = (zc_operator)i;
        }
    }
    return best > 0;
}
