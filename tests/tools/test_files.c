/* Files that -o writes, when the command is killed and when the disk is full: the old one or the complete new one. */
#define _GNU_SOURCE 1 /* mount */

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "tests/tools/failing_read.h"
#include "tests/tools/spawn.h"
#include "tools/base/report.h"
#include "tools/command/session.h"

static int64_t now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static void sleep_for(int64_t microseconds)
{
    (void)nanosleep(&(struct timespec){microseconds / 1000000, microseconds % 1000000 * 1000}, NULL);
}

static int64_t bytes_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (int64_t)status.st_size : -1;
}

/* Removes the temporaries that a killed process could not, and counts them. */
static int remove_temporaries(void)
{
    int count = 0;
    DIR *folder = opendir(".");
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (strstr(entry->d_name, ".part") != NULL && unlink(entry->d_name) == 0)
            count++;
    }
    if (folder != NULL)
        (void)closedir(folder);
    return count;
}

/* ---- Killed ---- */

enum { ELEMENTS = 1000000 };

/* The old file holds zeros, the new one ones; each process writes the other one. */
static pid_t begin_writing(int value)
{
    char expression[64];
    (void)snprintf(expression, sizeof expression, "broadcast_to(%d, %d) + 0", value, ELEMENTS);
    const char *const arguments[] = {"eval", expression, "-o", "file.npy", NULL};
    return zc_spawn_begin(arguments, ZC_SPAWN_KEPT, NULL);
}

/* Which of the two the file is, all of it; -1: neither. */
static int value_of_file(void)
{
    static int64_t elements[ELEMENTS];
    FILE *file = fopen("file.npy", "rb");
    if (file == NULL)
        return -1;
    bool whole = fseek(file, 128, SEEK_SET) == 0 && fread(elements, sizeof *elements, ELEMENTS, file) == ELEMENTS &&
                 fgetc(file) == EOF;
    (void)fclose(file);
    for (int64_t i = 1; i < ELEMENTS && whole; i++)
        whole = elements[i] == elements[0];
    return whole ? (int)elements[0] : -1;
}

Test(files, killed_at_any_moment_are_old_or_new)
{
    zc_random_begin("files, killed_at_any_moment_are_old_or_new");
    zc_enter_folder("files_killed");
    (void)remove_temporaries();
    int64_t begun = now(), replaced = 0, left = 0, kills = 20 * zc_test_scale();
    cr_assert_eq(zc_spawn_end(begin_writing(0))->exit_code, 0);
    int64_t length = now() - begun;
    cr_assert_eq(value_of_file(), 0);
    cr_assert_eq(bytes_of("file.npy"), 128 + 8 * ELEMENTS);
    int value = 0;
    for (int64_t i = 0; i < kills; i++) {
        pid_t child = begin_writing(1 - value);
        sleep_for(zc_random_range(0, length));
        (void)kill(child, SIGKILL);
        (void)zc_spawn_end(child);
        int found = value_of_file();
        cr_assert(found == 0 || found == 1, "kill %ld: the file is neither the old nor the new one", (long)i);
        replaced += found != value;
        left += remove_temporaries();
        value = found;
    }
    cr_log_info("%ld kills: %ld files replaced, %ld temporaries left", (long)kills, (long)replaced, (long)left);
    cr_assert_eq(zc_spawn_end(begin_writing(1 - value))->exit_code, 0, "and it can be written afterwards");
    cr_expect_eq(value_of_file(), 1 - value);
    (void)unlink("file.npy");
}

/* ---- A full disk ---- */

Test(files, on_a_full_disk_stay_as_they_were)
{
    zc_enter_folder("files_full");
    (void)mkdir("disk", 0777);
    if (mount("none", "disk", "tmpfs", 0, "size=256k") != 0)
        cr_skip_test("a file system of its own cannot be mounted here");
    const zc_spawned *s = zc_spawn_line("eval\tarange(10000)\t-o\tdisk/out.npy", ZC_SPAWN_KEPT);
    cr_expect_eq(s->exit_code, 0, "%s", s->error);
    s = zc_spawn_line("eval\tarange(30000)\t-o\tdisk/out.npy", ZC_SPAWN_KEPT);
    cr_expect(s->exit_code == 1 && strstr(s->error, "No space left on device") != NULL, "%d, %s", s->exit_code,
              s->error);
    cr_expect_eq(bytes_of("disk/out.npy"), 128 + 8 * 10000);
    s = zc_spawn_line("eval\tall(x == arange(10000))\tx=disk/out.npy", ZC_SPAWN_KEPT);
    cr_expect_str_eq(s->out, "True\n");
    s = zc_spawn_line("eval\tarange(10000) + 1\t-o\tdisk/out.npy", ZC_SPAWN_KEPT);
    cr_expect_eq(s->exit_code, 0, "nothing fills the disk any more: %s", s->error);
    (void)umount("disk");
    (void)rmdir("disk");
}

/* ---- What cannot be read ---- */

/* Evaluates the expression of a file that reads 1 + 2. */
static bool run_file(zc_read_fault wanted, zc_fault *fault)
{
    zc_request request = {.subcommand = ZC_SUBCOMMAND_EVAL, .expression_file = "program.zc"};
    zc_session session;
    FILE *file = fopen("program.zc", "w");
    cr_assert(file != NULL && fputs("1 + 2", file) >= 0 && fclose(file) == 0);
    *fault = (zc_fault){0};
    zc_read_fail(wanted);
    bool ok = zc_session_begin(&session, &request, fault);
    zc_read_fail(ZC_READS);
    zc_session_end(&session);
    return ok;
}

Test(files, of_expressions_may_fail_to_be_read)
{
    zc_fault fault;
    zc_enter_folder("unreadable");
    cr_expect(run_file(ZC_READ_INTERRUPTED, &fault), "%s", fault.text);
    cr_expect_not(run_file(ZC_READ_BROKEN, &fault));
    cr_expect_str_eq(fault.text, "program.zc: Input/output error");
    cr_expect_not(run_file(ZC_READ_SHORT, &fault));
    cr_expect_str_eq(fault.text, "program.zc: the file became shorter while it was read");
    cr_expect_not(run_file(ZC_STAT_BROKEN, &fault));
    cr_expect_str_eq(fault.text, "program.zc: Input/output error");
    cr_expect_eq(zc_exit_code(&fault), ZC_EXIT_REFUSED);
}

/* ---- Standard output ---- */

/* Output past the buffer fails when it is written: errno does not tell of it any more. */
Test(files, of_output_may_have_failed_before)
{
    zc_fault fault = {0}, other = {0};
    fflush(stdout);
    int kept = dup(STDOUT_FILENO), full = open("/dev/full", O_WRONLY);
    cr_assert(kept >= 0 && dup2(full, STDOUT_FILENO) >= 0);
    (void)setvbuf(stdout, NULL, _IONBF, 0);
    (void)putc('x', stdout);
    bool ok = zc_finish_output(&fault);
    (void)zc_fault_refuse(&other, "an earlier failure");
    bool other_ok = zc_finish_output(&other);
    clearerr(stdout);
    (void)dup2(kept, STDOUT_FILENO);
    (void)close(kept);
    (void)close(full);
    cr_expect_not(ok);
    cr_expect_str_eq(fault.text, "standard output: Input/output error");
    cr_expect_not(other_ok);
    cr_expect_str_eq(other.text, "an earlier failure");
}
