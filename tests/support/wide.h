/* Integers of 128 bits, for oracles in which nothing is to overflow. */
#ifndef ZC_TESTS_SUPPORT_WIDE_H
#define ZC_TESTS_SUPPORT_WIDE_H

#if defined(__SIZEOF_INT128__)
__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 wide_unsigned;
#else /* 32-bit machines; clang has these there */
__extension__ typedef _BitInt(128) wide;
__extension__ typedef unsigned _BitInt(128) wide_unsigned;
#endif

#endif
