"""CUDA kernels without a CUDA toolkit: NVRTC compiles them at run time, the driver launches them.

NVRTC comes with PyTorch's CUDA builds. Compiled kernels are kept in the user's cache.
"""

from __future__ import annotations

import ctypes
import glob
import hashlib
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache

from gridlang.compiler.native.build import is_private, library_folder
from gridlang.diagnostics import GridError
from gridlang.files import write_whole

MAX_SHARED = 8  # The driver calls it CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES.


CLUSTER = 4  # The driver calls it CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION.


class _Attribute(ctypes.Structure):
    _fields_ = (("id", ctypes.c_int), ("padding", ctypes.c_int), ("value", ctypes.c_int * 16))


class _Launch(ctypes.Structure):
    _fields_ = (
        ("sizes", ctypes.c_uint * 7),  # grid, block, shared memory
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(_Attribute)),
        ("count", ctypes.c_uint),
    )


class CannotLaunch(Exception):
    """No kernel: no driver, no NVRTC, or a kernel that this GPU cannot run."""


class Kernel:
    """One function of a module, with its shape and its memory."""

    def __init__(self, module: Module, name: str, threads: int, shared: int = 0) -> None:
        self.module, self.name, self.threads, self.shared = module, name, threads, shared
        self.handle = ctypes.c_void_p()
        _driver("cuModuleGetFunction", ctypes.byref(self.handle), module.handle, name.encode())
        if shared > 48 * 1024:
            _driver("cuFuncSetAttribute", self.handle, MAX_SHARED, shared)

    def launch(self, stream: int, grid: tuple[int, int], argument: ctypes.Structure) -> None:
        """Queues the kernel with one structure as its argument."""
        pointers = (ctypes.c_void_p * 1)(ctypes.addressof(argument))
        sizes = (ctypes.c_uint * 7)(*grid, 1, self.threads, 1, 1, self.shared)
        launch = _Launch(sizes, stream, None, 0)
        _driver("cuLaunchKernelEx", ctypes.byref(launch), self.handle, pointers, None)

    def clusters_at_once(self, cluster: int) -> int:
        """How many clusters of this many blocks fit on the device together."""
        attribute = _Attribute(CLUSTER, value=(cluster, 1, 1))
        sizes = (ctypes.c_uint * 7)(cluster, 1, 1, self.threads, 1, 1, self.shared)
        launch, found = _Launch(sizes, None, ctypes.pointer(attribute), 1), ctypes.c_int()
        _driver("cuOccupancyMaxActiveClusters", ctypes.byref(found), self.handle, ctypes.byref(launch))
        return found.value


class Module:
    """Compiled kernels, loaded on the current device."""

    def __init__(self, source: str, macros: Mapping[str, int | None], capability: tuple[int, int]) -> None:
        options = [f"--gpu-architecture=sm_{capability[0]}{capability[1]}", "--std=c++17", "-default-device"]
        options += [f"-D{name}" if value is None else f"-D{name}={value}" for name, value in macros.items()]
        image = _cubin(source, options)
        self.handle = ctypes.c_void_p()
        _driver("cuModuleLoadData", ctypes.byref(self.handle), image)


@cache
def _driver_library() -> ctypes.CDLL:
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError:
        raise CannotLaunch("there is no CUDA driver") from None


def _driver(name: str, *arguments: object) -> None:
    library = _driver_library()
    code = getattr(library, name)(*arguments)
    if code:
        text = ctypes.c_char_p()
        library.cuGetErrorString(code, ctypes.byref(text))
        reason = (text.value or b"unknown error").decode()
        raise CannotLaunch(f"{name} fails: {reason}")


def _cubin(source: str, options: list[str]) -> bytes:
    """Machine code of a source, from the cache or compiled now."""
    library = _nvrtc()
    major, minor = ctypes.c_int(), ctypes.c_int()
    library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    key = "\0".join((f"{major.value}.{minor.value}", *options, source))
    folder = library_folder()
    path = os.path.join(folder, f"cuda-{hashlib.sha256(key.encode()).hexdigest()[:32]}.cubin")
    with suppress(OSError):
        if is_private(folder) and is_private(path):
            with open(path, "rb") as file:
                return file.read()
    image = _compile(library, source, options)
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        write_whole(path, image)
        os.chmod(path, 0o600)
    except (OSError, GridError):
        pass  # without a cache it is compiled each time
    return image


def _compile(library: ctypes.CDLL, source: str, options: list[str]) -> bytes:
    program = ctypes.c_void_p()
    library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernels.cu", 0, None, None)
    try:
        texts = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
        failed = library.nvrtcCompileProgram(program, len(options), texts)
        size = ctypes.c_size_t()
        if failed:
            library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
            log = ctypes.create_string_buffer(size.value)
            library.nvrtcGetProgramLog(program, log)
            raise CannotLaunch(f"the kernels do not compile: {log.value.decode(errors='replace')[:2000]}")
        library.nvrtcGetCUBINSize(program, ctypes.byref(size))
        image = ctypes.create_string_buffer(size.value)
        library.nvrtcGetCUBIN(program, image)
        return image.raw
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))


def _nvrtc() -> ctypes.CDLL:
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError:
            continue
    raise CannotLaunch("there is no NVRTC, which PyTorch's CUDA builds bring along")


def _candidates() -> list[str]:
    """Where NVRTC may lie: beside PyTorch, in a toolkit, or where the loader looks."""
    places = [os.path.join(folder, "nvidia", "*", "lib") for folder in sys.path]
    places += [os.path.join(folder, "torch", "lib") for folder in sys.path]
    places += [os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "lib64")]
    libraries = [path for place in places for path in sorted(glob.glob(os.path.join(place, "libnvrtc.so*")))]
    return [*libraries, "libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"]
