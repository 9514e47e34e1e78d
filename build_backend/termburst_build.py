"""The build backend: scikit-build-core, with the C compiler of the PyPI package ziglang if the machine has none.

CC names another compiler. On Windows zig is used unless CC is set: MSVC cannot build the core, and other compilers are
not reliable there.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import sys
from pathlib import Path
from typing import Any

from compilers import ADVICE, own_compiler
from scikit_build_core import build as skbuild
from scikit_build_core.build import (  # noqa: F401  hooks that need no compiler
    build_sdist,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

ZIG = "ziglang>=0.13"


def zig() -> list[str]:
    """The command of the compiler in the package ziglang; without it, exit and say what to install."""
    found = importlib.util.find_spec("ziglang")
    if found is None or found.origin is None:
        raise SystemExit(ADVICE)
    command = [str(Path(found.origin).with_name("zig.exe" if os.name == "nt" else "zig")), "cc", "-mcpu=baseline"]
    named = (
        platform.machine() in ("x86_64", "aarch64") and sys.maxsize > 2**32
    )  # zig uses other names for other machines
    if sys.platform == "linux" and platform.libc_ver()[0] == "glibc" and named:
        command += ["-target", f"{platform.machine()}-linux-gnu.2.17"]  # runs with every glibc since 2012
    # -O3 also when CMake tests the compiler: zig makes its run-time library once per level, which takes half a minute
    # for -O0 and seconds for -O3.
    return [*command, "-O3"]


def settings(given: dict[str, Any] | None) -> dict[str, Any]:
    """The settings for scikit-build-core, with the compiler."""
    chosen = {**(given or {})}
    compiler = own_compiler()
    if compiler is None:
        compiler = zig()
        # pip removes this zig after the build, and a build folder that still named it could not be used again. zig
        # keeps what it has compiled elsewhere.
        chosen["build-dir"] = ""
    chosen["cmake.define.CMAKE_C_COMPILER"] = ";".join(Path(word).as_posix() for word in compiler)
    return chosen


def _requires(found: list[str]) -> list[str]:
    return found if own_compiler() else [*found, ZIG]


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    return _requires(skbuild.get_requires_for_build_wheel(config_settings))


def get_requires_for_build_editable(config_settings: dict[str, Any] | None = None) -> list[str]:
    return _requires(skbuild.get_requires_for_build_editable(config_settings))


def build_wheel(folder: str, config_settings: dict[str, Any] | None = None, metadata: str | None = None) -> str:
    return skbuild.build_wheel(folder, settings(config_settings), metadata)


def build_editable(folder: str, config_settings: dict[str, Any] | None = None, metadata: str | None = None) -> str:
    return skbuild.build_editable(folder, settings(config_settings), metadata)
