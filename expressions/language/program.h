/*
 * A program: what the parser makes of a source, a flat list of instructions in postfix order.
 *
 * Invariant: instructions run from first to last on one stack and leave it empty; there are no jumps. Every statement
 * ends with ZC_CODE_STORE or ZC_CODE_RESULT, and the value of the last one is the result.
 */
#ifndef ZC_EXPRESSIONS_LANGUAGE_PROGRAM_H
#define ZC_EXPRESSIONS_LANGUAGE_PROGRAM_H

#include "expressions/language/names.h"

/* Instructions: values taken from the stack -> values put there; operands. */
typedef enum zc_code {
    ZC_CODE_INTEGER,   /* -> integer; is_negative, magnitude */
    ZC_CODE_FLOAT,     /* -> float; real */
    ZC_CODE_IMAGINARY, /* real, times the imaginary unit */
    ZC_CODE_STRING,    /* -> string; name */
    ZC_CODE_NONE,      /* -> None */
    ZC_CODE_ELLIPSIS,  /* -> ... */
    ZC_CODE_LOAD,      /* -> value of the name; name */
    ZC_CODE_UNARY,     /* x -> op x; op */
    ZC_CODE_BINARY,    /* a, b -> a op b; op */
    ZC_CODE_ATTRIBUTE, /* x -> x.name; name */
    ZC_CODE_SLICE,     /* start, stop, step -> slice */
    ZC_CODE_SUBSCRIPT, /* x, index -> x[index] */
    ZC_CODE_TUPLE,     /* items -> tuple; count */
    ZC_CODE_LIST,      /* items -> list; count */
    ZC_CODE_CALL,      /* count positional arguments, then keyword_count pairs string, value -> result; name */
    ZC_CODE_METHOD,    /* the same, written as first.name(others) */
    ZC_CODE_STORE,     /* x ->; binds name */
    ZC_CODE_RESULT     /* x -> */
} zc_code;

typedef struct zc_instruction {
    uint8_t code;
    uint8_t op;             /* zc_operator */
    bool is_negative;       /* INTEGER */
    uint32_t keyword_count; /* CALL */
    union {
        uint64_t magnitude; /* INTEGER */
        double real;
        struct {
            uint32_t name; /* a number of names */
            uint32_t count;
        };
    };
} zc_instruction;

typedef struct zc_program {
    zc_instruction *code;
    size_t count;
    size_t capacity;
    zc_names names;
} zc_program;

/* Appends; false with a fault when memory is out. */
bool zc_program_add(zc_program *program, zc_instruction instruction, zc_fault *fault);

void zc_program_free(zc_program *program);

#endif
