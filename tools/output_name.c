#include "tools/output_name.h"

#include <string.h>
#include <strings.h>

/* Endings that say what is inside, and say something else than .npy. */
static const char *const other_formats[] = {
    "csv",  "tsv",  "txt",  "json",    "jsonl", "ndjson",      "yaml", "yml",  "xml",  "html",    "md",  "npz",
    "raw",  "bin",  "pkl",  "pickle",  "pt",    "pth",         "onnx", "gguf", "mat",  "parquet", "hdf", "h5",
    "hdf5", "nc",   "zarr", "feather", "arrow", "safetensors", "fits", "xls",  "xlsx", "sqlite",  "db",  "png",
    "jpg",  "jpeg", "gif",  "bmp",     "tif",   "tiff",        "webp", "svg",  "pdf",  "pgm",     "ppm", "pbm",
    "pnm",  "wav",  "gz",   "bz2",     "xz",    "zst",         "zip",  "tar",  "tgz",  "7z",
};

/* What stands behind the last dot of the file's name; NULL without one, or when the name begins with it. */
static const char *find_ending(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1, *dot = strrchr(name, '.');
    return dot == NULL || dot == name ? NULL : dot + 1;
}

bool zc_output_name_check(const char *path, zc_fault *fault)
{
    if (strcmp(path, "-") == 0)
        return zc_fault_refuse(
            fault, "--output: results cannot be written to standard output yet, only to a file (./- for one called -)");
    const char *ending = find_ending(path);
    for (size_t i = 0; ending != NULL && i < sizeof other_formats / sizeof other_formats[0]; i++) {
        if (strcasecmp(ending, other_formats[i]) == 0)
            return zc_fault_refuse(fault, "--output: %s: results are written as .npy, not as .%s", path,
                                   other_formats[i]);
    }
    return true;
}
