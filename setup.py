"""Builds the compiled core; everything else stands in pyproject.toml.

`TOOLSYNC_SANITIZE=address,undefined` builds it under those sanitizers instead of
optimised (see `.ci/sanitize`). `TOOLSYNC_CFLAGS` adds compiler options.
"""

import os
import shlex

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext


class BuildCore(build_ext):
    """Chooses the options by the compiler at hand, which is known only when the build begins."""

    def build_extensions(self) -> None:
        """Sets the options of every extension, then builds it."""
        sanitizers = os.environ.get("TOOLSYNC_SANITIZE", "")
        msvc = self.compiler.compiler_type == "msvc"
        for extension in self.extensions:
            extension.extra_compile_args = _compile_options(msvc, sanitizers)
            extension.extra_link_args = [f"-fsanitize={sanitizers}"] if sanitizers else []
        super().build_extensions()


def _compile_options(msvc: bool, sanitizers: str) -> list[str]:
    added = shlex.split(os.environ.get("TOOLSYNC_CFLAGS", ""))
    if msvc:
        return ["/O2", *added]
    if not sanitizers:
        return ["-O3", "-g0", *added]
    # -O1 keeps line numbers true; an undefined shift must end the run, not only be printed.
    return [
        "-O1",
        "-g",
        "-fno-omit-frame-pointer",
        "-fno-sanitize-recover=undefined",
        f"-fsanitize={sanitizers}",
        *added,
    ]


MODULES = ("_diff", "_reading")

setup(
    ext_modules=cythonize(
        [Extension(f"toolsync.{name}", [f"src/toolsync/{name}.pyx"]) for name in MODULES],
        # The generated C stays out of the source tree.
        build_dir="build/cython",
        # autotestdict off: it adds a `__test__` that the stub would have to declare.
        compiler_directives={"language_level": "3", "autotestdict": False},
    ),
    cmdclass={"build_ext": BuildCore},
)
