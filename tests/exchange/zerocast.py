"""libzerocast.so through ctypes: the functions that the exchange tests call, DLPack's structures, and Python's capsules."""

import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t
from ctypes import c_uint8, c_uint16, c_uint32, c_uint64, c_void_p

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]
DTYPES += ["float16", "bfloat16", "complex64", "complex128"]
NUMPY_DTYPES = [d for d in DTYPES if d not in ("bool", "bfloat16")]  # that NumPy exchanges
ITEM_BYTES = dict(zip(DTYPES, [1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 2, 2, 8, 16]))
CODES = {"int": 0, "uint": 1, "float": 2, "bfloat": 4, "complex": 5, "bool": 6}

READ_ONLY, IS_COPIED = 1, 2
CPU = 1

# ---- DLPack's structures, version 1 and the legacy one ----


class DLDevice(Structure):
    _fields_ = [("device_type", c_int32), ("device_id", c_int32)]


class DLDataType(Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class DLTensor(Structure):
    _fields_ = [
        ("data", c_void_p),
        ("device", DLDevice),
        ("ndim", c_int32),
        ("dtype", DLDataType),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]


# The deleter is declared as an address, so that it can be read, called and replaced without ctypes keeping copies.
Deleter = CFUNCTYPE(None, c_void_p)


class DLManagedTensor(Structure):
    _fields_ = [("dl_tensor", DLTensor), ("manager_ctx", c_void_p), ("deleter", c_void_p)]


class DLManagedTensorVersioned(Structure):
    _fields_ = [
        ("major", c_uint32),
        ("minor", c_uint32),
        ("manager_ctx", c_void_p),
        ("deleter", c_void_p),
        ("flags", c_uint64),
        ("dl_tensor", DLTensor),
    ]


def dl_dtype(name):
    kind = name.rstrip("0123456789")
    return DLDataType(CODES[kind], 8 * ITEM_BYTES[name], 1)


# ---- The library ----


class Memory(Structure):
    _fields_ = [(name, c_int64) for name in ("held_bytes", "peak_bytes", "header_bytes", "nodes", "cached_bytes", "kept_bytes")]


Allocate = CFUNCTYPE(c_void_p, c_void_p, c_size_t, c_size_t)
Deallocate = CFUNCTYPE(None, c_void_p, c_void_p, c_size_t, c_size_t)


class Allocator(Structure):
    _fields_ = [("user", c_void_p), ("allocate", Allocate), ("deallocate", Deallocate)]


class Options(Structure):
    _fields_ = [
        ("allocator", POINTER(Allocator)),
        ("memory_limit", c_int64),
        ("threads", c_int),
        ("executor", c_int),
        ("node_limit", c_int64),
        ("header_limit", c_int64),
        ("recompute", c_bool),
    ]


# name: result and arguments. T is a tensor, C a context, L a list of int64 behind its count, A one of int.
T = C = L = A = c_void_p
SIGNATURES = {
    "zc_context_new": (C, [c_void_p]),
    "zc_context_free": (None, [C]),
    "zc_memory_usage": (Memory, [C]),
    "zc_error_text": (c_char_p, [C]),
    "zc_error_clear": (None, [C]),
    "zc_from_data": (T, [C, c_int, c_int, L, c_void_p, c_size_t]),
    "zc_release": (None, [T]),
    "zc_dtype_of": (c_int, [T]),
    "zc_rank": (c_int, [T]),
    "zc_shape": (POINTER(c_int64), [T]),
    "zc_strides": (POINTER(c_int64), [T]),
    "zc_data": (c_void_p, [T]),
    "zc_is_view": (c_bool, [T]),
    "zc_iota": (T, [C, c_int64]),
    "zc_full": (T, [C, c_int, L, c_int, c_double]),
    "zc_astype": (T, [T, c_int]),
    "zc_add": (T, [T, T]),
    "zc_sum": (T, [T, c_int, A, c_bool]),
    "zc_broadcast_to": (T, [T, c_int, L]),
    "zc_permute_dims": (T, [T, c_int, A]),
    "zc_flip": (T, [T, c_int, A]),
    "zc_slice": (T, [T, c_int, c_int64, c_int64, c_int64]),
    "zc_index": (T, [T, c_int, c_int64]),
    "zc_reshape": (T, [T, c_int, L]),
    "zc_diagonal": (T, [T, c_int64, c_int, c_int]),
    "zc_expand_dims": (T, [T, c_int]),
    "zc_materialize": (c_int, [T, POINTER(T)]),
    "zc_materialize_into": (c_int, [T, c_void_p, c_size_t, c_void_p, c_int64]),
    "zc_to_dlpack": (c_int, [T, c_bool, POINTER(c_void_p)]),
    "zc_to_dlpack_legacy": (c_int, [T, POINTER(c_void_p)]),
    "zc_dlpack_copied_bytes": (c_int, [T, c_bool, POINTER(c_int64)]),
    "zc_from_dlpack": (T, [C, c_void_p, c_void_p, c_size_t]),
    "zc_from_dlpack_legacy": (T, [C, c_void_p, c_void_p, c_size_t]),
}

lib = None


def load(path):
    global lib
    lib = ctypes.CDLL(path)
    for name, (result, arguments) in SIGNATURES.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments


def sizes(values):
    """A shape as the two arguments, rank and array."""
    return len(values), (c_int64 * max(len(values), 1))(*values)


def axes(values):
    return len(values), (c_int * max(len(values), 1))(*values)


class Failed(Exception):
    """A call of the library that failed, with its sentence."""


class PoisoningAllocator:
    """Memory that is given back is overwritten and kept until the end, so that reading it later shows."""

    POISON = 0xA5

    def __init__(self):
        self.live, self.kept = {}, []

        def allocate(user, size, alignment):
            memory = ctypes.create_string_buffer(size + alignment)
            address = -(-ctypes.addressof(memory) // alignment) * alignment
            self.live[address] = (memory, size)
            return address

        def deallocate(user, address, size, alignment):
            memory, known = self.live.pop(address)
            assert known == size
            ctypes.memset(address, self.POISON, size)
            self.kept.append(memory)

        self.struct = Allocator(None, Allocate(allocate), Deallocate(deallocate))


class Context:
    """A context over a poisoning allocator, or the library's own. Tensors are plain addresses; `made` lists those to
    release."""

    def __init__(self, poisons=True):
        self.allocator = PoisoningAllocator() if poisons else None
        allocator = ctypes.pointer(self.allocator.struct) if poisons else None
        self.ctx = lib.zc_context_new(byref(Options(allocator, 0, 1, 0, 0, 0)))
        self.made = []

    def keep(self, tensor):
        if not tensor:
            raise Failed(lib.zc_error_text(self.ctx).decode())
        self.made.append(tensor)
        return tensor

    def __getattr__(self, name):
        """context.flip(t, ...): zc_flip, its result kept; failing raises its sentence."""
        function = getattr(lib, "zc_" + name)
        return lambda *arguments: self.keep(function(*arguments))

    def iota(self, dtype, shape):
        """0, 1, 2 ... in memory of the library's own."""
        count = 1
        for extent in shape:
            count *= extent
        flat = self.astype(self.keep(lib.zc_iota(self.ctx, count)), DTYPES.index(dtype))
        return self.reshape(self.materialize(flat), *sizes(shape))

    def materialize(self, tensor):
        out = T()
        if lib.zc_materialize(tensor, byref(out)) != 0:
            raise Failed(lib.zc_error_text(self.ctx).decode())
        return self.keep(out.value)

    def held_bytes(self):
        """Of what somebody asked for."""
        memory = lib.zc_memory_usage(self.ctx)
        return memory.held_bytes - memory.kept_bytes

    def release(self):
        for tensor in self.made:
            lib.zc_release(tensor)
        self.made = []

    def free(self):
        self.release()
        lib.zc_context_free(self.ctx)
        self.ctx = None


# ---- Exports, with their deleter counted ----


class Managed:
    """A managed tensor of the library's, whose deleter counts before it does its work."""

    def __init__(self, context, tensor, legacy, dense=False):
        self.deleted = 0
        self.legacy = legacy
        out = c_void_p()
        call = lib.zc_to_dlpack_legacy if legacy else lib.zc_to_dlpack
        status = call(tensor, byref(out)) if legacy else call(tensor, dense, byref(out))
        if status != 0:
            raise Failed(lib.zc_error_text(context.ctx).decode())
        self.address = out.value
        form = DLManagedTensor if legacy else DLManagedTensorVersioned
        self.struct = form.from_address(self.address)
        real = Deleter(self.struct.deleter)

        def count(address):
            self.deleted += 1
            real(address)

        self.counting = Deleter(count)
        self.struct.deleter = ctypes.cast(self.counting, c_void_p).value

    def tensor(self):
        return self.struct.dl_tensor

    def end(self):
        Deleter(self.struct.deleter)(self.address)


def shape_and_strides(t):
    return [t.shape[a] for a in range(t.ndim)], [t.strides[a] for a in range(t.ndim)]


# ---- Capsules ----

api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [c_void_p, c_char_p, c_void_p]
api.PyCapsule_GetPointer.restype = c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, c_char_p]

NAME, USED = b"dltensor", b"used_dltensor"

api.PyCapsule_IsValid.argtypes = [ctypes.py_object, c_char_p]


class Exporter:
    """What Python libraries take: an object with __dlpack__ and __dlpack_device__. A tensor that nobody has consumed
    ends with it. (In C that is the capsule's destructor; one in Python cannot run while an exception is on its way.)"""

    def __init__(self, context, tensor):
        self.managed = Managed(context, tensor, legacy=True)
        self.capsule = api.PyCapsule_New(self.managed.address, NAME, None)

    def __dlpack__(self, stream=None):
        return self.capsule

    def __dlpack_device__(self):
        return (CPU, 0)

    def __del__(self):
        if api.PyCapsule_IsValid(self.capsule, NAME):
            self.managed.end()


def consume(capsule):
    """Takes the managed tensor out of a capsule: (address, structure). Its deleter is the caller's duty now."""
    address = api.PyCapsule_GetPointer(capsule, NAME)
    assert api.PyCapsule_SetName(capsule, USED) == 0
    return address, DLManagedTensor.from_address(address)
