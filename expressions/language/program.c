#include "expressions/language/program.h"

#include "expressions/base/memory.h"

enum { FIRST_CAPACITY = 64 };

bool zc_program_add(zc_program *program, zc_instruction instruction, zc_fault *fault)
{
    if (program->count == program->capacity) {
        size_t capacity = program->capacity == 0 ? FIRST_CAPACITY : program->capacity * 2;
        zc_instruction *code = zc_memory_grow(fault, program->code, capacity * sizeof *code);
        if (code == NULL)
            return false;
        program->code = code;
        program->capacity = capacity;
    }
    program->code[program->count++] = instruction;
    return true;
}

void zc_program_free(zc_program *program)
{
    zc_memory_give(program->code);
    zc_names_free(&program->names);
    *program = (zc_program){0};
}
