/* The module: its tables of functions, its types, and what the Python side binds. */
#include "python/core/core.h"

core_bound bound;

/* bind(array, budget_error, dtypes, code_of, convert, blocks, axis_error, get, put, lost_write): once, when the package
 * is imported. */
static PyObject *bind(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *array;
    core_bound given;
    if (!PyArg_ParseTuple(arguments, "OOOOOOOOOO:bind", &array, &given.budget_error, &given.dtypes, &given.code_of,
                          &given.convert, &given.blocks, &given.axis_error, &given.get, &given.put, &given.lost_write))
        return NULL;
    if (!PyType_Check(array) || !PyType_IsSubtype((PyTypeObject *)array, array_base) || !PyTuple_Check(given.dtypes) ||
        PyTuple_Size(given.dtypes) != ZC_DTYPE_COUNT) {
        PyErr_SetString(PyExc_TypeError,
                        "bind() takes a subclass of Array, an exception, all dtypes, six functions and a warning");
        return NULL;
    }
    given.array = (PyTypeObject *)array;
    bound = given; /* for good: the package lives as long as the process */
    PyObject *const kept[] = {array,        given.budget_error, given.dtypes, given.code_of, given.convert,
                              given.blocks, given.axis_error,   given.get,    given.put,     given.lost_write};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        Py_INCREF(kept[i]);
    Py_RETURN_NONE;
}

static PyMethodDef binding[] = {
    {"bind", bind, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyObject *dtype_table(void)
{
    PyObject *table = PyList_New(0);
    for (int d = 0; table != NULL && d < ZC_DTYPE_COUNT; d++) {
        PyObject *row = Py_BuildValue("(si)", zc_dtype_name((zc_dtype)d), (int)zc_dtype_bytes((zc_dtype)d));
        if (row == NULL || PyList_Append(table, row) != 0)
            Py_CLEAR(table);
        Py_XDECREF(row);
    }
    return table;
}

static int add_dtypes(PyObject *module)
{
    PyObject *table = dtype_table();
    int status = table != NULL ? PyModule_AddObjectRef(module, "DTYPES", table) : -1;
    Py_XDECREF(table);
    return status;
}

/* The names of the rows of a table, for the Python side to pass on. */
static const char *const operations[] = {
#define ZC_OP(NAME, name, ...) #name,
#include "runtime/ops/ops.def"
#undef ZC_OP
};

static const char *const reductions[] = {
#define ZC_REDUCTION(NAME, name, ...) #name,
#include "runtime/ops/reductions.def"
#undef ZC_REDUCTION
};

static int add_names(PyObject *module, const char *name, const char *const *names, size_t count)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < count; i++) {
        PyObject *text = PyUnicode_FromString(names[i]);
        if (text == NULL || PyList_Append(list, text) != 0)
            Py_CLEAR(list);
        Py_XDECREF(text);
    }
    int status = list != NULL ? PyModule_AddObjectRef(module, name, list) : -1;
    Py_XDECREF(list);
    return status;
}

#define ADD_NAMES(module, name, names) add_names(module, name, names, sizeof(names) / sizeof(names)[0])

/* The types and what is bound belong to the process: another interpreter would put its own in their place. */
static bool is_alone(void)
{
    static bool is_loaded;
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0)
        PyErr_SetString(PyExc_ImportError, "zerocast works in the main interpreter, not in subinterpreters");
    else if (is_loaded)
        PyErr_SetString(PyExc_ImportError, "zerocast._core is loaded once per process");
    else
        return is_loaded = true;
    return false;
}

static int execute(PyObject *module)
{
    bool ok = is_alone() && core_contexts_init(module) && core_array_init(module) && core_memory_init(module) &&
              PyModule_AddFunctions(module, core_functions) == 0 &&
              PyModule_AddFunctions(module, core_computing_functions) == 0 &&
              PyModule_AddFunctions(module, core_exchange_functions) == 0 &&
              PyModule_AddFunctions(module, core_dlpack_functions) == 0 &&
              PyModule_AddFunctions(module, core_source_functions) == 0 &&
              PyModule_AddFunctions(module, core_division_functions) == 0 &&
              PyModule_AddFunctions(module, core_aliasing_functions) == 0 &&
              PyModule_AddFunctions(module, binding) == 0 && add_dtypes(module) == 0 &&
              ADD_NAMES(module, "OPERATIONS", operations) == 0 && ADD_NAMES(module, "REDUCTIONS", reductions) == 0 &&
              PyModule_AddStringConstant(module, "VERSION", zc_version()) == 0 &&
              PyModule_AddIntConstant(module, "MAX_RANK", ZC_MAX_RANK) == 0;
    if (!ok && PyErr_Occurred() == NULL)
        PyErr_SetString(PyExc_ImportError, "zerocast._core could not be set up");
    return ok ? 0 : -1;
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)execute},
#if !defined(Py_LIMITED_API) && PY_VERSION_HEX >= 0x030d0000
    {Py_mod_gil, Py_MOD_GIL_NOT_USED}, /* tensors do not change, contexts belong to threads */
#endif
    {0, NULL},
};

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "zerocast._core",
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&definition);
}
