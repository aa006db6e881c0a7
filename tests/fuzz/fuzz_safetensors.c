/* .safetensors files: any bytes are arrays that can be read, or refused with a sentence. */
#include "tests/fuzz/fuzzed_file.h"
#include "tests/fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_file(data, size);
    return 0;
}
