/* Printing and JSON, against NumPy's print() (make_cases.py) and against texts by hand. */
#include "tests/support/zc_test.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/decimal/digits.h"
#include "tests/support/random.h"
#include "tools/output/file_printer.h"
#include "tools/output/json.h"

typedef struct row {
    zc_dtype dtype;
    int rank;
    const int64_t *shape;
    const void *data;
    const char *text;
} row;

#define ZC_BRACES(...)                                                                                                 \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

static const row rows[] = {
#define ZC_PRINT_CASE(type, dtype, rank, shape, values, text)                                                          \
    {dtype, rank, (const int64_t[])ZC_BRACES shape, (const type[])ZC_BRACES values, text},
#include "tests/tools/print_cases.def"
};

static char *print(zc_dtype dtype, int rank, const int64_t *shape, const void *data)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    cr_assert_not_null(out);
    zc_print_array(zc_file_printer(out, NULL), dtype, rank, shape, data);
    fclose(out);
    text[length - 1] = '\0';
    return text;
}

Test(print, shows_what_numpy_shows)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text = print(rows[i].dtype, rows[i].rank, rows[i].shape, rows[i].data);
        cr_expect(strcmp(text, rows[i].text) == 0, "row %zu, %s, prints\n%s\nnot\n%s", i, zc_dtype_name(rows[i].dtype),
                  text, rows[i].text);
        free(text);
    }
}

/* A byte of foreign data that is neither 0 nor 1 counts as true. */
Test(print, shows_any_true_byte_as_true)
{
    static const uint8_t bytes[] = {2, 0, 255};
    char *text = print(ZC_BOOL, 1, (const int64_t[]){3}, bytes);
    cr_expect_str_eq(text, "[ True False  True]");
    free(text);
}

/* ---- Only the corners are read ---- */

static void make_npy_view(zc_context *ctx, zc_tensor **tensor, const float *element, int rank, const int64_t *shape)
{
    static const int64_t strides[ZC_MAX_RANK] = {0};
    *tensor = zc_import(ctx, ZC_FLOAT32, rank, shape, strides, 0, element, sizeof *element, NULL, NULL);
    cr_assert_not_null(*tensor, "%s", zc_error_text(ctx));
}

static char *print_view(int rank, const int64_t *shape, zc_fault *fault)
{
    static const float element = 1.5F;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    zc_context *ctx = zc_context_new(&(zc_options){.memory_limit = 1 << 20});
    zc_tensor *tensor;
    make_npy_view(ctx, &tensor, &element, rank, shape);
    bool ok = zc_print_tensors(zc_file_printer(out, NULL), 1, (const zc_tensor *const[]){tensor}, fault);
    zc_release(tensor);
    zc_context_free(ctx);
    fclose(out);
    if (ok)
        return text;
    free(text);
    return NULL;
}

Test(print, computes_the_corners_of_a_virtual_array_only)
{
    zc_fault fault = {0};
    char *text = print_view(2, (const int64_t[]){1000000000, 1000000000}, &fault);
    cr_assert_not_null(text, "%s", fault.text);
    cr_expect_str_eq(text, "[[1.5 1.5 1.5 ... 1.5 1.5 1.5]\n [1.5 1.5 1.5 ... 1.5 1.5 1.5]\n"
                           " [1.5 1.5 1.5 ... 1.5 1.5 1.5]\n ...\n [1.5 1.5 1.5 ... 1.5 1.5 1.5]\n"
                           " [1.5 1.5 1.5 ... 1.5 1.5 1.5]\n [1.5 1.5 1.5 ... 1.5 1.5 1.5]]\n");
    free(text);
}

/* 64 axes, one of them cut: the view of the corners must do without the others. */
Test(print, summarises_at_the_highest_rank)
{
    int64_t shape[ZC_MAX_RANK];
    zc_fault fault = {0};
    for (int i = 0; i < ZC_MAX_RANK; i++)
        shape[i] = 1;
    shape[40] = 2000;
    char *text = print_view(ZC_MAX_RANK, shape, &fault);
    cr_assert_not_null(text, "%s", fault.text);
    cr_expect_not_null(strstr(text, "..."));
    free(text);
}

Test(print, refuses_what_would_take_forever)
{
    int64_t shape[ZC_MAX_RANK];
    zc_fault fault = {0};
    for (int i = 0; i < ZC_MAX_RANK; i++)
        shape[i] = i < 62 ? 2 : 1;
    char *text = print_view(ZC_MAX_RANK, shape, &fault);
    cr_expect_null(text);
    cr_expect_not_null(strstr(fault.text, "more than"), "%s", fault.text);
}

/* ---- Digits ---- */

/* The library's own conversion says which 16-bit number a text means; zc_scalar's rounding is tested elsewhere. */
static double read_back(const char *text, zc_precision precision)
{
    if (precision == ZC_PRECISION_SINGLE)
        return (double)strtof(text, NULL);
    double value = strtod(text, NULL);
    if (precision == ZC_PRECISION_DOUBLE)
        return value;
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *exact = zc_constant(ctx, ZC_FLOAT64, &value), *out = NULL;
    zc_tensor *rounded = zc_astype(exact, precision == ZC_PRECISION_HALF ? ZC_FLOAT16 : ZC_BFLOAT16);
    cr_assert_eq(zc_materialize(zc_astype(rounded, ZC_FLOAT64), &out), ZC_OK);
    double back = *(const double *)zc_data(out);
    zc_scope_end(scope);
    zc_context_free(ctx);
    return back;
}

/* The law of the shortest digits: they read back, no fewer do, and no others as few are nearer. */
static void check_shortest(double value, zc_precision precision)
{
    char text[ZC_NUMBER_BYTES];
    zc_digits d = zc_digits_shortest(value, precision);
    (void)zc_digits_write_scientific(&d, 0, 2, text);
    double back = read_back(text, precision);
    cr_assert(back == value, "%a reads back as %a from %s", value, back, text);
    for (int fewer = 1; fewer < d.count; fewer++) {
        (void)snprintf(text, sizeof text, "%.*e", fewer - 1, value);
        back = read_back(text, precision);
        cr_assert(back != value, "%a has fewer digits: %s", value, text);
    }
}

Test(digits, are_the_fewest_that_read_back)
{
    zc_random_begin("digits");
    for (int i = 0; i < 20000 * zc_test_scale(); i++) {
        uint64_t bits = zc_random_u64();
        double real;
        float single;
        uint32_t half = (uint32_t)bits;
        memcpy(&real, &bits, sizeof real);
        memcpy(&single, &half, sizeof single);
        if (isfinite(real))
            check_shortest(real, ZC_PRECISION_DOUBLE);
        if (isfinite(single))
            check_shortest((double)single, ZC_PRECISION_SINGLE);
    }
}

Test(digits, of_powers_of_two_are_the_fewest)
{
    for (int exponent = -1074; exponent < 1024; exponent++)
        check_shortest(ldexp(1, exponent), ZC_PRECISION_DOUBLE);
    for (int exponent = -149; exponent < 128; exponent++)
        check_shortest(ldexp(1, exponent), ZC_PRECISION_SINGLE);
}

/* Every finite value has few digits, so a sample will do: each 61st, and every power of two. */
Test(digits, of_16_bit_floats_are_the_fewest)
{
    for (int bits = 1; bits < 0x7f80; bits += 61) {
        uint32_t whole = (uint32_t)bits << 16;
        float single;
        memcpy(&single, &whole, sizeof single);
        check_shortest((double)single, ZC_PRECISION_BFLOAT16);
        if (bits < 0x7c00)
            check_shortest(bits < 1024 ? ldexp(bits, -24) : ldexp(1024 + bits % 1024, bits / 1024 - 25),
                           ZC_PRECISION_HALF);
    }
    for (int exponent = -133; exponent < 128; exponent++)
        check_shortest(ldexp(1, exponent), ZC_PRECISION_BFLOAT16);
    for (int exponent = -24; exponent < 16; exponent++)
        check_shortest(ldexp(1, exponent), ZC_PRECISION_HALF);
}

/* As float32, with the fewest digits that tell a bfloat16 from its neighbours: float32(1/3) is 0.33333334, and of the
 * three digits 0.334 lies nearest to the bfloat16 0.333984375. */
Test(print, bfloat16_is_printed_as_float32_with_its_own_digits)
{
    static const uint16_t values[] = {0x3eab, 0xc000, 0x7f80, 0x7fc0, 0x3dcd};
    char *text = print(ZC_BFLOAT16, 1, (const int64_t[]){5}, values);
    cr_expect_str_eq(text, "[ 0.334 -2.       inf    nan  0.1  ]");
    free(text);
    text = print(ZC_BFLOAT16, 0, NULL, (const uint16_t[]){0x7f7f});
    cr_expect_str_eq(text, "3.39e+38");
    free(text);
}

/* ---- Printers that end ---- */

typedef struct ending {
    int writes, most;
} ending;

/* Takes so many pieces: the last of them it does not want any more. */
static bool take_some(void *user, const char *text, size_t length)
{
    ending *e = user;
    (void)text;
    cr_expect_gt(length, 0);
    return ++e->writes < e->most;
}

/* Nothing is written after the piece that the printer refused; of several arrays, none begins after it. */
Test(print, ends_where_the_printer_wants_no_more)
{
    static const int64_t shapes[][3] = {{3, 0, 0}, {2, 3, 0}, {2, 2, 2}, {30, 40, 1}, {0, 0, 0}};
    static const int ranks[] = {1, 2, 3, 2, 0};
    static const double data[1200] = {1.5, 2, 300};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        ending e = {.most = 1 << 20};
        zc_printer out = {.write = take_some, .user = &e};
        cr_expect(zc_print_array(out, ZC_FLOAT64, ranks[i], shapes[i], data));
        const int all = e.writes;
        for (int k = 1; k <= all; k++) {
            e = (ending){.most = k};
            cr_expect(!zc_print_array(out, ZC_FLOAT64, ranks[i], shapes[i], data));
            cr_expect_eq(e.writes, k, "%d writes of %d, ended at %d", e.writes, all, k);
        }
    }
    zc_fault fault = {0};
    zc_context *ctx = zc_context_new(NULL);
    zc_tensor *x = zc_iota(ctx, 3);
    ending e = {.most = 2};
    cr_expect(
        zc_print_tensors((zc_printer){.write = take_some, .user = &e}, 2, (const zc_tensor *const[]){x, x}, &fault));
    cr_expect_eq(e.writes, 2);
    zc_release(x);
    zc_context_free(ctx);
}

/* A full disk ends a print, too. */
Test(print, ends_where_nothing_can_be_written)
{
    FILE *out = fopen("/dev/full", "w");
    if (out == NULL)
        cr_skip_test("no /dev/full");
    (void)setvbuf(out, NULL, _IONBF, 0);
    cr_expect(!zc_print_array(zc_file_printer(out, NULL), ZC_INT64, 1, (const int64_t[]){2}, (const int64_t[]){1, 2}));
    (void)fclose(out);
}

/* ---- JSON ---- */

static char *write_json(void (*write)(zc_json *json))
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    zc_json json = {.out = out};
    write(&json);
    fclose(out);
    return text;
}

static void write_object(zc_json *json)
{
    zc_json_open(json, '{');
    zc_json_key(json, "text");
    zc_json_string(json, "a \"quoted\" \\ \n\x01 \xc3\xa9");
    zc_json_key(json, "numbers");
    zc_json_integers(json, 3, (const int64_t[]){INT64_MIN, 0, INT64_MAX});
    zc_json_key(json, "reals");
    zc_json_open(json, '[');
    static const double reals[] = {0.1, -0.0, 1e16, 1e-5, NAN, INFINITY, -INFINITY, 100, 5e-324};
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++)
        zc_json_real(json, reals[i]);
    zc_json_close(json, ']');
    zc_json_key(json, "truth");
    zc_json_bool(json, true);
    zc_json_key(json, "nothing");
    zc_json_null(json);
    zc_json_key(json, "empty");
    zc_json_integers(json, 0, NULL);
    zc_json_close(json, '}');
}

Test(json, separates_quotes_and_spells_out)
{
    char *text = write_json(write_object);
    cr_expect_str_eq(text, "{\"text\": \"a \\\"quoted\\\" \\\\ \\u000a\\u0001 \xc3\xa9\", "
                           "\"numbers\": [-9223372036854775808, 0, 9223372036854775807], "
                           "\"reals\": [0.1, -0.0, 1e+16, 1e-05, \"nan\", \"inf\", \"-inf\", 100.0, 5e-324], "
                           "\"truth\": true, \"nothing\": null, \"empty\": []}");
    free(text);
}

static void write_arrays(zc_json *json)
{
    zc_json_array(json, ZC_BOOL, 1, (const int64_t[]){2}, (const uint8_t[]){1, 0});
    zc_json_array(json, ZC_INT8, 2, (const int64_t[]){2, 1}, (const int8_t[]){-1, 2});
    zc_json_array(json, ZC_UINT64, 0, NULL, (const uint64_t[]){UINT64_MAX});
    zc_json_array(json, ZC_FLOAT32, 1, (const int64_t[]){2}, (const float[]){0.1F, NAN});
    zc_json_array(json, ZC_FLOAT64, 2, (const int64_t[]){2, 0}, NULL);
    zc_json_array(json, ZC_FLOAT16, 1, (const int64_t[]){3}, (const uint16_t[]){0x2e66, 0xfc00, 0x0001});
    zc_json_array(json, ZC_BFLOAT16, 0, NULL, (const uint16_t[]){0x3dcd});
}

Test(json, nests_arrays)
{
    char *text = write_json(write_arrays);
    cr_expect_str_eq(text,
                     "[true, false], [[-1], [2]], 18446744073709551615, [0.10000000149011612, \"nan\"], [[], []], "
                     "[0.0999755859375, \"-inf\", 5.960464477539063e-08], 0.10009765625");
    free(text);
}
