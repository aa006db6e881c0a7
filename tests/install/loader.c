/*
 * A host that loads the library as an interpreter does: the libraries of its arguments, the last of which is mixture.c
 * as a module. It runs that, unloads all of them and does so once more, while a thread lives on that has used them.
 *
 *   loader local|global ROUNDS LIBRARY...
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4, TIMES = 2 };

typedef int run(int rounds);

typedef struct visitor {
    pthread_t thread;
    pthread_barrier_t has_run, may_end;
    run *run;
    int status;
} visitor;

static void *visit(void *user)
{
    visitor *v = user;
    v->status = v->run(0);
    (void)pthread_barrier_wait(&v->has_run);
    (void)pthread_barrier_wait(&v->may_end);
    return NULL;
}

static int use(run *run_mixture, int rounds, visitor *v)
{
    v->run = run_mixture;
    (void)pthread_barrier_init(&v->has_run, NULL, 2);
    (void)pthread_barrier_init(&v->may_end, NULL, 2);
    if (pthread_create(&v->thread, NULL, visit, v) != 0)
        return 1;
    (void)pthread_barrier_wait(&v->has_run);
    return v->status != 0 || run_mixture(rounds) != 0;
}

static int load(int flags, int rounds, int count, char **paths)
{
    void *loaded[MOST] = {NULL};
    visitor v;
    for (int i = 0; i < count; i++) {
        loaded[i] = dlopen(paths[i], RTLD_NOW | flags);
        if (loaded[i] == NULL) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
    }
    run *run_mixture = NULL;
    *(void **)&run_mixture = dlsym(loaded[count - 1], "run_mixture");
    int status = run_mixture == NULL || use(run_mixture, rounds, &v);
    while (count > 0)
        (void)dlclose(loaded[--count]);
    (void)pthread_barrier_wait(&v.may_end);
    (void)pthread_join(v.thread, NULL);
    return status;
}

int main(int count, char **arguments)
{
    if (count < 4 || count - 3 > MOST)
        return 2;
    const int flags = strcmp(arguments[1], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL;
    int status = 0;
    for (int i = 0; i < TIMES && status == 0; i++)
        status = load(flags, atoi(arguments[2]), count - 3, arguments + 3);
    return status;
}
