/*
 * A division: the recorded tensors, the nodes that pieces have in common, and the families of pieces. Piece i is
 * arithmetic: nothing is stored of it.
 *
 * The graph is the division's own, read from the bytes that other processes read: so all of them find the same pieces,
 * and what becomes of the tensors that were divided does not matter.
 *
 * The pieces of shared nodes come first, operands before what is made of them, of each its ranges and then its joins;
 * the blocks of the tensors follow.
 */
#ifndef ZC_RUNTIME_SPLIT_DIVISION_H
#define ZC_RUNTIME_SPLIT_DIVISION_H

#include "runtime/memory/arena.h"
#include "runtime/split/parted.h"

enum { ZC_MOST_JOINED = 32, ZC_MOST_LEVELS = 14 };

/* Shared nodes of which a piece is made: their numbers. */
typedef struct zc_needs {
    int count;
    int at[ZC_MOST_NEEDS];
} zc_needs;

/* A node that pieces have in common. */
typedef struct zc_shared {
    zc_tensor *t;     /* all of it */
    zc_parted parted; /* of one that is made in parts */
    bool has_parts;
    int64_t range; /* numbers of a part, but for the last one */
    int64_t last;  /* the piece that gives all of it */
    zc_needs needs;
} zc_shared;

/* Pieces of one kind. */
typedef struct zc_family {
    zc_piece_kind kind;
    int of;               /* the tensor, or the shared node */
    int64_t first, count; /* pieces */
    int64_t length;       /* numbers of a range or a join, but for the last one */
} zc_family;

/* A tensor, and how it is divided. */
typedef struct zc_divided {
    zc_tensor *t; /* NULL until it is read */
    int rank;
    const int64_t *chunk; /* [rank] */
    zc_needs needs;
} zc_divided;

struct zc_division {
    zc_context *ctx;
    zc_arena arena;
    zc_serialized *written; /* that it was made of, or NULL: it was restored */
    const int64_t *words;   /* [word_count] */
    size_t word_count;
    int input_count;
    const zc_tensor **inputs; /* [input_count], a reference to each */
    int64_t limit;
    int count;
    zc_divided *tensors; /* [count] */
    int shared_count;
    zc_shared *shared; /* [ZC_MOST_NEEDS] */
    int family_count;
    zc_family *families;
    int64_t pieces;
};

#endif
