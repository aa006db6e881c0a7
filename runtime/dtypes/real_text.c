#include "runtime/dtypes/real_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Puts a point where the locale has its own, which may be of several bytes. */
static void use_point(char *text)
{
    const size_t whole = strspn(text, "0123456789+-einfa.");
    const size_t other = strcspn(text + whole, "0123456789e");
    if (text[whole] == '\0')
        return;
    text[whole] = '.';
    memmove(text + whole + 1, text + whole + other, strlen(text + whole + other) + 1);
}

void zc_real_print(char text[ZC_REAL_TEXT], const char *format, double x)
{
    (void)snprintf(text, ZC_REAL_TEXT, format, x);
    use_point(text);
}

void zc_real_print_shortest(char text[ZC_REAL_TEXT], double x)
{
    enum { FEWEST = 6, MOST = 17 };
    double back = 0;
    for (int digits = FEWEST; digits <= MOST && (digits == FEWEST || back != x); digits++) {
        (void)snprintf(text, ZC_REAL_TEXT, "%.*g", digits, x);
        back = strtod(text, NULL);
    }
    use_point(text);
}
