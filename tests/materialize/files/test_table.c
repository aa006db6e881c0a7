/* Text as a table: how many elements are counted before they are read, which column a name means, and stopping. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "materialize/files/bytes/table.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

static zc_text_table begin_table(const char *text, size_t count, char delimiter)
{
    zc_reason why = {.text = ""};
    zc_text_table t = {.bytes = text, .count = (int64_t)count, .delimiter = delimiter};
    cr_assert_eq(zc_text_begin(&t, &why), ZC_OK, "%s", why.text);
    return t;
}

static int64_t count_elements(const char *text, size_t count, char delimiter)
{
    zc_reason why;
    zc_progress progress = {.total = 0};
    zc_text_table t = begin_table(text, count, delimiter);
    cr_assert_eq(zc_text_count(&t, &progress, &why), ZC_OK);
    return t.elements;
}

/* Nothing but what is stored counts: no header, blank line, comment, and no end of line in quotes. */
Test(table, counts_what_it_will_store)
{
    static const struct {
        const char *text;
        char delimiter;
        int64_t elements;
    } rows[] = {{"", ',', 0},
                {"a,b\n", ',', 0},
                {",,,,\n", ',', 5},
                {",", ',', 2},
                {"1,,,,,,,\n2,,,,,,,\n", ',', 16},
                {"a,b,c\n,,\r\n,,", ',', 6},
                {"1,2\n\n  \n#3,4\n  #,,,\n5,6", ',', 4},
                {"x,y\n\"1\",\"2\"\n\"3\" , 4\n", ',', 4},
                {"1\t\t2\n", '\t', 3},
                {" 1  2 \r\n3\t4 \n 5 6\r", ' ', 6},
                {"\"1\"\"\" 2\n\"3\" 4\n", ' ', 2},
                {"1,2\n3\n4,5\n", ',', 2},
                {"1,2\n3,4,5\n", ',', 2},
                {"1,2\n\"3\",4,\"5\"\n", ',', 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(count_elements(rows[i].text, strlen(rows[i].text), rows[i].delimiter), rows[i].elements, "%s",
                     rows[i].text);
}

static char *append(char *at, const char *text)
{
    const size_t count = strlen(text);
    memcpy(at, text, count);
    return at + count;
}

/* A text of so many lines of `columns` fields, among lines that hold none. */
static size_t write_table(char *text, int64_t lines, int64_t columns, const char *delimiter)
{
    static const char *const fields[] = {"1", "2.5", "-3e2", "\"4\"", "\" 5 \"", "", "\"\""}, *const ends[] = {"\n",
                                                                                                               "\r\n"};
    const int64_t kinds = zc_random_range(0, 1) == 0 ? 2 : *delimiter == ' ' || columns == 1 ? 4 : 6;
    char *at = text;
    for (int64_t line = 0; line < lines; line++) {
        while (zc_random_range(0, 3) == 0)
            at = append(at, zc_random_range(0, 1) == 0 ? "\r\n" : " # \"1,2 3\n");
        for (int64_t column = 0; column < columns; column++) {
            at = append(at, column > 0 ? delimiter : "");
            at = append(at, fields[zc_random_range(0, kinds)]);
        }
        at = append(at, ends[zc_random_range(0, 1)]);
    }
    return (size_t)(at - text);
}

/* Some of these lines are longer than what is looked at at once. */
Test(table, counts_what_was_written)
{
    static const char *const delimiters[] = {",", "\t", " "};
    enum { MOST_FIELDS = 1 << 16 };
    char *text = malloc(MOST_FIELDS * 8);
    cr_assert_not_null(text);
    zc_random_begin("table, counts_what_was_written");
    for (int round = 0; round < 300; round++) {
        const char *delimiter = delimiters[zc_random_range(0, 2)];
        const int64_t lines = zc_random_range(0, 6), columns = zc_random_range(1, round % 20 == 0 ? 8000 : 20);
        const size_t count = write_table(text, lines, columns, delimiter);
        cr_expect_eq(count_elements(text, count, *delimiter), lines * columns, "round %d", round);
    }
    free(text);
}

/* A NUL in quotes is a byte like any other, and ends no name. */
Test(table, has_no_name_beyond_its_end)
{
    static const char text[] = "\"a\0b\",c\n1,2\n";
    zc_reason why = {.text = ""};
    zc_text_table t = {.bytes = text, .count = sizeof text - 1, .delimiter = ',', .column = "a\0b"};
    cr_expect_eq(zc_text_begin(&t, &why), ZC_ERROR_FORMAT);
    cr_expect_str_eq(why.text, "no column is named 'a'");
    t.column = "c";
    cr_expect(zc_text_begin(&t, &why) == ZC_OK && t.chosen == 1);
}

/* Sentences go to terminals, and quote what a file says. */
Test(table, quotes_no_controls)
{
    static const char text[] = "1\n\xc2\x9b\x33\x31m\x1b\x7f\xc2\xa0\xc3\xa4\xc2\n";
    zc_reason why = {.text = ""};
    zc_progress progress = {.total = 0};
    zc_text_table t = begin_table(text, sizeof text - 1, ',');
    cr_expect_eq(zc_text_read(&t, NULL, &progress, &why), ZC_ERROR_FORMAT);
    cr_expect_str_eq(why.text, "line 2, column 1: '?31m??\xc2\xa0\xc3\xa4\xc2' is no number");
}

Test(table, has_quotes_that_are_closed)
{
    static const struct {
        const char *text, *column, *sentence;
    } rows[] = {{"a,\"b\n1,2\n", NULL, "line 1: a quote is not closed"},
                {"\n\"a,b\n1,2\n", NULL, "line 2: a quote is not closed"},
                {"a,b\n1,2\n3,\"4\n", NULL, "line 3: a quote is not closed"},
                {"a,b\n1,2\n3,\"4\n", "a", "line 3: a quote is not closed"},
                {"a,b\n1,2\n\"3\"4,\"5\n", "a", "line 3, column 1: '\"3\"4' is no number"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zc_reason why = {.text = ""};
        zc_progress progress = {.total = 0};
        zc_text_table t = {.bytes = rows[i].text, .count = (int64_t)strlen(rows[i].text), .delimiter = ','};
        t.column = rows[i].column;
        zc_status status = zc_text_begin(&t, &why);
        if (status == ZC_OK)
            status = zc_text_read(&t, NULL, &progress, &why);
        cr_expect_eq(status, ZC_ERROR_FORMAT);
        cr_expect_str_eq(why.text, rows[i].sentence);
    }
}

/* ---- Plain numbers ---- */

/* A number that text says in full: an integer, or thousandths. */
static double write_number(char **at, bool is_integer)
{
    const int64_t value = zc_random_range(-999999, 999999) / (zc_random_range(0, 3) == 0 ? 100000 : 1);
    *at += sprintf(*at, is_integer ? "%d" : "%de-3", (int)value);
    return is_integer ? (double)value : (double)value / 1000;
}

/* Lines of plain numbers among others, which are read one by one. */
Test(table, reads_what_was_written)
{
    enum { MOST_FIELDS = 1 << 16 };
    static const char delimiters[] = ",\t ";
    char *text = malloc(MOST_FIELDS * 16);
    double *wanted = malloc(MOST_FIELDS * sizeof *wanted), *elements = malloc(MOST_FIELDS * sizeof *elements);
    cr_assert(text != NULL && wanted != NULL && elements != NULL);
    zc_random_begin("table, reads_what_was_written");
    for (int round = 0; round < 100; round++) {
        const char delimiter = delimiters[zc_random_range(0, 2)], *end = zc_random_range(0, 1) == 0 ? "\n" : "\r\n";
        const bool is_integer = zc_random_range(0, 1) == 0;
        const int64_t columns = round % 10 == 0 ? zc_random_range(8190, 8200) : zc_random_range(1, 9);
        const int64_t lines = zc_random_range(1, 7);
        int64_t count = 0;
        char *at = text;
        if (zc_random_range(0, 1) == 0) {
            at = append(at, "a header");
            for (int64_t column = delimiter == ' ' ? 2 : 1; column < columns; column++)
                at += sprintf(at, "%cx", delimiter);
            if (delimiter == ' ' && columns == 1)
                at = append(text, "header");
            at = append(at, end);
        }
        for (int64_t line = 0; line < lines; line++) {
            const bool is_plain = zc_random_range(0, 3) > 0;
            at = append(at, is_plain ? "" : zc_random_range(0, 1) == 0 ? "\n \n  # 1\n" : " ");
            for (int64_t column = 0; column < columns; column++) {
                if (column > 0)
                    *at++ = delimiter;
                const bool is_quoted = !is_plain && zc_random_range(0, 2) == 0;
                at = append(at, is_quoted ? "\"" : "");
                wanted[count++] = write_number(&at, is_integer);
                at = append(at, is_quoted ? "\"" : "");
            }
            at = append(at, is_plain ? "" : " ");
            at = append(at, line + 1 == lines && round % 2 == 0 ? "" : end);
        }
        zc_reason why = {.text = ""};
        zc_progress progress = {.total = 0};
        zc_text_table t = begin_table(text, (size_t)(at - text), delimiter);
        cr_assert_eq(zc_text_count(&t, &progress, &why), ZC_OK);
        cr_assert_eq(t.elements, count, "round %d", round);
        cr_assert_eq(zc_text_read(&t, elements, &progress, &why), ZC_OK, "round %d: %s", round, why.text);
        cr_assert(t.rows == lines && t.columns == columns, "round %d", round);
        cr_assert_eq(t.dtype, is_integer ? ZC_INT64 : ZC_FLOAT64);
        for (int64_t i = 0; i < count; i++) {
            const double got = is_integer ? (double)((int64_t *)(void *)elements)[i] : elements[i];
            cr_assert_eq(got, wanted[i], "round %d, element %d", round, (int)i);
        }
    }
    free(text);
    free(wanted);
    free(elements);
}

/* Finds fields that are no plain numbers in the midst of such lines, and names the line where they are. */
Test(table, tells_the_line_behind_plain_ones)
{
    static const struct {
        const char *text, *sentence;
    } rows[] = {{"1,2\n3,4\n5,x\n", "line 3, column 2: 'x' is no number"},
                {"1,2\n3,4\n\n5\n", "line 4 has 1 field, line 1 has 2"},
                {"1,2\r\n3,4\r\n5,6,7\r\n", "line 3 has 3 fields, line 1 has 2"},
                {"1.5,2\n3,4\n5,6\n7;8,9\n", "line 4, column 1: '7;8' is no number"},
                {"h,i\n1,2\n3,4\n5,-\n", "line 4, column 2: '-' is no number"},
                {"1\n2\n3\r4\n", "line 3, column 1: '3?4' is no number"},
                {"1\n2\n12345678901234567890123x\n", "line 3, column 1: '12345678901234567890123x' is no number"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double elements[16];
        zc_reason why = {.text = ""};
        zc_progress progress = {.total = 0};
        zc_text_table t = begin_table(rows[i].text, strlen(rows[i].text), ',');
        t.elements = 16;
        cr_expect_eq(zc_text_read(&t, elements, &progress, &why), ZC_ERROR_FORMAT);
        cr_expect_str_eq(why.text, rows[i].sentence);
    }
}

/* ---- Stopping ---- */

static bool stop_after(void *user, int64_t done, int64_t total)
{
    (void)done;
    (void)total;
    int64_t *calls = user;
    return --*calls > 0;
}

/* Counts or reads a text, and stops it at each look in turn; returns the looks. */
static int64_t stop_each(const char *text, size_t count, void *elements)
{
    zc_reason why;
    zc_text_table t = begin_table(text, count, ',');
    zc_status status = ZC_CANCELLED;
    int64_t looks = 0;
    t.elements = (int64_t)count;
    while (status != ZC_OK) {
        int64_t calls = ++looks;
        zc_progress progress = {.report = stop_after, .user = &calls};
        status = elements == NULL ? zc_text_count(&t, &progress, &why) : zc_text_read(&t, elements, &progress, &why);
        cr_assert(status == ZC_OK || status == ZC_CANCELLED);
    }
    return looks;
}

/* Lines of a megabyte: of numbers alone, and with quotes. */
Test(table, stops_within_a_line)
{
    enum { BYTES = 1 << 20, LEAST = BYTES / (1 << 16) };
    char *text = malloc(2 * BYTES);
    double *elements = malloc(BYTES * sizeof *elements);
    cr_assert(text != NULL && elements != NULL);
    for (size_t i = 0; i < BYTES; i++)
        text[i] = i % 2 == 0 ? '1' : ',';
    text[BYTES - 1] = '\n';
    cr_expect_geq(stop_each(text, BYTES, NULL), LEAST);
    cr_expect_geq(stop_each(text, BYTES, elements), LEAST);
    memcpy(text + BYTES, text, BYTES);
    cr_expect_geq(stop_each(text, (size_t)2 * BYTES, NULL), 2 * LEAST);
    cr_expect_geq(stop_each(text, (size_t)2 * BYTES, elements), 2 * LEAST);
    memcpy(text, "\"1\",", 4);
    cr_expect_geq(stop_each(text, BYTES, NULL), LEAST);
    cr_expect_geq(stop_each(text, BYTES, elements), LEAST);
    free(elements);
    free(text);
}
