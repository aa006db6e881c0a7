/* Files of several arrays in the command: read by name, listed, and written. */
#include "tests/support/zc_test.h"

#include <stdio.h>
#include <string.h>

#include "tests/api/archives.h"
#include "tests/tools/spawn.h"
#include "zerocast.h"

#define LABELS ZC_TEST_SOURCE_DIR "/examples/data/digits_labels.npy"

/* Saves two arrays under these names: int8 and float32. */
static void make_members_named(const char *path, const char *const names[2])
{
    zc_context *ctx = zc_context_new(NULL);
    zc_tensor *i = zc_iota(ctx, 2), *x = zc_astype(i, ZC_INT8), *y = zc_astype(i, ZC_FLOAT32);
    cr_assert_eq(zc_save_members(2, (const zc_tensor *const[]){x, y}, names, path), ZC_OK, "%s", zc_error_text(ctx));
    zc_release(i);
    zc_release(x);
    zc_release(y);
    zc_context_free(ctx);
}

/* Control characters follow a name. */
static void make_members(const char *path)
{
    make_members_named(path, (const char *const[]){"x", "y\x1b\xc2\x9b\x7f"});
}

/* Names of files and arrays that are as long as each other, or longer. */
Test(command, tells_names_of_arrays_from_those_of_files)
{
    zc_enter_folder("names");
    make_members_named("s:q.npz", (const char *const[]){"other", "longer_than_the_file_\xc2\xa9"});
    const zc_spawned *s = zc_spawn_line("info\ts:q.npz", ZC_SPAWN_KEPT);
    cr_expect_str_eq(s->out, "s:q.npz:other: int8 (2,), C order, version 1, 2 bytes\n"
                             "s:q.npz:longer_than_the_file_\xc2\xa9: float32 (2,), C order, version 1, 8 bytes\n");
}

Test(command, reads_and_lists_arrays_by_name)
{
    zc_enter_folder("members");
    make_members("m.npz");
    make_members("m.safetensors");
    static const struct {
        const char *line;
        int exit_code;
        const char *out, *error; /* NULL: nothing */
    } lines[] = {
        {"eval\tx + 1\tx=m.npz:x", 0, "[1 2]\n", NULL},
        {"eval\tx + 1\tx=m.safetensors:x", 0, "[1 2]\n", NULL},
        {"eval\tx\tx=m.npz", 1, "", "open: m.npz: holds several arrays; open one of them as FILE:NAME: x, y"},
        {"info\tm.npz", 0,
         "m.npz:x: int8 (2,), C order, version 1, 2 bytes\nm.npz:y???: float32 (2,), C order, version 1, 8 bytes\n",
         NULL},
        {"info\tm.safetensors", 0,
         "m.safetensors:y???: float32 (2,), C order, 8 bytes\nm.safetensors:x: int8 (2,), C order, 2 bytes\n", NULL},
        {"info\tm.npz:x", 0, "m.npz:x: int8 (2,), C order, version 1, 2 bytes\n", NULL},
        {"info\tm.npz:z", 1, "", "read_members: m.npz: no array is named 'z'; there are x, y"},
        {"info\t--json\tm.safetensors:x", 0,
         "[{\"file\": \"m.safetensors:x\", \"member\": \"x\", \"dtype\": \"int8\", \"shape\": [2], \"fortran_order\": "
         "false, \"big_endian\": false, \"version\": 0, \"header_bytes\": 136, \"data_bytes\": 2}]\n",
         NULL},
        {"eval\tx * 2\tx=m.npz:x\t-o\tout.safetensors", 0, "", NULL},
        {"info\tout.safetensors", 0, "out.safetensors:data: int8 (2,), C order, 2 bytes\n", NULL},
        {"eval\tx\tx=out.safetensors", 0, "[0 2]\n", NULL},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const zc_spawned *s = zc_spawn_line(lines[i].line, ZC_SPAWN_KEPT);
        cr_expect_eq(s->exit_code, lines[i].exit_code, "%s: %d, %s", lines[i].line, s->exit_code, s->error);
        cr_expect_str_eq(s->out, lines[i].out);
        cr_expect(strstr(s->error, lines[i].error != NULL ? lines[i].error : "") != NULL, "%s", s->error);
    }
}

/* A member that is no array is told of, and the others are described. */
Test(command, tells_of_members_that_are_no_arrays)
{
    static archive a;
    zc_enter_folder("no_arrays");
    archive_store(&a, "text", "no array", 8);
    archive_write(&a, "t.npz");
    const zc_spawned *s = zc_spawn_line("info\tt.npz\t" LABELS, ZC_SPAWN_KEPT);
    cr_expect_eq(s->exit_code, 1);
    cr_expect_str_eq(s->out, LABELS ": uint8 (1797,), C order, version 1, 1797 bytes\n");
    cr_expect_not_null(strstr(s->error, "read_info: t.npz:text: not a .npy file"), "%s", s->error);
}
