#include "tests/tools/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { PATIENCE_SECONDS = 30 };

/* Both streams go to files of the folder that the tests run in: no pipe can fill up and block the command. */
static const char out_file[] = ZC_SPAWN_OUT, error_file[] = "spawned.error";

void zc_enter_folder(const char *name)
{
    static char start[4096];
    if (start[0] == '\0' && getcwd(start, sizeof start) == NULL)
        abort();
    if (chdir(start) != 0 || (mkdir(name, 0777) != 0 && errno != EEXIST) || chdir(name) != 0)
        abort();
}

static void read_file(const char *path, char *text)
{
    FILE *file = fopen(path, "r");
    size_t length = file == NULL ? 0 : fread(text, 1, ZC_SPAWN_TEXT_BYTES - 1, file);
    text[length] = '\0';
    if (file != NULL)
        fclose(file);
}

static int wait_for(pid_t child)
{
    int status;
    for (int tick = 0; waitpid(child, &status, WNOHANG) == 0; tick++) {
        if (tick == PATIENCE_SECONDS * 1000)
            (void)kill(child, SIGKILL);
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void direct_output(posix_spawn_file_actions_t *actions, zc_spawn_output output, int broken, const char *terminal)
{
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    switch (output) {
    case ZC_SPAWN_KEPT:
        (void)posix_spawn_file_actions_addopen(actions, 1, out_file, flags, 0666);
        break;
    case ZC_SPAWN_CLOSED:
        (void)posix_spawn_file_actions_addclose(actions, 1);
        break;
    case ZC_SPAWN_FULL:
        (void)posix_spawn_file_actions_addopen(actions, 1, "/dev/full", O_WRONLY, 0);
        break;
    case ZC_SPAWN_BROKEN_PIPE:
        (void)posix_spawn_file_actions_adddup2(actions, broken, 1);
        break;
    }
    if (terminal != NULL)
        (void)posix_spawn_file_actions_addopen(actions, 2, terminal, O_WRONLY | O_NOCTTY, 0);
    else
        (void)posix_spawn_file_actions_addopen(actions, 2, error_file, flags, 0666);
}

/* The writing end of a pipe that nobody reads any more. */
static int make_broken_pipe(void)
{
    int ends[2];
    if (pipe(ends) != 0)
        return -1;
    (void)close(ends[0]);
    return ends[1];
}

pid_t zc_spawn_begin(const char *const *arguments, zc_spawn_output output, const char *terminal)
{
    char *argv[ZC_SPAWN_MAX_ARGUMENTS + 2] = {ZC_TEST_COMMAND};
    for (int i = 0; i < ZC_SPAWN_MAX_ARGUMENTS && arguments[i] != NULL; i++)
        argv[i + 1] = strdup(arguments[i]);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t signals;
    pid_t child;
    int broken = make_broken_pipe();
    (void)remove(out_file);
    (void)posix_spawn_file_actions_init(&actions);
    direct_output(&actions, output, broken, terminal);
    (void)sigemptyset(&signals);
    (void)sigaddset(&signals, SIGINT); /* a shell starts what runs in the background with it ignored */
    (void)sigaddset(&signals, SIGTERM);
    (void)posix_spawnattr_init(&attributes);
    (void)posix_spawnattr_setsigdefault(&attributes, &signals);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    bool is_running = posix_spawn(&child, ZC_TEST_COMMAND, &actions, &attributes, argv, environ) == 0;
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)close(broken);
    for (int i = 1; argv[i] != NULL; i++)
        free(argv[i]);
    return is_running ? child : -1;
}

const zc_spawned *zc_spawn_end(pid_t child)
{
    static zc_spawned result;
    result.exit_code = child > 0 ? wait_for(child) : -1;
    read_file(out_file, result.out);
    read_file(error_file, result.error);
    return &result;
}

const zc_spawned *zc_spawn(const char *const *arguments, zc_spawn_output output)
{
    return zc_spawn_end(zc_spawn_begin(arguments, output, NULL));
}

const zc_spawned *zc_spawn_line(const char *line, zc_spawn_output output)
{
    const char *arguments[ZC_SPAWN_MAX_ARGUMENTS + 1] = {NULL};
    char *copy = strdup(line), *next = copy;
    for (int i = 0; i < ZC_SPAWN_MAX_ARGUMENTS && next != NULL && *next != '\0'; i++)
        arguments[i] = strsep(&next, "\t");
    const zc_spawned *result = zc_spawn(arguments, output);
    free(copy);
    return result;
}
