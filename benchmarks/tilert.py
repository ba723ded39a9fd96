"""tilert's C ABI through ctypes: load a .cubin, launch its kernels on torch's stream.

    library = Tilert("libtilert.so")
    softmax = library.module("softmax.cubin").kernel("softmax")
    softmax(out, x, 4096, 4096, rows, cols)          # tensors and numbers, in the kernel's order

A tensor is the argument of a ptr parameter, or of a view with as many dimensions: its shape and
strides are the view's. Selected const params stand before the parameters: numbers, or type names.
"""
import ctypes
import re

_TYPES = {  # name: (tilert_type, ctypes type)
    "bool": (1, ctypes.c_bool), "i8": (2, ctypes.c_int8), "i16": (3, ctypes.c_int16),
    "i32": (4, ctypes.c_int32), "i64": (5, ctypes.c_int64), "u8": (6, ctypes.c_uint8),
    "u16": (7, ctypes.c_uint16), "u32": (8, ctypes.c_uint32), "u64": (9, ctypes.c_uint64),
    "f32": (14, ctypes.c_float), "f64": (15, ctypes.c_double),
}
_POINTER, _VIEW, _TYPE_NAME = 16, 17, 18
_TORCH_ELEMENTS = {"torch.float32": 14, "torch.float16": 12, "torch.bfloat16": 13,
                   "torch.float64": 15, "torch.int32": 4, "torch.int64": 5, "torch.int8": 2,
                   "torch.uint8": 6, "torch.bool": 1, "torch.float8_e4m3fn": 10,
                   "torch.float8_e5m2": 11}


class Argument(ctypes.Structure):
    """tilert_argument"""
    _fields_ = [("value", ctypes.c_void_p), ("size", ctypes.c_size_t), ("type", ctypes.c_uint32),
                ("element", ctypes.c_uint32), ("rank", ctypes.c_uint32),
                ("reserved", ctypes.c_uint32)]


class View(ctypes.Structure):
    """tilert_view"""
    _fields_ = [("data", ctypes.c_void_p), ("extents", ctypes.c_void_p),
                ("strides", ctypes.c_void_p)]


class Tilert:
    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        self.c.tilert_last_message.restype = ctypes.c_char_p
        self.c.tilert_kernel_signature.restype = ctypes.c_char_p
        self.c.tilert_kernel_signature.argtypes = [ctypes.c_void_p]
        self.c.tilert_module_load_file.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
        self.c.tilert_kernel_find.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        self.c.tilert_launch.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p,
                                         ctypes.c_size_t]
        self.c.tilert_explain.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p,
                                          ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t,
                                          ctypes.c_void_p]

    def check(self, status):
        if status != 0:
            raise RuntimeError(self.c.tilert_last_message().decode())

    def module(self, path):
        handle = ctypes.c_void_p()
        self.check(self.c.tilert_module_load_file(str(path).encode(), ctypes.byref(handle)))
        return Module(self, handle)


class Module:
    def __init__(self, library, handle):
        self.library, self.handle = library, handle

    def kernel(self, name):
        handle = ctypes.c_void_p()
        self.library.check(self.library.c.tilert_kernel_find(self.handle, name.encode(),
                                                             ctypes.byref(handle)))
        return Kernel(self.library, handle)


class Kernel:
    def __init__(self, library, handle):
        self.library, self.handle = library, handle
        signature = library.c.tilert_kernel_signature(handle).decode()
        inside = signature[signature.index("(") + 1:signature.rindex(")")]
        self.types = re.findall(r"\w+: *(ptr<[^>]*>|view<[^>]*>|\w+)", inside)

    def pack(self, values):
        """The argument array for `values`, with what it points to."""
        if len(values) != len(self.types):
            raise TypeError(f"{len(self.types)} arguments expected, {len(values)} given")
        arguments, keep = (Argument * len(values))(), []
        for argument, kind, value in zip(arguments, self.types, values):
            if kind.startswith("ptr"):
                cell = ctypes.c_void_p(value.data_ptr())
                argument.type, argument.element = _POINTER, _TORCH_ELEMENTS[str(value.dtype)]
            elif kind.startswith("view"):
                numbers = ctypes.c_int64 * value.dim()
                extents, strides = numbers(*value.shape), numbers(*value.stride())
                keep += [extents, strides]
                cell = View(value.data_ptr(), ctypes.addressof(extents),
                            ctypes.addressof(strides))
                argument.type, argument.element = _VIEW, _TORCH_ELEMENTS[str(value.dtype)]
                argument.rank = value.dim()
            elif kind == "type":
                cell = ctypes.c_char_p(value.encode())
                argument.type = _TYPE_NAME
            else:
                argument.type, ctype = _TYPES[kind]
                cell = ctype(value)
            argument.value = ctypes.addressof(cell)
            argument.size = ctypes.sizeof(cell)
            keep.append(cell)
        return arguments, keep

    def __call__(self, *values, stream=None):
        import torch
        arguments, keep = self.pack(values)
        stream = torch.cuda.current_stream().cuda_stream if stream is None else stream
        self.library.check(self.library.c.tilert_launch(self.handle, stream, arguments,
                                                        len(values)))

    def explain(self, *values):
        import torch
        arguments, keep = self.pack(values)
        text = ctypes.create_string_buffer(1 << 16)
        self.library.check(self.library.c.tilert_explain(
            self.handle, torch.cuda.current_stream().cuda_stream, arguments, len(values), text,
            len(text), None))
        return text.value.decode()
