/* The .npy header parser: any bytes are a header that keeps its promises, or refused with a sentence. */
#include "tests/fuzz/target.h"

#include <string.h>

#include "materialize/files/npy_header.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    zc_npy_info info;
    zc_reason why = {.text = ""};
    zc_status status = zc_npy_header_parse(data, size, &info, &why);
    if (status != ZC_OK) {
        claim(status == ZC_ERROR_FORMAT && why.text[0] != '\0');
        return 0;
    }
    int64_t elements, bytes;
    claim(info.rank >= 0 && info.rank <= ZC_MAX_RANK && zc_dtype_bytes(info.dtype) > 0);
    claim(info.header_bytes >= 10 && (size_t)info.header_bytes <= size);
    claim(zc_shape_size(info.rank, info.shape, &elements, NULL) == ZC_OK);
    claim(zc_shape_bytes(elements, zc_dtype_bytes(info.dtype), &bytes, NULL) == ZC_OK && bytes == info.data_bytes);

    /* Expects the header that is written for it to read back as the same. */
    char header[ZC_NPY_HEADER_ROOM];
    zc_npy_info again;
    size_t length = zc_npy_header_write(header, info.dtype, info.rank, info.shape);
    claim(zc_npy_header_parse((const unsigned char *)header, length, &again, NULL) == ZC_OK);
    claim(again.dtype == info.dtype && zc_shape_equal(info.rank, info.shape, again.rank, again.shape));
    return 0;
}
