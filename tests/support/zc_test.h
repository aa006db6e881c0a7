/*
 * The test framework, as tests see it: Criterion, or a plain runner with Criterion's names.
 *
 * Criterion 2.4 cannot start under ThreadSanitizer, so the tsan preset defines ZC_TEST_PLAIN and links plain_main.c:
 * every test then runs in one process, one after the other. Tests may use what is listed below and nothing else of
 * Criterion; with that, both give the same verdict. A claim about an exit or a signal (.exit_code, .signal) needs a
 * process per test and is skipped by the plain runner.
 *
 * Assertions belong on the thread that runs the test. One that fails on another thread fails the test, too, but ends
 * only its thread.
 */
#ifndef ZC_TESTS_SUPPORT_ZC_TEST_H
#define ZC_TESTS_SUPPORT_ZC_TEST_H

#if !defined(ZC_TEST_PLAIN)

#include <criterion/criterion.h>

#else

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Test(suite, name, .init = before, .fini = after): the options that tests use. */
typedef struct zc_plain_options {
    void (*init)(void);
    void (*fini)(void);
    double timeout; /* left to CTest */
    int exit_code;
    int signal;
    bool disabled;
    const char *description;
} zc_plain_options;

typedef struct zc_plain_test {
    const char *suite;
    const char *name;
    void (*run)(void);
    zc_plain_options options;
    struct zc_plain_test *next;
} zc_plain_test;

void zc_plain_register(zc_plain_test *test);

/* Place of an assertion, and whether its failure ends the test. */
typedef struct zc_plain_place {
    const char *file;
    int line;
    bool is_fatal;
} zc_plain_place;

/* The format begins with a space, so that an assertion without a message still has one. */
__attribute__((format(printf, 4, 5))) void zc_plain_check(bool holds, zc_plain_place place, const char *claim,
                                                          const char *format, ...);
__attribute__((noreturn, format(printf, 1, 2))) void zc_plain_skip(const char *format, ...);
__attribute__((format(printf, 1, 2))) void zc_plain_log(const char *format, ...);

#define Test(test_suite, test_name, ...)                                                                               \
    static void test_suite##_##test_name(void);                                                                        \
    __attribute__((constructor)) static void register_##test_suite##_##test_name(void)                                 \
    {                                                                                                                  \
        static zc_plain_test test = {                                                                                  \
            #test_suite, #test_name, test_suite##_##test_name, {.timeout = 0, __VA_ARGS__}, NULL};                     \
        zc_plain_register(&test);                                                                                      \
    }                                                                                                                  \
    static void test_suite##_##test_name(void)

#define ZC_PLAIN_ASSERT(holds, claim, ...)                                                                             \
    zc_plain_check((holds), (zc_plain_place){__FILE__, __LINE__, true}, claim, " " __VA_ARGS__)
#define ZC_PLAIN_EXPECT(holds, claim, ...)                                                                             \
    zc_plain_check((holds), (zc_plain_place){__FILE__, __LINE__, false}, claim, " " __VA_ARGS__)

#define cr_assert(x, ...)                ZC_PLAIN_ASSERT(x, #x, __VA_ARGS__)
#define cr_assert_not(x, ...)            ZC_PLAIN_ASSERT(!(x), "not " #x, __VA_ARGS__)
#define cr_assert_eq(a, b, ...)          ZC_PLAIN_ASSERT((a) == (b), #a " == " #b, __VA_ARGS__)
#define cr_assert_neq(a, b, ...)         ZC_PLAIN_ASSERT((a) != (b), #a " != " #b, __VA_ARGS__)
#define cr_assert_lt(a, b, ...)          ZC_PLAIN_ASSERT((a) < (b), #a " < " #b, __VA_ARGS__)
#define cr_assert_leq(a, b, ...)         ZC_PLAIN_ASSERT((a) <= (b), #a " <= " #b, __VA_ARGS__)
#define cr_assert_gt(a, b, ...)          ZC_PLAIN_ASSERT((a) > (b), #a " > " #b, __VA_ARGS__)
#define cr_assert_geq(a, b, ...)         ZC_PLAIN_ASSERT((a) >= (b), #a " >= " #b, __VA_ARGS__)
#define cr_assert_null(p, ...)           ZC_PLAIN_ASSERT((p) == NULL, #p " is NULL", __VA_ARGS__)
#define cr_assert_not_null(p, ...)       ZC_PLAIN_ASSERT((p) != NULL, #p " is not NULL", __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...)      ZC_PLAIN_ASSERT(strcmp((a), (b)) == 0, #a " equals " #b, __VA_ARGS__)
#define cr_assert_str_neq(a, b, ...)     ZC_PLAIN_ASSERT(strcmp((a), (b)) != 0, #a " differs from " #b, __VA_ARGS__)
#define cr_assert_str_empty(a, ...)      ZC_PLAIN_ASSERT((a)[0] == '\0', #a " is empty", __VA_ARGS__)
#define cr_assert_str_not_empty(a, ...)  ZC_PLAIN_ASSERT((a)[0] != '\0', #a " is not empty", __VA_ARGS__)
#define cr_assert_arr_eq(a, b, n, ...)   ZC_PLAIN_ASSERT(memcmp((a), (b), (n)) == 0, #a " equals " #b, __VA_ARGS__)
#define cr_assert_arr_neq(a, b, n, ...)  ZC_PLAIN_ASSERT(memcmp((a), (b), (n)) != 0, #a " differs from " #b, __VA_ARGS__)
#define cr_assert_float_eq(a, b, e, ...) ZC_PLAIN_ASSERT(fabs((double)((a) - (b))) <= (e), #a " ~ " #b, __VA_ARGS__)
#define cr_assert_float_neq(a, b, e, ...)                                                                              \
    ZC_PLAIN_ASSERT(fabs((double)((a) - (b))) > (e), #a " is far from " #b, __VA_ARGS__)
#define cr_assert_fail(...) ZC_PLAIN_ASSERT(false, "fails", __VA_ARGS__)

#define cr_expect(x, ...)                ZC_PLAIN_EXPECT(x, #x, __VA_ARGS__)
#define cr_expect_not(x, ...)            ZC_PLAIN_EXPECT(!(x), "not " #x, __VA_ARGS__)
#define cr_expect_eq(a, b, ...)          ZC_PLAIN_EXPECT((a) == (b), #a " == " #b, __VA_ARGS__)
#define cr_expect_neq(a, b, ...)         ZC_PLAIN_EXPECT((a) != (b), #a " != " #b, __VA_ARGS__)
#define cr_expect_lt(a, b, ...)          ZC_PLAIN_EXPECT((a) < (b), #a " < " #b, __VA_ARGS__)
#define cr_expect_leq(a, b, ...)         ZC_PLAIN_EXPECT((a) <= (b), #a " <= " #b, __VA_ARGS__)
#define cr_expect_gt(a, b, ...)          ZC_PLAIN_EXPECT((a) > (b), #a " > " #b, __VA_ARGS__)
#define cr_expect_geq(a, b, ...)         ZC_PLAIN_EXPECT((a) >= (b), #a " >= " #b, __VA_ARGS__)
#define cr_expect_null(p, ...)           ZC_PLAIN_EXPECT((p) == NULL, #p " is NULL", __VA_ARGS__)
#define cr_expect_not_null(p, ...)       ZC_PLAIN_EXPECT((p) != NULL, #p " is not NULL", __VA_ARGS__)
#define cr_expect_str_eq(a, b, ...)      ZC_PLAIN_EXPECT(strcmp((a), (b)) == 0, #a " equals " #b, __VA_ARGS__)
#define cr_expect_str_neq(a, b, ...)     ZC_PLAIN_EXPECT(strcmp((a), (b)) != 0, #a " differs from " #b, __VA_ARGS__)
#define cr_expect_str_empty(a, ...)      ZC_PLAIN_EXPECT((a)[0] == '\0', #a " is empty", __VA_ARGS__)
#define cr_expect_str_not_empty(a, ...)  ZC_PLAIN_EXPECT((a)[0] != '\0', #a " is not empty", __VA_ARGS__)
#define cr_expect_arr_eq(a, b, n, ...)   ZC_PLAIN_EXPECT(memcmp((a), (b), (n)) == 0, #a " equals " #b, __VA_ARGS__)
#define cr_expect_arr_neq(a, b, n, ...)  ZC_PLAIN_EXPECT(memcmp((a), (b), (n)) != 0, #a " differs from " #b, __VA_ARGS__)
#define cr_expect_float_eq(a, b, e, ...) ZC_PLAIN_EXPECT(fabs((double)((a) - (b))) <= (e), #a " ~ " #b, __VA_ARGS__)
#define cr_expect_float_neq(a, b, e, ...)                                                                              \
    ZC_PLAIN_EXPECT(fabs((double)((a) - (b))) > (e), #a " is far from " #b, __VA_ARGS__)
#define cr_expect_fail(...) ZC_PLAIN_EXPECT(false, "fails", __VA_ARGS__)

#define cr_skip(...)      zc_plain_skip(" " __VA_ARGS__)
#define cr_skip_test(...) zc_plain_skip(" " __VA_ARGS__)
#define cr_log_info(...)  zc_plain_log(__VA_ARGS__)
#define cr_log_warn(...)  zc_plain_log(__VA_ARGS__)
#define cr_log_error(...) zc_plain_log(__VA_ARGS__)

#endif

#endif
