/*
 * Starting the script, and the words exchanged with it. "load CASE X_DTYPE X_COUNT Y_DTYPE Y_COUNT PARAMETERS",
 * with the inputs behind it, is answered with the runners that are there, "time RUNNER REPEATS" with seconds, "peak
 * RUNNER" with bytes, "result RUNNER" with a count of bytes, a newline and the bytes; the end of input with its end.
 */
#include "bench/peers.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const names[PEERS] = {"numpy", "numpy_out", "xla", "numexpr", "torch", "torch_out"};

/* In the child: Debian's Python, which has Debian's packages; another one by BENCH_PYTHON. */
static _Noreturn void become(const char *script, int threads)
{
    char count[16];
    const char *python = getenv("BENCH_PYTHON");
    if (python == NULL)
        python = "/usr/bin/python3";
    (void)snprintf(count, sizeof count, "%d", threads);
    (void)execlp(python, python, script, count, (char *)NULL);
    _exit(127);
}

static bool spawn(bench_peers *peers, const char *script, int threads)
{
    int down[2], up[2]; /* not for later peers to inherit: one would keep this one's input from ending */
    if (pipe2(down, O_CLOEXEC) != 0)
        return false;
    if (pipe2(up, O_CLOEXEC) != 0) {
        (void)close(down[0]);
        (void)close(down[1]);
        return false;
    }
    peers->process = fork();
    if (peers->process == 0) {
        (void)dup2(down[0], STDIN_FILENO);
        (void)dup2(up[1], STDOUT_FILENO);
        become(script, threads);
    }
    (void)close(down[0]);
    (void)close(up[1]);
    if (peers->process < 0) {
        (void)close(down[1]);
        (void)close(up[0]);
        return false;
    }
    peers->to = fdopen(down[1], "w");
    peers->from = fdopen(up[0], "r");
    return peers->to != NULL && peers->from != NULL;
}

void bench_peers_start(bench_peers *peers, const char *script, int threads)
{
    (void)signal(SIGPIPE, SIG_IGN); /* a peer that ended shows in what it answers */
    if (script != NULL && peers->process < 0 && !spawn(peers, script, threads))
        bench_peers_end(peers);
}

void bench_peers_unload(bench_peers *peers)
{
    if (peers->to != NULL) {
        (void)fputs("drop\n", peers->to);
        (void)fflush(peers->to);
    }
    memset(peers->has, 0, sizeof peers->has);
    memset(peers->repeats, 0, sizeof peers->repeats);
}

static bool send(bench_peers *peers, const void *data, int64_t count, size_t item)
{
    return fwrite(data, item, (size_t)count, peers->to) == (size_t)count;
}

void bench_peers_load(bench_peers *peers, const char *name, const bench_work *w)
{
    char line[256] = "", *rest = line;
    bench_peers_unload(peers);
    if (peers->to == NULL)
        return;
    (void)fprintf(peers->to, "load %s %s %" PRId64 " %s %" PRId64 " %" PRId64 "\n", name, zc_dtype_name(w->x_dtype),
                  w->n, zc_dtype_name(w->y_dtype), w->y_count, w->parameter_count);
    if (!send(peers, w->x, w->n, zc_dtype_bytes(w->x_dtype)) ||
        !send(peers, w->y, w->y_count, zc_dtype_bytes(w->y_dtype)) ||
        !send(peers, w->parameters, w->parameter_count, sizeof(float)) || fflush(peers->to) != 0 ||
        fgets(line, sizeof line, peers->from) == NULL) {
        bench_peers_end(peers); /* the next case gets another process */
        return;
    }
    for (char *word = strtok_r(line, " \n", &rest); word != NULL; word = strtok_r(NULL, " \n", &rest)) {
        for (int i = 0; i < PEERS; i++)
            peers->has[i] |= strcmp(word, names[i]) == 0;
    }
}

double bench_peers_time(bench_peers *peers, bench_runner runner)
{
    int64_t *repeats = &peers->repeats[runner - NUMPY];
    char line[64] = "";
    *repeats += *repeats == 0;
    (void)fprintf(peers->to, "time %s %" PRId64 "\n", names[runner - NUMPY], *repeats);
    if (fflush(peers->to) != 0 || fgets(line, sizeof line, peers->from) == NULL)
        return NAN;
    return strtod(line, NULL);
}

double bench_peers_peak(bench_peers *peers, bench_runner runner)
{
    char line[64] = "";
    (void)fprintf(peers->to, "peak %s\n", names[runner - NUMPY]);
    if (fflush(peers->to) != 0 || fgets(line, sizeof line, peers->from) == NULL)
        return NAN;
    return strtod(line, NULL);
}

bool bench_peers_result(bench_peers *peers, bench_runner runner, void *out, size_t bytes)
{
    char line[64] = "";
    (void)fprintf(peers->to, "result %s\n", names[runner - NUMPY]);
    if (fflush(peers->to) != 0 || fgets(line, sizeof line, peers->from) == NULL)
        return false;
    return strtoull(line, NULL, 10) == bytes && fread(out, 1, bytes, peers->from) == bytes;
}

void bench_peers_end(bench_peers *peers)
{
    if (peers->to != NULL)
        (void)fclose(peers->to);
    if (peers->from != NULL)
        (void)fclose(peers->from);
    if (peers->process > 0)
        (void)waitpid(peers->process, NULL, 0);
    *peers = (bench_peers){.process = -1};
}
