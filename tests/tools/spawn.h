/*
 * Runs the zerocast command as a process of its own and keeps what it said.
 */
#ifndef ZC_TESTS_TOOLS_SPAWN_H
#define ZC_TESTS_TOOLS_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The file that stdout goes to where it is kept. */
#define ZC_SPAWN_OUT "spawned.out"

enum { ZC_SPAWN_MAX_ARGUMENTS = 24, ZC_SPAWN_TEXT_BYTES = 1 << 16 };

typedef struct zc_spawned {
    int exit_code; /* or -1 when a signal ended it */
    char out[ZC_SPAWN_TEXT_BYTES];
    char error[ZC_SPAWN_TEXT_BYTES];
} zc_spawned;

/* Destination of the command's stdout. */
typedef enum zc_spawn_output { ZC_SPAWN_KEPT, ZC_SPAWN_CLOSED, ZC_SPAWN_FULL, ZC_SPAWN_BROKEN_PIPE } zc_spawn_output;

/* Makes the folder, below the one that the test program was started in, and goes there: tests run side by side. */
void zc_enter_folder(const char *name);

/* Arguments behind the command's name, ended by NULL. The result is static. A command that takes longer than half a
 * minute is ended. */
const zc_spawned *zc_spawn(const char *const *arguments, zc_spawn_output output);

/* The same in two steps. terminal, when not NULL, is where stderr goes. */
pid_t zc_spawn_begin(const char *const *arguments, zc_spawn_output output, const char *terminal);
const zc_spawned *zc_spawn_end(pid_t child);

/* The same with all arguments in one string, separated by tabs. */
const zc_spawned *zc_spawn_line(const char *line, zc_spawn_output output);

#endif
