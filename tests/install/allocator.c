/*
 * Prints the name of the allocator that works, after computations. Where it is jemalloc, jemalloc itself has to say
 * that memory for the result was taken; elsewhere jemalloc, if there is one, was not asked. With arguments it loads
 * those libraries while it runs, the last one for itself, as a module of an interpreter is loaded, else it is linked
 * with it.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zerocast.h>

__attribute__((weak)) int mallctl(const char *name, void *old, size_t *old_bytes, void *new, size_t new_bytes);

enum { ELEMENTS = 1 << 20 };

#if defined(WRAPS) /* linked with --wrap=malloc,--wrap=free */
enum { BEFORE = 32 };

static const char mark[] = "part of a block";

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void __real_free(void *memory);
void __wrap_free(void *memory);

/* Gives out part of a block. */
void *__wrap_malloc(size_t bytes)
{
    char *block = __real_malloc(BEFORE + bytes);
    return block != NULL ? (char *)memcpy(block, mark, sizeof mark) + BEFORE : NULL;
}

/* Frees the block of a part; what is none came from another function. */
void __wrap_free(void *memory)
{
    char *block = (char *)memory - BEFORE;
    int is_part = memory != NULL && memcmp(block, mark, sizeof mark) == 0;
    if (is_part)
        memset(block, 0, sizeof mark);
    __real_free(is_part ? block : memory);
}
#endif

#if defined(LOADS)
#define CALL(name) ((__typeof__(name) *)find(#name))
static void *library;

static void *find(const char *name)
{
    void *found = dlsym(library, name);
    if (found == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return found;
}
#else
#define CALL(name) name
#endif

static unsigned long long allocated(void)
{
    uint64_t bytes = 0;
    size_t size = sizeof bytes;
    if (mallctl != NULL)
        (void)mallctl("thread.allocated", &bytes, &size, NULL, 0);
    return bytes;
}

static int compute(void)
{
    const int64_t shape[] = {ELEMENTS};
    zc_context *ctx = CALL(zc_context_new)(NULL);
    zc_tensor *ones = CALL(zc_full)(ctx, 1, shape, ZC_FLOAT32, 1), *out = NULL;
    unsigned long long before = allocated();
    int is_done = CALL(zc_materialize)(ones, &out) == ZC_OK && ((const float *)CALL(zc_data)(out))[ELEMENTS - 1] == 1;
    int is_jemalloc = allocated() - before >= sizeof(float) * ELEMENTS;
    CALL(zc_release)(out);
    CALL(zc_release)(ones);
    CALL(zc_context_free)(ctx);
    const char *name = CALL(zc_allocator_name)();
    if (!is_done || is_jemalloc != (strcmp(name, "jemalloc") == 0)) {
        fprintf(stderr, "%s, but jemalloc %s\n", name, is_jemalloc ? "was asked" : "was not asked");
        return 1;
    }
    printf("%s\n", name);
    return 0;
}

/* Blocks of many sizes, small and large, come and go with contexts of one and two threads. */
static int compute_often(void)
{
    for (int round = 0; round < 25; round++) {
        zc_options options = {.threads = 1 + round % 2};
        zc_context *ctx = CALL(zc_context_new)(&options);
        zc_tensor *x = CALL(zc_iota)(ctx, 100 + round * round * round * round), *y = CALL(zc_multiply)(x, x);
        zc_tensor *sum = CALL(zc_sum)(y, ZC_ALL_AXES, 0), *out = NULL, *all = NULL, *sorted = NULL;
        if (CALL(zc_materialize)(sum, &out) != ZC_OK || CALL(zc_materialize)(y, &all) != ZC_OK ||
            CALL(zc_sort)(y, 0, 1, &sorted) != ZC_OK) {
            fprintf(stderr, "%s\n", CALL(zc_error_text)(ctx));
            return 1;
        }
        zc_tensor *const held[] = {all, out, sorted, sum, y, x};
        for (int i = 0; i < 6; i++)
            CALL(zc_release)(held[i]);
        if (round % 3 == 0)
            CALL(zc_context_trim)(ctx);
        CALL(zc_context_free)(ctx);
    }
    return 0;
}

int main(int count, char **arguments)
{
#if defined(LOADS)
    for (int i = 1; i < count; i++) {
        library = dlopen(arguments[i], RTLD_NOW | (i + 1 < count ? RTLD_GLOBAL : RTLD_LOCAL));
        if (library == NULL) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
    }
#else
    (void)count, (void)arguments;
#endif
    return compute_often() || compute();
}
