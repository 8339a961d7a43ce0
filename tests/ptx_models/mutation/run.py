#!/usr/bin/env python3
# A mutation run: changes the definitions of PTX operations one by one and counts how many changes the sweeps notice.
#
#   cmake --build build --target bascule_simt ptx_models_sweep
#   tests/ptx_models/mutation/run.py --build build --work /tmp/mutants [--count 400] [--seed 1]
#
# All chosen changes are compiled into one library, each behind a switch (mutants.py), so that the library is built once. A first
# run notes which chapter of the sweeps reaches which change; each change is then tried on those chapters alone, until one of
# them fails. What no chapter reaches counts as survived. docs/design/ptx-engine.md has the last result.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import concurrent.futures
import glob
import os
import random
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mutants as finder  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
OPERATIONS = "backends/simt/operations"
CHAPTERS = ["chapter integer", "chapter extended", "chapter bit", "chapter logic", "chapter comparison", "chapter float",
            "chapter half", "chapter convert", "chapter narrow", "chapter approximate", "chapter dot", "chapter move",
            "chapter memory", "chapter atomic", "chapter warp", "chapter matrix", "chapter asynchronous", "trap", "divergence"]
NEVER = re.compile(r"fixture|device_|_test|families")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="a build directory with bascule_simt and ptx_models_sweep in it")
    parser.add_argument("--work", required=True, help="a directory for the changed sources and what is built of them")
    parser.add_argument("--count", type=int, default=400, help="how many changes, drawn evenly over all; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--files", default="", help="regular expression: only changes in these files")
    parser.add_argument("--level", type=int, default=3, choices=[2, 3, 4])
    parser.add_argument("--compiler", default="g++")
    return parser.parse_args()


def sources():
    names = sorted(glob.glob(f"{ROOT}/{OPERATIONS}/*_cpu.cpp") + glob.glob(f"{ROOT}/{OPERATIONS}/*.hpp"))
    return {os.path.basename(name): open(name).read() for name in names}


def choose(texts, options):
    found = [m for name, text in texts.items() if not NEVER.search(name) and re.search(options.files, name)
             for m in finder.find_mutants(name, text)]
    if options.count and options.count < len(found):
        found = random.Random(options.seed).sample(found, options.count)
    found.sort(key=lambda m: (m.file, m.begin, m.mutated))
    for number, mutant in enumerate(found, 1):
        mutant.number = number
    return found


def flags(options):
    return [options.compiler, "-std=c++20", "-O1", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off", "-Wno-psabi", "-w",
            f"-I{options.work}", f"-I{ROOT}", f"-I{ROOT}/core/include", f"-I{options.build}/generated", "-DFMT_HEADER_ONLY",
            "-DSPDLOG_FMT_EXTERNAL=1", "-DXXH_INLINE_ALL", f"-DBASCULE_CPU_LEVEL={options.level}",
            f"-DBASCULE_CPU_NAMESPACE=x86_64_v{options.level}", f"-march=x86-64-v{options.level}", "-include", f"{HERE}/mutant.hpp"]


def write_sources(texts, chosen, options):
    folder = f"{options.work}/{OPERATIONS}"
    os.makedirs(folder, exist_ok=True)
    for name, text in texts.items():
        changed = finder.instrumented(text, [m for m in chosen if m.file == name])
        path = f"{folder}/{name}"
        if not os.path.exists(path) or open(path).read() != changed:
            open(path, "w").write(changed)


def compile_one(name, options):
    target = f"{options.work}/{name}.o"
    result = subprocess.run(flags(options) + ["-c", f"{options.work}/{OPERATIONS}/{name}", "-o", target], capture_output=True, text=True)
    return name, target, result.returncode, result.stderr


def compiled_numbers(texts, options):
    """The changes that are in code of this level: not between #else and #endif of another one."""
    numbers = set()
    for name in texts:
        if name.endswith("_cpu.cpp"):
            result = subprocess.run(flags(options) + ["-E", "-P", f"{options.work}/{OPERATIONS}/{name}"], capture_output=True, text=True)
            numbers.update(int(n) for n in re.findall(r"bsc_mutant_is\((\d+)\)", result.stdout))
    return numbers


def compile_all(texts, chosen, options):
    """Compiles what there is; changes that the compiler refuses are dropped, and their files compiled again."""
    waiting = [name for name in texts if name.endswith("_cpu.cpp")]
    objects = {}
    while waiting:
        write_sources(texts, chosen, options)
        refused, where = set(), set()
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            results = list(pool.map(lambda name: compile_one(name, options), waiting))
        waiting = []
        for name, target, code, log in results:
            objects[name] = target
            if code == 0:
                continue
            waiting.append(name)
            lines = set(re.findall(rf"{OPERATIONS}/(\w+\.[ch]pp):(\d+)", log))
            guilty = [m for m in chosen if (m.file, str(m.line)) in lines]
            if not guilty:
                guilty = [m for m in chosen if m.file == name]
            if not guilty:
                sys.exit(f"{name} does not compile, with or without changes:\n{log[:3000]}")
            refused.update(m.number for m in guilty)
            where.update((m.file, m.line) for m in guilty)
        if refused:
            print(f"{len(refused)} changes do not compile and are dropped", flush=True)
            chosen = [m for m in chosen if m.number not in refused]
            if any(name.endswith(".hpp") for name, _ in where):
                waiting = [name for name in texts if name.endswith("_cpu.cpp")]  # a header changed
    return chosen, list(objects.values())


def link(objects, options):
    others = [o for pattern in ("backends/simt/bascule_simt_cpu_x86_64_v*.o",
                                "backends/simt/CMakeFiles/bascule_simt_objects_compiled.dir/**/*.o",
                                "backends/CMakeFiles/bascule_backends_common_objects_compiled.dir/**/*.o")
              for o in glob.glob(f"{options.build}/{pattern}", recursive=True) if f"_v{options.level}." not in o]
    library = f"{options.work}/libbascule_simt.so"
    subprocess.run(flags(options) + ["-shared", "-o", library, f"{HERE}/mutant.cpp"] + objects + others +
                   ["-lpthread", "-ldl", "-Wl,--no-undefined"], check=True)
    return library


class Sweeps:
    def __init__(self, library, options):
        self.program = f"{options.build}/tests/bin/ptx_models_sweep"
        self.environment = dict(os.environ, BASCULE_SIMT_LIBRARY=library, BASCULE_PTX_MODELS_LEVELS=str(options.level),
                                BASCULE_PTX_MODELS_STOP="1", BASCULE_TEST_SEED=str(options.seed))
        self.work = options.work

    def passes(self, chapter, number, limit, reached=None):
        environment = dict(self.environment, BASCULE_MUTANT=str(number))
        if reached:
            environment["BASCULE_MUTANTS_REACHED"] = reached
        try:
            result = subprocess.run([self.program, f"--test-case={chapter}*", "--abort-after=1", "--minimal"], env=environment,
                                    timeout=limit, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return False
        return result.returncode == 0

    def survey(self):
        """Per chapter: its time, and the changes that it reaches. Chapters that fail without any change are left out."""
        known = {}
        for chapter in CHAPTERS:
            path = f"{self.work}/reached.txt"
            start = time.monotonic()
            if not self.passes(chapter, -1, 900, path):
                print(f"'{chapter}' fails as it is and is left out", flush=True)
                continue
            seconds = time.monotonic() - start
            known[chapter] = (seconds, {int(line) for line in open(path)})
            print(f"'{chapter}': {seconds:.1f} s, reaches {len(known[chapter][1])} changes", flush=True)
        return known


def try_one(mutant, sweeps, known):
    chapters = sorted((seconds, chapter) for chapter, (seconds, reached) in known.items() if mutant.number in reached)
    for seconds, chapter in chapters:
        if not sweeps.passes(chapter, mutant.number, 30 + 10 * seconds):
            return chapter
    return None if chapters else ""


def main():
    options = arguments()
    options.work = os.path.abspath(options.work)
    options.build = os.path.abspath(options.build)
    texts = sources()
    chosen = choose(texts, options)
    print(f"{len(chosen)} changes", flush=True)
    chosen, objects = compile_all(texts, chosen, options)
    here = compiled_numbers(texts, options)
    print(f"{sum(m.number not in here for m in chosen)} changes are in code of other levels", flush=True)
    chosen = [m for m in chosen if m.number in here]
    sweeps = Sweeps(link(objects, options), options)
    known = sweeps.survey()
    caught, survived = 0, []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for mutant, by in zip(chosen, pool.map(lambda m: try_one(m, sweeps, known), chosen)):
            if by:
                caught += 1
                continue
            survived.append(mutant)
            why = "not reached" if by == "" else "SURVIVED"
            print(f"{why}: {mutant.file}:{mutant.line}: {' '.join(mutant.original.split())}  ->  {' '.join(mutant.mutated.split())}",
                  flush=True)
    total = caught + len(survived)
    print(f"{caught} of {total} changes noticed ({100 * caught / max(total, 1):.1f} %)")


if __name__ == "__main__":
    main()
