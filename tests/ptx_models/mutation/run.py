#!/usr/bin/env python3
# A mutation run: changes the definitions of PTX operations one by one and counts how many changes the sweeps notice.
#
#   cmake --build build --target bascule_simt ptx_models_sweep
#   tests/ptx_models/mutation/run.py --build build --work /tmp/mutants --sample 480 --seed 1
#
# All chosen changes are compiled into one library, each behind a switch (mutants.py, library.py), so that the library is built once.
# A first run notes which chapter of the sweeps reaches which change; each change is then tried on those chapters alone, with few
# items and then with as many as a test has, until one of them fails. What no chapter reaches counts as survived.
#
# Outcomes go to results.json in the work directory, so a run that was ended goes on where it was: a caught change stays caught as
# long as the definitions are the same, another one is tried again when the sweeps are others. A change in equivalents.toml means
# the same as the original, for the reason given there; it is tried like all, and to be caught is then an error.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import random
import re
import subprocess
import sys
import time
import tomllib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mutants as finder  # noqa: E402
from library import HERE, Builder, definitions  # noqa: E402

CHAPTERS = ["chapter integer", "chapter extended", "chapter bit", "chapter logic", "chapter comparison", "chapter float",
            "chapter half", "chapter convert", "chapter narrow", "chapter approximate", "chapter dot", "chapter move",
            "chapter memory", "chapter atomic", "chapter warp", "chapter matrix", "chapter asynchronous", "trap", "divergence"]
LEAST_OF_A_FILE = 3  # of a sample
ITEMS = (192, 1536)  # of a form: few first, then what the quick tests have


def arguments():
    parser = argparse.ArgumentParser(description="Changes the definitions of PTX operations and counts what the sweeps notice.")
    parser.add_argument("--build", required=True, help="a build directory with bascule_simt and ptx_models_sweep in it")
    parser.add_argument("--work", required=True, help="a directory for the changed sources, what is built of them, and results.json")
    parser.add_argument("--sample", type=int, default=480, help="how many changes, each file by its share, at least 3; 0: all")
    parser.add_argument("--seed", type=int, default=1, help="of the sample and of the sweeps' inputs")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--files", default="", help="regular expression: only changes in these files")
    parser.add_argument("--equivalents", action="store_true", help="only the changes listed in equivalents.toml, all of them")
    parser.add_argument("--level", type=int, default=3, choices=[2, 3, 4], help="x86-64 level")
    parser.add_argument("--compiler", default="g++")
    options = parser.parse_args()
    options.work, options.build = os.path.abspath(options.work), os.path.abspath(options.build)
    return options


def family(file):
    return re.match(r"[a-z]+", file).group()


def all_mutants(texts):
    found = [m for name, text in texts.items() for m in finder.find_mutants(name, text)]
    found.sort(key=lambda m: (m.file, m.begin, m.mutated))
    for number, mutant in enumerate(found, 1):
        mutant.number = number
    return found


def listed_equivalents(found):
    """key -> reason. An entry stands for all changes with its texts in its file, or for the `occurrence` it names."""
    with open(f"{HERE}/equivalents.toml", "rb") as file:
        entries = tomllib.load(file)["equivalent"]
    reasons, lost = {}, []
    for entry in entries:
        here = [m for m in found if m.file == entry["file"] and finder.plain(m.original) == finder.plain(entry["original"]) and
                finder.plain(m.mutated) == finder.plain(entry["mutated"]) and entry.get("occurrence", m.occurrence) == m.occurrence]
        if not here:
            lost.append(f"{entry['file']}: {entry['original']} -> {entry['mutated']}")
        reasons.update((m.key, entry["reason"]) for m in here)
    if lost:
        sys.exit("equivalents.toml lists changes that no longer exist:\n  " + "\n  ".join(lost))
    return reasons


def sample(found, options, equivalents):
    found = [m for m in found if re.search(options.files, m.file)]
    if options.equivalents:
        return [m for m in found if m.key in equivalents]
    if options.sample == 0 or options.sample >= len(found):
        return found
    by_file = collections.defaultdict(list)
    for mutant in found:
        by_file[mutant.file].append(mutant)
    chosen = []
    for file, here in sorted(by_file.items()):
        count = max(LEAST_OF_A_FILE, round(options.sample * len(here) / len(found)))
        chosen += random.Random(f"{options.seed} {file}").sample(here, min(count, len(here)))
    return chosen


class Sweeps:
    def __init__(self, library, options):
        self.program = f"{options.build}/tests/bin/ptx_models_sweep"
        self.environment = dict(os.environ, BASCULE_SIMT_LIBRARY=library, BASCULE_PTX_MODELS_LEVELS=str(options.level),
                                BASCULE_PTX_MODELS_STOP="1", BASCULE_TEST_SEED=str(options.seed))
        self.work = options.work
        self.jobs = options.jobs
        self.version = hashlib.sha256(open(self.program, "rb").read()).hexdigest()

    def passes(self, chapter, number, items, limit, reached=None):
        environment = dict(self.environment, BASCULE_MUTANT=str(number), BASCULE_PTX_MODELS_ITEMS=str(items))
        if reached:
            environment["BASCULE_MUTANTS_REACHED"] = reached
        try:
            result = subprocess.run([self.program, f"--test-case={chapter}*", "--abort-after=1", "--minimal"], env=environment,
                                    timeout=limit, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return False
        return result.returncode == 0

    def survey(self):
        """Per chapter: its time, and the changes that it reaches. Every chapter must pass as long as nothing is changed."""
        known = {}
        for chapter in CHAPTERS:
            path = f"{self.work}/reached.txt"
            start = time.monotonic()
            if not all(self.passes(chapter, -1, items, 900, path) for items in ITEMS):
                sys.exit(f"'{chapter}' fails without any change")
            seconds = time.monotonic() - start
            known[chapter] = (seconds, {int(line) for line in open(path)})
            print(f"'{chapter}': {seconds:.1f} s, reaches {len(known[chapter][1])} changes", flush=True)
        return known


def try_one(mutant, sweeps, known):
    """Which chapter caught it; "survived", or "not reached"."""
    chapters = sorted((seconds, chapter) for chapter, (seconds, reached) in known.items() if mutant.number in reached)
    for items in ITEMS:
        for seconds, chapter in chapters:
            if not sweeps.passes(chapter, mutant.number, items, 30 + 10 * seconds):
                return chapter
    return "survived" if chapters else "not reached"


class Results:
    """Outcomes by key, in a file that is written after each."""

    def __init__(self, texts, sweeps_version, options):
        self.path = f"{options.work}/results.json"
        self.sweeps = sweeps_version
        definitions_version = hashlib.sha256(json.dumps([texts, options.level, options.seed]).encode()).hexdigest()
        self.data = {"definitions": definitions_version, "outcomes": {}}
        if os.path.exists(self.path):
            with open(self.path) as file:
                old = json.load(file)
            if old["definitions"] == definitions_version:
                self.data = old

    def known(self, mutant):
        outcome = self.data["outcomes"].get(mutant.key)
        if outcome is None or outcome["by"] in ("survived", "not reached") and outcome["sweeps"] != self.sweeps:
            return None
        return outcome["by"]

    def add(self, mutant, by):
        self.data["outcomes"][mutant.key] = {"by": by, "sweeps": self.sweeps}
        with open(self.path + ".new", "w") as file:
            json.dump(self.data, file, indent=1)
        os.replace(self.path + ".new", self.path)


def caught(by):
    return by not in ("survived", "not reached")


def try_all(chosen, sweeps, results):
    open_ones = [m for m in chosen if results.known(m) is None]
    print(f"{len(chosen) - len(open_ones)} of {len(chosen)} changes are known from an earlier run", flush=True)
    if not open_ones:
        return
    known = sweeps.survey()
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(sweeps.jobs) as pool:
        for done, (mutant, by) in enumerate(zip(open_ones, pool.map(lambda m: try_one(m, sweeps, known), open_ones)), 1):
            results.add(mutant, by)
            if not caught(by):
                print(f"{by}: line {mutant.line}, {mutant.key}", flush=True)
            if done % 20 == 0:
                left = (time.monotonic() - start) / done * (len(open_ones) - done) / 60
                print(f"  {done} of {len(open_ones)} tried, about {left:.0f} minutes left", flush=True)


def report(chosen, results, equivalents):
    """Prints the score and returns how many listed equivalents were caught."""
    counts = collections.defaultdict(lambda: [0, 0, 0])  # caught, survived, equivalent
    wrong = []
    for mutant in chosen:
        is_caught = caught(results.known(mutant))
        if mutant.key in equivalents:
            counts[family(mutant.file)][2] += 1
            if is_caught:
                wrong.append(f"{mutant.key} (by '{results.known(mutant)}')")
        else:
            counts[family(mutant.file)][0 if is_caught else 1] += 1
    print("| family | changes | equivalent | noticed | survived |\n|---|---|---|---|---|")
    total = [0, 0, 0]
    for name, here in sorted(counts.items()):
        print(f"| {name} | {sum(here)} | {here[2]} | {here[0]} | {here[1]} |")
        total = [a + b for a, b in zip(total, here)]
    print(f"| all | {sum(total)} | {total[2]} | {total[0]} | {total[1]} |")
    print(f"{total[0]} of {total[0] + total[1]} changes noticed ({100 * total[0] / max(total[0] + total[1], 1):.1f} %), not counting "
          f"{total[2]} equivalent ones; {100 * total[0] / max(sum(total), 1):.1f} % of all {sum(total)}")
    if wrong:
        print("equivalents.toml lists changes that are caught:\n  " + "\n  ".join(wrong))
    return len(wrong)


def main():
    options = arguments()
    texts = definitions()
    found = all_mutants(texts)
    equivalents = listed_equivalents(found)
    chosen = sample(found, options, equivalents)
    print(f"{len(chosen)} of {len(found)} changes", flush=True)
    builder = Builder(texts, options)
    chosen = builder.compile(chosen)
    everywhere = len(chosen)
    chosen = builder.of_this_level(chosen)
    print(f"{everywhere - len(chosen)} changes are in code of other levels", flush=True)
    sweeps = Sweeps(builder.link(), options)
    results = Results(texts, sweeps.version, options)
    try_all(chosen, sweeps, results)
    return 1 if report(chosen, results, equivalents) else 0


if __name__ == "__main__":
    sys.exit(main())
