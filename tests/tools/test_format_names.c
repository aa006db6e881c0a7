/* Texts with the names of file formats in them: of those that there are, and of others. */
#include "tests/support/zc_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/output/format_names.h"
#include "zerocast.h"

/* Names of formats in the place of the library's, where count is not 0. */
static const char *const *others;
static int other_count;

int __real_zc_file_format_count(void);
const char *__real_zc_file_format_name(int format);
int __wrap_zc_file_format_count(void);
const char *__wrap_zc_file_format_name(int format);

int __wrap_zc_file_format_count(void)
{
    return other_count > 0 ? other_count : __real_zc_file_format_count();
}

const char *__wrap_zc_file_format_name(int format)
{
    return other_count > 0 ? others[format] : __real_zc_file_format_name(format);
}

typedef struct row {
    const char *text, *wanted;
} row;

static void check_rows(int count, const row *rows)
{
    for (int i = 0; i < count; i++) {
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

Test(format_names, take_the_place_of_marks)
{
    static const row rows[] = {
        {"", ""},
        {"plain", "plain"},
        {"x.{ending}", "x.npy"},
        {"a b.{ending}{ending}, c", "a b.npynpy, c"},
        {"{", "{"},
        {"{x} {format} {ending", "{x} {format} {ending"},
    };
    check_rows(sizeof rows / sizeof rows[0], rows);
}

Test(format_names, are_listed_with_commas_and_or)
{
    static const char *const names[] = {"tsv", "csv", "png"};
    static const row two[] = {{"x.{ending}: {formats}", "x.tsv: .tsv or .csv"}},
                     three[] = {{"{formats}", ".tsv, .csv or .png"}};
    others = names;
    other_count = 2;
    check_rows(1, two);
    other_count = 3;
    check_rows(1, three);
    other_count = 0;
}

/* Text that there is no room for is left out. */
Test(format_names, are_cut_where_there_is_no_room)
{
    enum { COUNT = 40 };
    static const char *names[COUNT];
    char text[ZC_FORMAT_NAMES_TEXT];
    for (int i = 0; i < COUNT; i++)
        names[i] = "endingwithmanyletters";
    others = names;
    other_count = COUNT;
    const size_t length = strlen(zc_format_names_text(text));
    other_count = 0;
    cr_expect_eq(length, sizeof text - 1);
    cr_expect_eq(strncmp(text, ".endingwithmanyletters, .ending", 31), 0, "%s", text);
}
