/*
 * Real numbers as text, with a decimal point whatever the locale of the thread or the process.
 */
#ifndef ZC_RUNTIME_DTYPES_REAL_TEXT_H
#define ZC_RUNTIME_DTYPES_REAL_TEXT_H

enum { ZC_REAL_TEXT = 400 }; /* the largest double, with some decimals and a locale's point */

/* By printf's format for one double. */
__attribute__((format(printf, 2, 0))) void zc_real_print(char text[ZC_REAL_TEXT], const char *format, double x);

/* With the fewest digits that read back as x, six at least where they are not zeros. */
void zc_real_print_shortest(char text[ZC_REAL_TEXT], double x);

#endif
