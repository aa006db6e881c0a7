/*
 * Prints the name of the allocator that works, after a computation. Where it is jemalloc, jemalloc itself has to say
 * that memory for the result was taken; elsewhere there is no jemalloc to ask. With an argument it loads that library
 * while it runs, as a module of an interpreter is loaded, else it is linked with it.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zerocast.h>

__attribute__((weak)) int mallctl(const char *name, void *old, size_t *old_bytes, void *new, size_t new_bytes);

enum { ELEMENTS = 1 << 20 };

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

int main(int count, char **arguments)
{
#if defined(LOADS)
    library = count > 1 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
#else
    (void)count, (void)arguments;
#endif
    return compute();
}
