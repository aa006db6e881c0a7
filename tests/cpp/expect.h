/* Claims that are counted, and the sentence of a failure, for the programs of this folder. */
#ifndef TESTS_CPP_EXPECT_H
#define TESTS_CPP_EXPECT_H

#include <cstdio>
#include <string>

#include <zerocast.hpp>

namespace zc = zerocast;

inline int failures = 0;

#define EXPECT(...)                                                                                                    \
    do {                                                                                                               \
        if (!(__VA_ARGS__)) {                                                                                          \
            failures++;                                                                                                \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, #__VA_ARGS__);                                              \
        }                                                                                                              \
    } while (0)

/* Runs what fails, and gives its sentence: that of the exception, or the one that is recorded, which it clears. */
template <typename F> std::string sentence_of(const zc::context &ctx, const F &f)
{
#if defined(__cpp_exceptions)
    (void)ctx;
    try {
        f();
    } catch (const zc::error &e) {
        return e.what();
    }
    return "nothing was thrown";
#else
    zc_error_clear(nullptr);
    f();
    const std::string sentence = ctx.status() != ZC_OK ? ctx.error_text() : zc_error_text(nullptr);
    ctx.clear_error();
    return sentence;
#endif
}

void index_at_random(const zc::context &ctx);      /* indices.cpp */
void index_as_numpy_does(const zc::context &ctx);  /* indices.cpp */
void show_as_mdspan(const zc::context &ctx);       /* spans.cpp */
zc::tensor doubled_elsewhere(const zc::tensor &x); /* second.cpp */

#endif
