#include "tools/language/program.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 64 };

bool zc_program_add(zc_program *program, zc_instruction instruction)
{
    if (program->count == program->capacity) {
        size_t capacity = program->capacity == 0 ? FIRST_CAPACITY : program->capacity * 2;
        zc_instruction *code = realloc(program->code, capacity * sizeof *code);
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
    free(program->code);
    zc_names_free(&program->names);
    *program = (zc_program){0};
}
