#include "expressions/evaluate/variables.h"

#include <string.h>

#include "expressions/base/memory.h"

/* A value of the stack: the name that it was loaded from, or NO_NAME. */
enum { NO_NAME = -1 };

static size_t count_operands(const zc_instruction *instruction)
{
    switch ((zc_code)instruction->code) {
    case ZC_CODE_UNARY:
    case ZC_CODE_ATTRIBUTE:
    case ZC_CODE_STORE:
    case ZC_CODE_RESULT:
        return 1;
    case ZC_CODE_BINARY:
    case ZC_CODE_SUBSCRIPT:
        return 2;
    case ZC_CODE_SLICE:
        return 3;
    case ZC_CODE_TUPLE:
    case ZC_CODE_LIST:
        return instruction->count;
    case ZC_CODE_CALL:
    case ZC_CODE_METHOD:
        return (size_t)instruction->count + 2 * (size_t)instruction->keyword_count;
    default:
        return 0;
    }
}

static bool differentiates(const zc_program *program, const zc_instruction *instruction)
{
    if (instruction->code != ZC_CODE_CALL && instruction->code != ZC_CODE_METHOD)
        return false;
    const char *function = program->names.texts[instruction->name];
    return strcmp(function, "grad") == 0 || strcmp(function, "vjp") == 0;
}

bool zc_find_variables(const zc_program *program, void (*mark)(void *user, uint32_t name), void *user, zc_fault *fault)
{
    int64_t *stack = zc_memory_take(fault, (program->count + 1) * sizeof *stack); /* proven: the program is in memory */
    size_t depth = 0;
    if (stack == NULL)
        return false;
    for (size_t i = 0; i < program->count; i++) {
        const zc_instruction *instruction = &program->code[i];
        const size_t operands = count_operands(instruction);
        for (size_t k = 1; k < operands && differentiates(program, instruction); k++) { /* the first is y */
            int64_t name = stack[depth - operands + k];
            if (name != NO_NAME)
                mark(user, (uint32_t)name);
        }
        depth -= operands;
        if (instruction->code != ZC_CODE_STORE && instruction->code != ZC_CODE_RESULT)
            stack[depth++] = instruction->code == ZC_CODE_LOAD ? (int64_t)instruction->name : NO_NAME;
    }
    zc_memory_give(stack);
    return true;
}
