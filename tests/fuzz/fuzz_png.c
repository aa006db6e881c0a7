/* Images: any bytes are one that takes no more memory than allowed, or refused with a sentence. */
#include "tests/fuzz/target.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "zerocast.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char magic[] = "\x89PNG\r\n\x1a\n";
    enum { MAGIC = 8, LIMIT = 1 << 22 };
    char path[64];
    (void)snprintf(path, sizeof path, "fuzz-%ld.png", (long)getpid());
    FILE *file = fopen(path, "w");
    claim(file != NULL && fwrite(magic, 1, MAGIC, file) == MAGIC && fwrite(data, 1, size, file) == size);
    claim(fclose(file) == 0);
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .memory_limit = LIMIT});
    zc_tensor *image = zc_open(ctx, path);
    claim(image != NULL || strstr(zc_error_text(ctx), path) != NULL || zc_error_status(ctx) == ZC_ERROR_BUDGET);
    if (image != NULL)
        claim(zc_rank(image) >= 2 && zc_data(image) != NULL && zc_size(image) <= LIMIT);
    zc_release(image);
    claim(zc_memory_usage(ctx).peak_bytes <= LIMIT);
    zc_context_free(ctx);
    (void)unlink(path);
    return 0;
}
