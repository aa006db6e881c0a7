/* Memory and processors that a process may use, read from control groups that the test makes up. */
#include "tests/support/zc_test.h"

#include <sched.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/context/machine.h"

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file, "%s", path);
    fputs(text, file);
    cr_assert_eq(fclose(file), 0);
}

/* mount/ (version 2) and mount/memory/ (version 1), each with the groups /a and /a/b. */
static void make_groups_in(const char *folder)
{
    (void)mkdir(folder, 0777);
    cr_assert_eq(chdir(folder), 0);
    static const char *const folders[] = {"mount",        "mount/a",        "mount/a/b",
                                          "mount/memory", "mount/memory/a", "mount/memory/a/b"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        (void)mkdir(folders[i], 0777);
    write_text("mount/a/memory.max", "700000\n");
    write_text("mount/a/b/memory.max", "max\n");
    write_text("mount/memory/memory.limit_in_bytes", "9223372036854771712\n");
    write_text("mount/memory/a/memory.limit_in_bytes", "600000\n");
    write_text("mount/memory/a/b/memory.limit_in_bytes", "800000\n");
}

/* Tests run side by side, so each has a folder of its own. */
static void make_groups(void)
{
    make_groups_in("memory_limit");
}

static void make_groups_apart(void)
{
    make_groups_in("memory_limit_apart");
}

static void make_groups_of_container(void)
{
    make_groups_in("memory_limit_container");
}

static int64_t available_in(const char *groups)
{
    write_text("list", groups);
    return zc_memory_available("list", "mount");
}

Test(memory_limit, is_the_least_of_machine_and_groups, .init = make_groups)
{
    int64_t machine = zc_memory_available("no such file", "mount");
    cr_expect_gt(machine, (int64_t)1 << 20);
    cr_expect_eq(available_in("0::/\n"), machine);
    cr_expect_eq(available_in("0::/a/b\n"), 700000, "the limit of the outer group holds for the inner one");
    cr_expect_eq(available_in("0::/a/b/gone\n"), 700000);
    cr_expect_eq(available_in("4:memory:/a/b\n0::/\n"), 600000);
    cr_expect_eq(available_in("4:memory:/a/b\n0::/a\n"), 600000);
    cr_expect_eq(available_in("4:memory:/\n"), machine);
    cr_expect_eq(available_in("3:cpu:/a\n1:name=systemd:/a\n"), machine);
    cr_expect_eq(available_in("0:name:/a\n"), machine, "version 2 has no controllers");
    write_text("mount/a/b/memory.max", "0\n");
    cr_expect_eq(available_in("0::/a/b\n"), 700000, "a limit of nothing is none");
    cr_expect_eq(available_in("nonsense\n\n:\n0:memory\n"), machine);
}

/* In a container the group is the root of what is mounted, and the limit is the root's. */
Test(memory_limit, of_a_container_is_that_of_the_mount, .init = make_groups_of_container)
{
    write_text("mount/memory.max", "500000\n");
    cr_expect_eq(available_in("0::/\n"), 500000);
    cr_expect_eq(available_in("0::/a/b\n"), 500000);
    cr_expect_eq(available_in("4:memory:/a\n0::/\n"), 500000);
    cr_expect_eq(available_in("4:memory:/a\n"), 600000);
    cr_assert_eq(unlink("mount/memory.max"), 0);
}

Test(memory_limit, is_80_percent_by_default)
{
    int64_t limit = zc_memory_limit_default();
    cr_expect(limit > 0 && limit <= zc_memory_available("no such file", "mount") / 5 * 4);
}

/* A path that does not fit into the buffer limits nothing. */
Test(memory_limit, ignores_overlong_groups, .init = make_groups_apart)
{
    char groups[4000] = "0::/";
    for (size_t i = 4; i < sizeof groups - 2; i++)
        groups[i] = i % 10 == 0 ? '/' : 'x';
    groups[sizeof groups - 2] = '\n';
    cr_expect_eq(available_in(groups), zc_memory_available("no such file", "mount"));
}

/* ---- Processors ---- */

static void make_groups_of_processors(void)
{
    make_groups_in("processors");
    (void)mkdir("mount/cpu", 0777);
    (void)mkdir("mount/cpu/a", 0777);
}

static int64_t processors_in(const char *groups)
{
    write_text("list", groups);
    return zc_processors_available("list", "mount");
}

Test(processors, are_those_of_affinity_and_quotas, .init = make_groups_of_processors)
{
    const int64_t machine = zc_processors_available("no such file", "mount");
    const int64_t two = machine < 2 ? machine : 2;
    cr_expect(machine >= 1 && machine <= sysconf(_SC_NPROCESSORS_ONLN));
    write_text("mount/a/cpu.max", "max 100000\n");
    cr_expect_eq(processors_in("0::/a\n"), machine);
    write_text("mount/a/cpu.max", "150000 100000\n");
    cr_expect_eq(processors_in("0::/a\n"), two, "one and a half");
    write_text("mount/a/b/cpu.max", "20000 100000\n");
    cr_expect_eq(processors_in("0::/a/b\n"), 1, "a fifth");
    write_text("mount/a/b/cpu.max", "nonsense");
    cr_expect_eq(processors_in("0::/a/b\n"), two);
    write_text("mount/cpu/a/cpu.cfs_quota_us", "-1\n");
    write_text("mount/cpu/a/cpu.cfs_period_us", "100000\n");
    cr_expect_eq(processors_in("4:cpu,cpuacct:/a\n"), machine);
    write_text("mount/cpu/a/cpu.cfs_quota_us", "100000\n");
    cr_expect_eq(processors_in("4:cpu,cpuacct:/a\n"), 1);
    cr_expect_eq(processors_in("4:cpuacct,cpu:/a\n"), 1);
    cr_expect_eq(processors_in("4:cpuset:/a\n"), machine);
    write_text("mount/cpu/a/cpu.cfs_period_us", "0\n");
    cr_expect_eq(processors_in("4:cpu:/a\n"), machine);
}

Test(processors, of_a_process_bound_to_one_are_one)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)sched_getcpu(), &set);
    cr_assert_eq(sched_setaffinity(0, sizeof set, &set), 0);
    cr_expect_eq(zc_processors_available("no such file", "mount"), 1);
}
