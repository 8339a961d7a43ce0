#!/usr/bin/env python3
# Evidence about kernels for GPUs that are not at hand: makes docs/nvidia-kernels.md from what ptxas and nvdisasm say, and
# docs/amd-kernels.md from the code objects' metadata and llvm-objdump. `make evidence` runs it; the build needs none of this.
# It fails where a tool is missing or too old, on any ptxas warning, on spills, and where a kernel lacks what it was written for.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Kernels are written for sm_80; devices from there on compile the same PTX.
TARGETS = ["sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"]
AMD_TARGETS = ["gfx90a", "gfx942", "gfx1100", "gfx1201"]
WATCHED = ["FFMA", "HMMA", "LDSM", "LDGSTS", "LDG", "STG", "LDS", "STS", "SHFL", "REDUX", "MUFU", "PRMT", "LOP3", "BAR"]
# What must be in the machine code of a function, and the least share of one instruction in its hottest loop.
REQUIRED = json.loads((pathlib.Path(__file__).parent / "required.json").read_text())


class Refused(Exception):
    pass


def run(command, what):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise Refused(f"{what}: {(result.stderr or result.stdout).strip()}")
    return result.stdout + result.stderr


def find_tool(name, given, remedy):
    found = given or shutil.which(name)
    if not found or not shutil.which(found):
        raise Refused(f"{given or name} is not here. {remedy}")
    return found


def check_ptxas(ptxas):
    text = run([ptxas, "--version"], "ptxas --version")
    release = re.search(r"release (\d+)\.(\d+)", text)
    if not release or int(release.group(1)) < 13:
        raise Refused(f"{ptxas} is release {release.group(0)[8:] if release else 'unknown'}; 13.0 or newer is needed: "
                      "CUDA toolkit 13 or pip install nvidia-cuda-nvcc")
    return release.group(0)[8:]


# ---- what ptxas says


def resources(log):
    """Registers, shared memory and barriers by function, from ptxas -v; spills and warnings are refused."""
    found, function = {}, None
    for line in log.splitlines():
        if re.search(r"\bC7\d+\b|warning", line, re.IGNORECASE):
            raise Refused(f"ptxas warns: {line.strip()}")
        if match := re.search(r"Compiling entry function '(\w+)'", line):
            function = match.group(1)
        if match := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line):
            if any(int(number) for number in match.groups()[1:]):
                raise Refused(f"{function} spills registers: {line.strip()}")
        if match := re.search(r"Used (\d+) registers", line):
            shared = re.search(r"(\d+) bytes smem", line)
            barriers = re.search(r"used (\d+) barriers", line)
            found[function] = {"registers": int(match.group(1)), "shared": int(shared.group(1)) if shared else 0,
                               "barriers": int(barriers.group(1)) if barriers else 0}
    return found


def functions_of(listing):
    """Instructions of each function in nvdisasm -c's listing: (opcode with modifiers, branch target or None), and labels' places."""
    functions, name = {}, None
    for line in listing.splitlines():
        if match := re.match(r"\.text\.(\w+):", line):
            name = match.group(1)
            functions[name] = ([], {})
        elif name and (match := re.match(r"\s*(\.L_x_\d+):", line)):
            functions[name][1][match.group(1)] = len(functions[name][0])
        elif name and (match := re.match(r"\s*/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)(.*);", line)):
            target = re.search(r"\(?(\.L_x_\d+)\)?", match.group(2)) if match.group(1).startswith("BRA") else None
            functions[name][0].append((match.group(1), target.group(1) if target else None))
    return functions


def hottest_loop(instructions, labels, opcode):
    """The loop with the largest share of an instruction, as (share, length); a loop is from a label to a branch back to it."""
    best = (0.0, 0)
    for place, (_, target) in enumerate(instructions):
        begin = labels.get(target)
        if begin is None or begin > place:
            continue
        body = [name.split(".")[0] for name, _ in instructions[begin:place + 1]]
        best = max(best, (body.count(opcode) / len(body), len(body)))
    return best


def occupancy(registers, shared, threads):
    """Resident threads per SM of sm_80: 64 K registers in units of 256 per warp, 164 KiB shared of which 1 KiB per block is the system's."""
    warps = threads // 32
    per_warp = -(-registers * 32 // 256) * 256
    blocks = min(32, 64 // warps, 65536 // per_warp // warps, 164 * 1024 // (-(-(shared + 1024) // 128) * 128))
    return blocks * threads


def check_required(name, counts, loop):
    rule = REQUIRED.get(name, {})
    for opcode in rule.get("has", []):
        if counts[opcode] == 0:
            raise Refused(f"{name}: no {opcode} in the machine code")
    if "share" in rule and loop[0] < rule["at_least"]:
        raise Refused(f"{name}: {100 * loop[0]:.1f} % of the main loop are {rule['share']}, less than {100 * rule['at_least']:.0f} %")


def bound_of(source):
    """The paragraph of the header comment that begins with 'Least'."""
    lines = []
    for line in source.read_text().splitlines():
        if not line.startswith("//"):
            break
        text = line[2:].strip()
        if lines and not text:
            break
        if lines or text.startswith("Least") or "least bytes" in text:
            lines.append(text)
    return " ".join(lines)


class Nvidia:
    def __init__(self, options, work):
        self.ptxas = find_tool("ptxas", options.ptxas, "It is part of the CUDA toolkit and of PyPI's nvidia-cuda-nvcc.")
        self.release = check_ptxas(self.ptxas)
        self.nvdisasm = find_tool("nvdisasm", options.nvdisasm, "It is part of the CUDA toolkit and of PyPI's nvidia-cuda-nvdisasm.")
        self.options, self.work = options, work

    def image(self, source):
        # Dynamic shared memory is the plan's: it stands in required.json.
        ptx, cubin = self.work / source.name, self.work / (source.stem + ".cubin")
        run([self.options.expander, "--root", self.options.root, source, "-o", ptx], source)
        table = {}
        written_for = re.search(r"^\.target (\w+)", ptx.read_text(), re.MULTILINE).group(1)
        targets = TARGETS[TARGETS.index(written_for):] if written_for in TARGETS else [written_for]
        for target in reversed(targets):  # the first one last: its code is what is looked at
            table = resources(run([self.ptxas, "-v", "-arch=" + target, ptx, "-o", cubin], f"{source} for {target}"))
        code = functions_of(run([self.nvdisasm, "-c", cubin], source))
        rows = []
        for name, row in table.items():
            instructions, labels = code[name]
            counts = collections.Counter(opcode.split(".")[0] for opcode, _ in instructions)
            rule = REQUIRED.get(name, {})
            row["shared"] += rule.get("dynamic_shared", 0)
            loop = hottest_loop(instructions, labels, rule["share"]) if "share" in rule else (0.0, 0)
            check_required(name, counts, loop)
            if counts["LDS"] + counts["STS"] + counts["LDSM"] > 0 and row["shared"] == 0:
                raise Refused(f"{source}: {name} uses shared memory, and ptxas gives it none")
            threads = int(re.search(r"\.entry " + name + r"\b.*?\.maxntid (\d+)", ptx.read_text(), re.DOTALL).group(1))
            seen = ", ".join(f"{opcode} {counts[opcode]}" for opcode in WATCHED if counts[opcode])
            share = f"; main loop: {loop[1]} instructions, {100 * loop[0]:.1f} % {rule['share']}" if "share" in rule else ""
            rows.append(f"| `{name}` | {row['registers']} | 0 | {row['shared']} | {row['barriers']} | {occupancy(row['registers'], row['shared'], threads)} "
                        f"| {len(instructions)} | {seen}{share} |")
        return rows

    def page(self):
        text = f"""# Kernels in PTX: evidence

Made by `make evidence` with ptxas {self.release} and nvdisasm; not edited by hand. No NVIDIA GPU has run these kernels: nothing here is a
measurement. It says that each source assembles without a warning and without spills for its target and those of
{', '.join(TARGETS)} that follow, what it takes on the first, and that the instructions it was written for are in the machine code. Right answers are `tests/ptx_kernels`' and the self-test's business, on the engine.

Resident: threads per SM of sm_80, of 2,048. Instructions: of the whole function, as they stand in the code, not as they are executed.
"""
        for source in self.options.sources:
            digest = run([self.options.expander, "--hash", source], source).strip()
            text += f"\n## {source.relative_to(self.options.root)}\n\nHash `{digest}`. {bound_of(source)}\n\n"
            text += "| function | registers | spills | shared bytes | barriers | resident | instructions | of these |\n|---|---|---|---|---|---|---|---|\n"
            text += "\n".join(self.image(source)) + "\n"
        return text


# ---- AMD


class Amd:
    def __init__(self, options, work):
        remedy = "Debian 12: apt-get install llvm-22 clang-22 lld-22."
        self.readelf = find_tool("llvm-readelf-22", options.readelf, remedy)
        self.objdump = find_tool("llvm-objdump-22", options.objdump, remedy)
        self.clang = find_tool("clang++-22", options.clang, remedy)
        self.linker = find_tool("ld.lld-22", options.linker, remedy)
        self.options, self.work = options, work

    def compile(self):
        command = [self.options.compiler, "--target", "hip:" + ",".join(AMD_TARGETS), "--compiler", self.clang, "--linker", self.linker]
        for contract in self.options.contracts:
            command += ["--contract", contract]
        for include in ("kernels/include", "core/include"):
            command += ["--include", self.options.root / include]
        run(command + ["--name", "evidence", "--directory", self.work, "--package-only", "--root", self.options.root], "the kernel compiler")

    def kernels(self, image):
        """Metadata of each kernel in a code object."""
        notes = run([self.readelf, "--notes", image], image)
        found = []
        for block in re.split(r"\n\s+- \.a(?:gpr|rgs)", notes)[1:]:
            field = lambda name: int(match.group(1)) if (match := re.search(rf"\.{name}:\s+(\d+)", block)) else 0
            name = re.search(r"\.symbol:\s+'?(\w+)\.kd", block)
            if not name:
                continue
            spills = field("vgpr_spill_count") + field("sgpr_spill_count")
            if spills or field("private_segment_fixed_size"):
                raise Refused(f"{image.name}: {name.group(1)} spills registers or uses scratch memory")
            found.append((name.group(1), field("vgpr_count"), field("sgpr_count"), field("group_segment_fixed_size"), field("wavefront_size")))
        if not found:
            raise Refused(f"{image.name}: no kernel in its metadata")
        return found

    def instructions(self, image):
        counts, name = collections.defaultdict(collections.Counter), None
        for line in run([self.objdump, "-d", image], image).splitlines():
            if match := re.match(r"[0-9a-f]+ <(\w+)>:", line):
                name = match.group(1)
            elif name and (match := re.match(r"\s+([a-z]\w+)", line)):
                counts[name][match.group(1)] += 1
        return counts

    def page(self):
        self.compile()
        text = """# Kernels on AMD: evidence

Made by `make evidence` from the portable sources' code objects; not edited by hand. No AMD GPU has run these kernels: nothing here is a
measurement. Registers, LDS and spills are the metadata's; the last column counts instructions as they stand in the code. The hash is of the
source file.
"""
        for source in self.options.dialect_sources:
            digest = run([self.options.expander, "--hash", source], source).strip()
            text += f"\n## {source.relative_to(self.options.root)}\n\nHash `{digest}`.\n\n"
            text += "| kernel | target | wave | VGPRs | SGPRs | spills | LDS bytes | instructions | of these |\n|---|---|---|---|---|---|---|---|---|\n"
            stem = source.name.split(".")[0]
            for target in AMD_TARGETS:
                image = self.work / f"{stem}.{target}.hsaco"
                code = self.instructions(image)
                for name, vgprs, sgprs, shared, wave in self.kernels(image):
                    counts = code[name]
                    kinds = {"fma": "v_(?:pk_|dual_)?f?m(?:a|ac)_?f", "memory": "(?:global|flat|buffer)_(?:load|store)", "LDS": "ds_(?:load|store|read|write)"}
                    seen = ", ".join(f"{kind} {total}" for kind, pattern in kinds.items()
                                     if (total := sum(n for opcode, n in counts.items() if re.match(pattern, opcode))))
                    text += f"| `{name}` | {target} | {wave} | {vgprs} | {sgprs} | 0 | {shared} | {sum(counts.values())} | {seen} |\n"
        return text


def parse(words):
    parser = argparse.ArgumentParser(description="Evidence about kernels for NVIDIA and AMD.")
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--expander", required=True)
    parser.add_argument("--compiler", help="bascule-kernel-compiler, for AMD")
    parser.add_argument("--only", choices=["nvidia", "amd"])
    parser.add_argument("--print", action="store_true", help="to the standard output instead of docs/")
    for tool in ("ptxas", "nvdisasm", "clang", "linker", "readelf", "objdump"):
        parser.add_argument("--" + tool)
    parser.add_argument("sources", nargs="*", type=pathlib.Path, help="PTX sources; default: all of kernels/")
    options = parser.parse_args(words)
    options.root = options.root.resolve()
    kernels = options.root / "kernels"
    options.sources = [source.resolve() for source in options.sources] or sorted(kernels.glob("*/*_sm*.ptx"))
    options.contracts = sorted(kernels.glob("*/*.json"))
    options.dialect_sources = sorted(kernels.glob("*/*.kernel.cpp"))
    return options


def main():
    options = parse(sys.argv[1:])
    try:
        for name, maker in (("nvidia", Nvidia), ("amd", Amd)):
            if options.only not in (None, name):
                continue
            with tempfile.TemporaryDirectory() as work:
                page = maker(options, pathlib.Path(work)).page()
            if options.print:
                print(page)
            else:
                (options.root / "docs" / f"{name}-kernels.md").write_text(page)
                print(f"docs/{name}-kernels.md written")
    except Refused as refusal:
        print(f"evidence: {refusal}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
