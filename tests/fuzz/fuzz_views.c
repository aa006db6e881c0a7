/*
 * View programs: calls of every kind, chosen by the input, on a view and on an array of indices. After each the two
 * agree on whether it was refused and on every element.
 */
#include "tests/fuzz/drawn.h"
#include "tests/fuzz/target.h"
#include "tests/views/twins.h"

enum { MOST_STEPS = 40, MOST_ELEMENTS = 5000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    twins t;
    view_call c;
    drawn_begin(data, size);
    twins_begin(&t);
    for (int i = 0; i < MOST_STEPS && t.expected.count < MOST_ELEMENTS && !drawn_is_spent(); i++) {
        (void)twins_advance(&t, CALL_KINDS, &c);
        twins_check_answers(&t);
    }
    oracle_free(&t.expected);
    return 0;
}
