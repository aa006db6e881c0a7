#include "materialize/files/formats.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "materialize/files/file_error.h"

/* The table; a test compiles this file with rows of its own. */
#if !defined(ZC_FORMATS)
#define ZC_FORMATS "materialize/files/formats.def"
#endif

#define ZC_FORMAT(name) extern const zc_file_format zc_##name##_format;
#include ZC_FORMATS
#undef ZC_FORMAT

static const zc_file_format *const formats[] = {
#define ZC_FORMAT(name) &zc_##name##_format,
#include ZC_FORMATS
#undef ZC_FORMAT
};

enum { FORMAT_COUNT = sizeof formats / sizeof *formats, NAMES_ROOM = 256, DEFAULT_ROW = 0, NOT_WRITTEN = -1 };

/* Endings of formats that are not written here; one that a row of the table has is written all the same. */
static const char *const other_endings[] = {
    "json",   "jsonl", "ndjson",  "yaml", "yml", "xml",  "html", "md",   "pkl",     "pickle", "pt",   "pth", "onnx",
    "gguf",   "mat",   "parquet", "hdf",  "h5",  "hdf5", "nc",   "zarr", "feather", "arrow",  "fits", "xls", "xlsx",
    "sqlite", "db",    "jpg",     "jpeg", "gif", "bmp",  "tif",  "tiff", "webp",    "svg",    "pdf",  "pgm", "ppm",
    "pbm",    "pnm",   "wav",     "gz",   "bz2", "xz",   "zst",  "zip",  "tar",     "tgz",    "7z",
};

/* ---- Names ---- */

/* The part of the file's name behind its last dot; "" without a dot, or when the name begins with it. */
static const char *ending_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1, *dot = strrchr(name, '.');
    return dot == NULL || dot == name ? "" : dot + 1;
}

static bool is_listed(const char *ending, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count && list[i] != NULL; i++) {
        if (strcasecmp(ending, list[i]) == 0)
            return true;
    }
    return false;
}

/* A row that FORMAT: before a file's name tells, and sets *path to that name; or NOT_WRITTEN. */
static int take_row(const char **path)
{
    const char *colon = strchr(*path, ':');
    for (int i = 0; colon != NULL && colon[1] != '\0' && i < FORMAT_COUNT; i++) {
        if (zc_file_format_named(*path, (size_t)(colon - *path)) == formats[i]) {
            *path = colon + 1;
            return i;
        }
    }
    return NOT_WRITTEN;
}

/* Tells a name behind FORMAT: that begins with a dtype and a shape, as names of files to read may. */
static bool has_details(const zc_file_format *format, const char *name)
{
    return format->details > 0 && strchr(name, ':') != NULL;
}

/* A row that the name's ending tells, or NOT_WRITTEN. */
static int find_row(const char *path)
{
    const char *ending = ending_of(path);
    for (int i = 0; i < FORMAT_COUNT; i++) {
        if (is_listed(ending, formats[i]->endings, SIZE_MAX))
            return i;
    }
    size_t others = sizeof other_endings / sizeof *other_endings;
    return is_listed(ending, other_endings, others) ? NOT_WRITTEN : DEFAULT_ROW;
}

/* ".npy", ".npy or .csv", ".npy, .csv or .png" */
static const char *write_names(char text[NAMES_ROOM])
{
    size_t used = 0;
    for (int i = 0; i < FORMAT_COUNT && used < NAMES_ROOM; i++) {
        const char *before = i == 0 ? "" : i == FORMAT_COUNT - 1 ? " or " : ", ";
        used += (size_t)snprintf(text + used, NAMES_ROOM - used, "%s.%s", before, formats[i]->name);
    }
    return text;
}

zc_status zc_file_format_for(const char **path, const zc_file_format **format, zc_reason *why)
{
    char names[NAMES_ROOM];
    const int named = take_row(path), row = named != NOT_WRITTEN ? named : find_row(*path);
    if (named != NOT_WRITTEN && has_details(formats[row], *path))
        return zc_refuse(why, ZC_ERROR_FORMAT, "%s:%s: a result has a dtype and a shape of its own: %s:FILE",
                         formats[row]->name, *path, formats[row]->name);
    if (row == NOT_WRITTEN)
        return zc_refuse(why, ZC_ERROR_FORMAT, "%s: results are written as %s, not as .%s", *path, write_names(names),
                         ending_of(*path));
    *format = formats[row];
    return ZC_OK;
}

/* ---- First bytes ---- */

/* The format that the ending of a name tells of a file that has no first bytes of its own; NULL: none. */
static const zc_file_format *find_ending(const char *path)
{
    const int row = find_row(path);
    return row != NOT_WRITTEN && formats[row]->probe == NULL ? formats[row] : NULL;
}

zc_status zc_file_format_probe(const zc_mapped_file *file, const zc_file_format **format, zc_reason *why)
{
    unsigned char start[ZC_PROBE_BYTES];
    char names[NAMES_ROOM];
    size_t count;
    zc_status status = zc_mapped_file_start(file, start, sizeof start, &count, why);
    if (status != ZC_OK)
        return status;
    *format = find_ending(file->path);
    for (int i = 0; i < FORMAT_COUNT; i++) {
        if (formats[i]->probe != NULL && formats[i]->probe(start, count))
            *format = formats[i];
    }
    return *format != NULL ? ZC_OK
                           : zc_refuse(why, ZC_ERROR_FORMAT, "%s: not a %s file", file->path, write_names(names));
}

zc_status zc_file_format_check(const zc_mapped_file *file, const zc_file_format *format, zc_reason *why)
{
    unsigned char start[ZC_PROBE_BYTES];
    size_t count;
    zc_status status = zc_mapped_file_start(file, start, sizeof start, &count, why);
    if (status != ZC_OK || format->probe == NULL || format->probe(start, count))
        return status;
    return zc_refuse(why, ZC_ERROR_FORMAT, "%s: not a .%s file", file->path, format->name);
}

const zc_file_format *zc_file_format_named(const char *name, size_t length)
{
    for (int i = 0; i < FORMAT_COUNT; i++) {
        if (strncmp(formats[i]->name, name, length) == 0 && formats[i]->name[length] == '\0')
            return formats[i];
    }
    return NULL;
}

/* ---- For callers ---- */

int zc_file_format_count(void)
{
    return FORMAT_COUNT;
}

const char *zc_file_format_name(int format)
{
    return format >= 0 && format < FORMAT_COUNT ? formats[format]->name : NULL;
}

int zc_file_format_of(const char *path)
{
    if (path == NULL)
        return NOT_WRITTEN;
    const int named = take_row(&path);
    if (named != NOT_WRITTEN && has_details(formats[named], path))
        return NOT_WRITTEN;
    return named != NOT_WRITTEN ? named : find_row(path);
}
