# Finds places in C++ definitions where one small change gives another meaning, and writes sources in which each change can be
# switched on at run time. It knows the project's formatting: binary operators stand between spaces, template brackets do not.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
from collections import Counter
from dataclasses import dataclass

# A token between spaces, and what it becomes.
OPERATORS = {
    "+": ["-"], "-": ["+"], "*": ["+"], "/": ["*"], "%": ["/"],
    "&": ["|"], "|": ["&"], "^": ["|"], "<<": [">>"], ">>": ["<<"],
    "<": ["<=", ">"], "<=": ["<", ">"], ">": [">=", "<"], ">=": [">", "<"],
    "==": ["!="], "!=": ["=="], "&&": ["||"], "||": ["&&"],
}
WORDS = {
    "true": "false", "false": "true", "rn": "rz", "rz": "rn", "rm": "rp", "rp": "rm", "rni": "rzi", "rzi": "rni", "rmi": "rpi",
    "rpi": "rmi", "min": "max", "max": "min", "lo": "hi", "hi": "lo", "clamp": "wrap", "wrap": "clamp", "up": "down", "down": "up",
    "lt": "le", "le": "lt", "gt": "ge", "ge": "gt", "ltu": "leu", "leu": "ltu", "kFlush": "kSaturate", "kSaturate": "kFlush",
    "any": "all", "all": "any", "inc": "dec", "dec": "inc", "kNaN16": "kNaN32", "first": "second", "second": "first",
}
STATEMENT = re.compile(r"(?P<return>\breturn )|(?P<if>\bif \()|(?P<assign> (?:[|&^+\-*]|<<|>>)?= )")
SKIPPED_LINE = re.compile(r"^\s*(#|//|using\b|template\b|static_assert|(?:static |inline )*constexpr\b(?!.*\[\]))|operator|if constexpr")


@dataclass
class Mutant:
    file: str
    begin: int  # of the expression that is replaced
    end: int
    original: str
    mutated: str
    line: int
    occurrence: int = 1  # the n-th with the same texts in its file
    number: int = 0      # of its switch

    @property
    def key(self):
        """Names it as long as its statement stays: file and texts, no line."""
        return f"{self.file}: {plain(self.original)} -> {plain(self.mutated)}" + (f" #{self.occurrence}" if self.occurrence > 1 else "")


def plain(text):
    return " ".join(text.split())


def end_of_expression(text, begin, closing):
    """The position of `closing` (";" or the ")" of an if) that ends what starts at `begin`; None where it is no plain one."""
    depth = 0
    for i in range(begin, min(len(text), begin + 600)):
        c = text[i]
        if c in "([":
            depth += 1
        elif c in ")]":
            if depth == 0:
                return i if closing == ")" else None
            depth -= 1
        elif c in "{}":
            return None  # a lambda or a list: other expressions are inside
        elif c == ";" and depth == 0:
            return i if closing == ";" else None
        elif c == "," and depth == 0:
            return None  # several declarations
        elif c == '"':
            return None
    return None


def variants(expression):
    for match in re.finditer(r" (\+|-|\*|/|%|&&|\|\||&|\||\^|<<|>>|<=|>=|==|!=|<|>) ", expression):
        for other in OPERATORS[match.group(1)]:
            yield expression[:match.start(1)] + other + expression[match.end(1):]
    for match in re.finditer(r"(?<![\w.'])(0x[0-9a-fA-F]+|\d+)(?=u?l?l?\b|[),; \]])", expression):
        value = int(match.group(1), 0)
        other = f"{value ^ 1:#x}" if match.group(1).startswith("0x") else str(value + 1)
        yield expression[:match.start(1)] + other + expression[match.end(1):]
    for match in re.finditer(r"(?<![\w.'])(0\.0f?|1\.0f?)(?!\w)", expression):
        other = match.group(1).replace("0.0", "2.0", 1) if match.group(1).startswith("0.0") else match.group(1).replace("1.0", "3.0", 1)
        yield expression[:match.start(1)] + other + expression[match.end(1):]
    for match in re.finditer(r"(?<![\w:])[~!](?=[\w(])", expression):
        yield expression[:match.start()] + expression[match.end():]
    for match in re.finditer(r"(?<=[(\s])-(?=[\w(])", expression):
        if not re.search(r"[\w)] $", expression[:match.start()]):
            yield expression[:match.start()] + expression[match.end():]
    for match in re.finditer(r"\b\w+\b", expression):
        if match.group() in WORDS:
            yield expression[:match.start()] + WORDS[match.group()] + expression[match.end():]
    for match in re.finditer(r"\((\w+(?:\[\w+\])?), (\w+(?:\[\w+\])?)\)", expression):
        if match.group(1) != match.group(2):
            yield f"{expression[:match.start()]}({match.group(2)}, {match.group(1)}){expression[match.end():]}"
    condition = re.match(r"([^?]+) \? ", expression)
    if condition and condition.group(1).count("(") == condition.group(1).count(")"):
        yield f"!({condition.group(1)}){expression[condition.end(1):]}"


def find_mutants(name, text):
    mutants = []
    offset = 0
    for line_number, line in enumerate(text.splitlines(keepends=True), 1):
        begin_of_line = offset
        offset += len(line)
        if SKIPPED_LINE.search(line) or not line.startswith(" ") and "return" not in line:
            continue
        code = line.split(" //")[0]
        for match in STATEMENT.finditer(code):
            begin = begin_of_line + match.end()
            end = end_of_expression(text, begin, ")" if match.group("if") else ";")
            if end is None:
                continue
            expression = text[begin:end]
            if " = " in expression or "constexpr" in code[:match.start()]:
                continue
            for mutated in dict.fromkeys(variants(expression)):
                mutants.append(Mutant(name, begin, end, expression, mutated, line_number))
    seen = Counter()
    for mutant in mutants:
        texts = plain(mutant.original), plain(mutant.mutated)
        seen[texts] += 1
        mutant.occurrence = seen[texts]
    return mutants


def instrumented(text, mutants):
    """The text with each mutant behind a switch, on a line of its own, so that the compiler's complaints name it."""
    by_place = {}
    for mutant in mutants:
        by_place.setdefault((mutant.begin, mutant.end), []).append(mutant)
    for (begin, end), here in sorted(by_place.items(), reverse=True):
        in_macro = text[begin:].split("\n", 1)[0].endswith("\\")
        expression = f"({plain(text[begin:end])})"
        for mutant in here:
            expression = f"(bsc_mutant_is({mutant.number}) ? ({plain(mutant.mutated)}) :{' ' if in_macro else chr(10)}{expression})"
        text = text[:begin] + expression + text[end:]
    return text


def mutants_of_lines(text):
    """Per line of an instrumented text, the numbers of the mutants in it, or of the statement that it ends."""
    found, last = {}, []
    for line_number, line in enumerate(text.splitlines(), 1):
        numbers = [int(n) for n in re.findall(r"bsc_mutant_is\((\d+)\)", line)]
        found[line_number] = numbers or last
        last = (last + numbers if numbers else last) if not line.rstrip().endswith((";", "{", "}")) else []
    return found
