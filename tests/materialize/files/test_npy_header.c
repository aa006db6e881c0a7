/* Headers of .npy files byte by byte: what is cut off anywhere is no header. */
#include <stdio.h>
#include <string.h>

#include "materialize/files/npy_header.h"
#include "tests/support/zc_test.h"

/* A version 1 header of that text, of which the first `length` bytes are there. */
static zc_status parse(const char *text, size_t length, zc_npy_info *info, zc_reason *why)
{
    unsigned char bytes[1024] = "\x93NUMPY\x01";
    cr_assert_lt(10 + length, sizeof bytes);
    memcpy(bytes + 10, text, length);
    bytes[8] = (unsigned char)(length & 0xff);
    bytes[9] = (unsigned char)(length >> 8);
    return zc_npy_header_parse(bytes, 10 + length, info, why);
}

static const char *const whole[] = {
    "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4)}",
    "\r\n{ \"shape\"\t: ( 3L , -0 ) , 'fortran_order':True,'descr':'>i1',}",
    "{'shape': (), 'descr': '|b1', 'fortran_order': False, }",
};

Test(npy_header, cut_off_anywhere_is_refused)
{
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        size_t length = strlen(whole[i]);
        zc_npy_info info;
        zc_reason why;
        cr_expect_eq(parse(whole[i], length, &info, &why), ZC_OK, "%s", whole[i]);
        cr_expect_not(info.big_endian, "%s", whole[i]);
        for (size_t cut = 0; cut < length; cut++) {
            cr_expect_eq(parse(whole[i], cut, &info, &why), ZC_ERROR_FORMAT, "%.*s", (int)cut, whole[i]);
            cr_expect_gt(strlen(why.text), 10);
        }
    }
}

/* Each byte in turn replaced by others: taken or refused with a sentence, and never read past the end. */
Test(npy_header, may_hold_anything)
{
    static const char others[] = "'\"{}[](),:-\\ \t\r\n0L<x";
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        for (size_t at = 0; whole[i][at] != '\0'; at++) {
            for (size_t o = 0; others[o] != '\0'; o++) {
                char text[128];
                zc_npy_info info;
                zc_reason why = {.text = ""};
                (void)snprintf(text, sizeof text, "%s", whole[i]);
                text[at] = others[o];
                zc_status status = parse(text, strlen(text), &info, &why);
                cr_expect(status == ZC_OK || (status == ZC_ERROR_FORMAT && why.text[0] != '\0'), "%s: %d", text,
                          status);
            }
        }
    }
}

Test(npy_header, of_other_versions_is_refused)
{
    unsigned char bytes[16] = "\x93NUMPY";
    int64_t length;
    zc_reason why;
    for (int version = 0; version < 6; version++) {
        bytes[6] = (unsigned char)version;
        bool is_known = version >= 1 && version <= 3;
        cr_expect_eq(zc_npy_header_length(bytes, sizeof bytes, &length, &why), is_known ? ZC_OK : ZC_ERROR_FORMAT);
        for (int minor = 1; minor < 256; minor++) {
            char sentence[64];
            bytes[7] = (unsigned char)minor;
            cr_expect_eq(zc_npy_header_length(bytes, 12, &length, &why), ZC_ERROR_FORMAT, "version %d.%d", version,
                         minor);
            (void)snprintf(sentence, sizeof sentence, "version %d.%d of the .npy format is not known", version, minor);
            cr_expect_str_eq(why.text, sentence);
        }
        bytes[7] = 0;
        cr_expect_eq(zc_npy_header_length(bytes, 11, &length, &why), version == 1 ? ZC_OK : ZC_ERROR_FORMAT);
    }
}
