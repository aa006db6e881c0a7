/*
 * Random chains of view operations: calls drawn at random, most of them valid, and their application to a view.
 */
#ifndef ZC_TESTS_VIEWS_CHAIN_H
#define ZC_TESTS_VIEWS_CHAIN_H

#include "tests/views/oracle.h"

/* Limits to the growth of a chain. */
typedef struct chain_limits {
    int rank;
    int64_t extent; /* of new axes */
    int64_t size;   /* of broadcasts */
    bool huge;      /* bounds, steps and offsets from all of int64, too */
} chain_limits;

/* A call of a kind for a tensor of that shape; about one in ten has to be refused. */
void chain_draw(call_kind kind, int rank, const int64_t *shape, const chain_limits *limits, view_call *c);

/* A shape of up to limits->rank axes, each 0..limits->extent (0 rarely), of at most limits->size elements. */
int chain_draw_shape(const chain_limits *limits, int64_t *shape);

/* The views room's own function for the call. out may be in. affine is set by reshape only. */
zc_status chain_call(const view_call *c, const zc_view *in, bool *affine, zc_view *out, zc_reason *why);

/* "slice axis 0 start 1 ...": for messages. */
const char *chain_text(const view_call *c, int rank, const int64_t *shape, char *buffer, size_t bytes);

#endif
