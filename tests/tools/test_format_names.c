/* Texts with the names of file formats in them. */
#include "tests/support/zc_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/output/format_names.h"

Test(format_names, take_the_place_of_marks)
{
    static const struct {
        const char *text, *wanted;
    } rows[] = {
        {"", ""},
        {"plain", "plain"},
        {"{formats}", ".npy"},
        {"x.{ending}", "x.npy"},
        {"a {formats} b.{ending}{ending}, c", "a .npy b.npynpy, c"},
        {"{", "{"},
        {"{x} {format} {ending", "{x} {format} {ending"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text = NULL;
        size_t length;
        FILE *out = open_memstream(&text, &length);
        cr_assert_not_null(out);
        zc_format_names_print(out, rows[i].text);
        cr_assert_eq(fclose(out), 0);
        cr_expect_str_eq(text, rows[i].wanted);
        free(text);
    }
}
