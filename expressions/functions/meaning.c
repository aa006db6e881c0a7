#include "expressions/functions/meaning.h"

#include <string.h>

static const zc_meaning rows[] = {
#define ZC_TOPIC(text)           {NULL, text, false},
#define ZC_HELP(name, text)      {name, text, false},
#define ZC_COMPUTING(name, text) {name, text, true},
#include "expressions/functions/help.def"
#undef ZC_TOPIC
#undef ZC_HELP
#undef ZC_COMPUTING
};

enum { ROWS = sizeof rows / sizeof rows[0] };

const zc_meaning *zc_meanings(int *count)
{
    *count = ROWS;
    return rows;
}

const zc_meaning *zc_meaning_find(const char *name)
{
    for (int i = 0; i < ROWS; i++) {
        if (rows[i].name != NULL && rows[i].name[0] == name[0] && strcmp(rows[i].name, name) == 0)
            return &rows[i];
    }
    return NULL;
}
