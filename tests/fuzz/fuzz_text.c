/* Text in rows: any bytes are a table of as many elements as it says, or refused with a sentence. */
#include "tests/fuzz/target.h"

#include <stdlib.h>
#include <string.h>

#include "materialize/files/bytes/print.h"
#include "materialize/files/bytes/table.h"

/* Elements read back from their own text as the same. */
static void check_elements(const zc_text_table *t, const void *elements)
{
    char text[ZC_TEXT_ELEMENT_BYTES];
    for (int64_t i = 0; i < t->rows * t->columns && t->dtype == ZC_FLOAT64; i++) {
        zc_decimal d;
        const double value = ((const double *)elements)[i];
        const int length = zc_text_print(ZC_FLOAT64, elements, i, text);
        claim(!isfinite(value) ||
              (zc_decimal_scan(text, text + length, &d) == text + length && zc_decimal_double(&d) == value));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char delimiters[] = {',', '\t', ' ', ','};
    if (size == 0)
        return 0;
    zc_reason why = {.text = ""};
    zc_progress progress = {.total = 0};
    zc_text_table t = {.bytes = (const char *)data + 1, .count = (int64_t)size - 1, .delimiter = delimiters[*data % 4]};
    t.column = *data % 4 == 3 ? "x" : NULL;
    if (zc_text_begin(&t, &why) != ZC_OK) {
        claim(why.text[0] != '\0');
        return 0;
    }
    claim(zc_text_count(&t, &progress, &why) == ZC_OK);
    const size_t room = (size_t)t.elements * (t.is_truths ? 1 : 8);
    void *elements = malloc(room);
    const zc_status status = zc_text_read(&t, elements, &progress, &why);
    claim(status == ZC_OK || (status == ZC_ERROR_FORMAT && why.text[0] != '\0'));
    claim(status == ZC_OK || strstr(why.text, "changed") == NULL);
    if (status == ZC_OK) {
        zc_text_table again = t;
        claim(zc_text_read(&again, NULL, &progress, &why) == ZC_OK);
        claim(again.rows == t.rows && again.columns == t.columns && again.dtype == t.dtype);
        claim(t.rows * t.columns == t.elements);
        check_elements(&t, elements);
    }
    free(elements);
    return 0;
}
