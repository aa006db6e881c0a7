/*
 * Replays inputs through a fuzz target: every file of the folders that are named, and the empty input.
 *
 * Invariant: the input stands in a block of exactly its size, so that AddressSanitizer sees a read past its end.
 */
#include "tests/fuzz/target.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool replay_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    uint8_t *data = malloc(size > 0 ? size : 1);
    bool is_read = data != NULL && fread(data, 1, size, file) == size;
    fclose(file);
    if (is_read)
        LLVMFuzzerTestOneInput(data, size);
    free(data);
    return is_read;
}

/* Adds to *count the files of the folder, or returns false and says what could not be read. */
static bool replay_folder(const char *folder, int *count)
{
    DIR *entries = opendir(folder);
    if (entries == NULL) {
        fprintf(stderr, "%s: no such folder\n", folder);
        return false;
    }
    bool is_ok = true;
    for (const struct dirent *entry = readdir(entries); entry != NULL && is_ok; entry = readdir(entries)) {
        char path[4096];
        struct stat status;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
            continue;
        is_ok = replay_file(path, (size_t)status.st_size);
        if (!is_ok)
            fprintf(stderr, "%s: not readable\n", path);
        (*count)++;
    }
    closedir(entries);
    return is_ok;
}

int main(int argc, char **argv)
{
    int count = 1;
    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    for (int i = 1; i < argc; i++)
        if (!replay_folder(argv[i], &count))
            return EXIT_FAILURE;
    printf("%d passed, 0 failed\n", count);
    return EXIT_SUCCESS;
}
