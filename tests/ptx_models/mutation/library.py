# Builds one libbascule_simt.so in which every chosen change of the definitions can be switched on.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys

import mutants as finder

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
OPERATIONS = "backends/simt/operations"
NEVER = re.compile(r"fixture|device_|_test|families")  # not definitions
# What is linked beside the definitions, below the build directory.
OTHERS = ["backends/simt/bascule_simt_cpu_x86_64_v*.o", "backends/simt/CMakeFiles/bascule_simt_objects_compiled.dir/**/*.o",
          "backends/CMakeFiles/bascule_backends_common_objects_compiled.dir/**/*.o", "CMakeFiles/bascule_fmt_compiled.dir/**/*.o"]


def definitions():
    """The sources of operations/ that say what instructions do, by name."""
    names = sorted(glob.glob(f"{ROOT}/{OPERATIONS}/*.[ch]pp"))
    return {os.path.basename(name): open(name).read() for name in names if not NEVER.search(os.path.basename(name))}


class Builder:
    def __init__(self, texts, options):
        self.texts = texts
        self.options = options
        self.folder = f"{options.work}/{OPERATIONS}"
        os.makedirs(self.folder, exist_ok=True)
        self.refused_path = f"{options.work}/refused.json"  # keys, so that a later run does not compile twice
        self.refused_keys = set(json.load(open(self.refused_path))) if os.path.exists(self.refused_path) else set()

    def flags(self):
        level = self.options.level
        return [self.options.compiler, "-std=c++20", "-O1", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off", "-Wno-psabi", "-w",
                f"-I{self.options.work}", f"-I{ROOT}", f"-I{ROOT}/core/include", f"-I{self.options.build}/generated", "-DSPDLOG_FMT_EXTERNAL=1",
                "-DXXH_INLINE_ALL", f"-DBASCULE_CPU_LEVEL={level}", f"-DBASCULE_CPU_NAMESPACE=x86_64_v{level}", f"-march=x86-64-v{level}",
                "-include", f"{HERE}/mutant.hpp"]

    def write(self, chosen):
        """Writes the changed sources; true where a header is another one than before."""
        header = False
        for name, text in self.texts.items():
            changed = finder.instrumented(text, [m for m in chosen if m.file == name])
            path = f"{self.folder}/{name}"
            if not os.path.exists(path) or open(path).read() != changed:
                open(path, "w").write(changed)
                header = header or name.endswith(".hpp")
        return header

    def compile_one(self, name):
        source, target = f"{self.folder}/{name}", f"{self.options.work}/{name}.o"
        result = subprocess.run(self.flags() + ["-c", source, "-o", target], capture_output=True, text=True)
        return name, result.returncode, result.stderr

    def refused(self, name, log, chosen):
        """The numbers of the changes that the compiler complains of."""
        numbers = set()
        for file, line in set(re.findall(rf"{OPERATIONS}/(\w+\.[ch]pp):(\d+):\d+: error", log)):
            numbers.update(finder.mutants_of_lines(open(f"{self.folder}/{file}").read()).get(int(line), []))
        if not numbers:
            numbers = {m.number for m in chosen if m.file == name}
        if not numbers:
            sys.exit(f"{name} does not compile, with or without changes:\n{log[:3000]}")
        return numbers

    def compile(self, chosen):
        """Compiles all; the changes that the compiler refuses are dropped, and the files that it refused compiled again. (Others keep a
        header's dropped changes: they are never switched on.)"""
        chosen = [m for m in chosen if m.key not in self.refused_keys]
        sources = [name for name in self.texts if name.endswith(".cpp")]
        header = self.write(chosen)
        waiting = [name for name in sources if header or self.is_older(name)]
        done = 0
        while waiting:
            numbers, again = set(), []
            with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
                for name, code, log in pool.map(self.compile_one, waiting):
                    done += code == 0
                    print(f"  {name}: {'compiled' if code == 0 else 'refused'} ({done} of {len(sources)})", flush=True)
                    if code != 0:
                        again.append(name)
                        numbers |= self.refused(name, log, chosen)
            if numbers:
                print(f"{len(numbers)} changes do not compile and are dropped", flush=True)
            self.refused_keys |= {m.key for m in chosen if m.number in numbers}
            with open(self.refused_path, "w") as file:
                json.dump(sorted(self.refused_keys), file, indent=1)
            chosen = [m for m in chosen if m.number not in numbers]
            self.write(chosen)
            waiting = again
        return chosen

    def is_older(self, name):
        target = f"{self.options.work}/{name}.o"
        return not os.path.exists(target) or os.path.getmtime(target) < os.path.getmtime(f"{self.folder}/{name}")

    def of_this_level(self, chosen):
        """The changes in code that the level's objects have: not those between #else and #endif of another level."""
        numbers = set()
        for name in self.texts:
            if name.endswith(".cpp"):
                result = subprocess.run(self.flags() + ["-E", "-P", f"{self.folder}/{name}"], capture_output=True, text=True)
                numbers.update(int(n) for n in re.findall(r"bsc_mutant_is\((\d+)\)", result.stdout))
        return [m for m in chosen if m.number in numbers]

    def link(self):
        objects = [f"{self.options.work}/{name}.o" for name in self.texts if name.endswith(".cpp")]
        replaced = tuple(f"/operations/{name}.o" for name in self.texts)
        others = [o for pattern in OTHERS for o in glob.glob(f"{self.options.build}/{pattern}", recursive=True)
                  if f"_v{self.options.level}." not in o and not o.endswith(replaced)]
        library = f"{self.options.work}/libbascule_simt.so"
        subprocess.run(self.flags() + ["-shared", "-o", library, f"{HERE}/mutant.cpp"] + objects + others +
                       ["-lpthread", "-ldl", "-Wl,--no-undefined"], check=True)
        return library
