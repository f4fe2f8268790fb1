"""Reads PTX text into a Module: variables, kernels and functions, each statement with its line in the file."""

import re
from dataclasses import dataclass, field

# Bytes of a fundamental type.
SIZE = {"b8": 1, "u8": 1, "s8": 1, "b16": 2, "u16": 2, "s16": 2, "f16": 2, "b32": 4, "u32": 4, "s32": 4, "f32": 4,
        "b64": 8, "u64": 8, "s64": 8, "f64": 8, "b128": 16}


class Unsupported(Exception):
    """Something that the translator can't do; the text says what."""


@dataclass
class Statement:
    """kind: 'open', 'close', 'label', 'directive' or 'instruction'."""
    kind: str
    text: str
    line: int


@dataclass
class Parameter:
    name: str
    size: int
    align: int
    offset: int = 0


@dataclass
class Variable:
    space: str
    name: str
    type: str
    count: int  # 0 = as large as the launch says
    align: int
    initial: list  # texts of the elements, empty = zeros
    line: int

    @property
    def size(self):
        return SIZE[self.type] * self.count


@dataclass
class Function:
    name: str
    kernel: bool
    parameters: list
    results: list
    statements: list
    max_threads: int
    line: int


@dataclass
class Module:
    target: int = 0  # compute capability, 75 = 7.5
    variables: dict = field(default_factory=dict)
    functions: dict = field(default_factory=dict)  # with a body
    externals: dict = field(default_factory=dict)  # declared only


def without_comments(text):
    """The same text with comments and debug sections blank; lines keep their numbers."""

    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))

    text = re.sub(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/',
                  lambda m: m.group(0) if m.group(0)[0] == '"' else blank(m), text, flags=re.S)
    text = re.sub(r"^[ \t]*\.(?:loc|file)\b[^\n]*", blank, text, flags=re.M)
    return re.sub(r"^[ \t]*\.section\s+[\w.]+\s*\{.*?\}", blank, text, flags=re.S | re.M)


def split_list(text):
    """Splits at commas that no bracket encloses."""
    parts, part, depth = [], "", 0
    for character in text:
        if character in "{[(":
            depth += 1
        elif character in "}])":
            depth -= 1
        if character == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += character
    if part.strip():
        parts.append(part.strip())
    return parts


VARIABLE = re.compile(
    r"(?:\.(?:visible|extern|weak|common)\s+)*\.(?P<space>global|const|shared|local|param)\s+"
    r"(?:\.align\s+(?P<align>\d+)\s+)?(?:\.attribute\s*\([^)]*\)\s*)?"
    r"\.(?P<type>\w+)\s+(?:\.ptr\s+(?:\.\w+\s+)?(?:\.align\s+\d+\s+)?)?"
    r"(?P<name>[\w$%]+)\s*(?P<dims>(?:\[\d*\])*)\s*(?:=\s*(?P<initial>.*))?$", re.S)


def parse_variable(text, line):
    match = VARIABLE.match(text.strip())
    if not match or match["type"] not in SIZE:
        raise Unsupported(f"variable: {' '.join(text.split())}")
    count = 1
    for dim in re.findall(r"\[(\d*)\]", match["dims"]):
        count *= int(dim or 0)
    initial = []
    if match["initial"]:
        body = match["initial"].strip()
        initial = split_list(re.sub(r"[{}]", " ", body)) if body.startswith("{") else [body]
    align = int(match["align"] or SIZE[match["type"]])
    return Variable(match["space"], match["name"], match["type"], count, align, initial, line)


def parse_parameters(text, line):
    parameters, offset = [], 0
    for part in split_list(text):
        if part.startswith(".reg"):
            raise Unsupported(f"parameter in a register: {part}")
        variable = parse_variable(part, line)
        offset = -(-offset // variable.align) * variable.align
        parameters.append(Parameter(variable.name, variable.size, variable.align, offset))
        offset += variable.size
    return parameters


def parse_body(text, first_line):
    """Statements end with ';' or ':'; a brace at a statement's start is a scope, elsewhere a vector operand."""
    statements, current, line, start = [], "", first_line, first_line
    for character in text:
        empty = not current.strip()
        if empty and not character.isspace():
            start = line
        if character == ";":
            words = current.strip()
            if words:
                statements.append(Statement("directive" if words.startswith(".") else "instruction", words, start))
            current = ""
        elif character in "{}" and empty:
            statements.append(Statement("open" if character == "{" else "close", character, line))
        elif character == ":" and re.fullmatch(r"\s*[\w$%]+", current):
            statements.append(Statement("label", current.strip(), start))
            current = ""
        else:
            current += character
        if character == "\n":
            line += 1
    if current.strip():
        raise Unsupported(f"unfinished statement: {' '.join(current.split())}")
    # A table of branch targets carries its label in the text of the directive that follows.
    merged = []
    for statement in statements:
        if statement.kind == "directive" and statement.text.startswith(".branchtargets"):
            label = merged.pop()
            merged.append(Statement("directive", f"{statement.text} = {label.text}", statement.line))
        else:
            merged.append(statement)
    return merged


def matching(text, at, opening, closing):
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == opening) - (text[i] == closing)
        if depth == 0:
            return i
    raise Unsupported(f"no {closing} for {opening}")


FUNCTION = re.compile(r"(?:\.(?:visible|extern|weak)\s+)*\.(entry|func)\b")


def parse(text):
    text = without_comments(text)
    module = Module()
    at = 0
    while True:
        while at < len(text) and text[at].isspace():
            at += 1
        if at == len(text):
            return module
        line = text.count("\n", 0, at) + 1
        rest = text[at:at + 400]
        if re.match(r"\.(version|target|address_size)\b", rest):
            end = text.find("\n", at)
            target = re.match(r"\.target\s+sm_(\d+)", rest)
            if target:
                module.target = int(target[1])
            if rest.startswith(".address_size") and "64" not in rest.split("\n")[0]:
                raise Unsupported("addresses of 32 bits")
            at = end if end >= 0 else len(text)
        elif FUNCTION.match(rest):
            at = parse_function(text, at, line, module)
        elif rest.startswith("."):
            end = text.index(";", at)
            variable = parse_variable(text[at:end], line)
            module.variables[variable.name] = variable
            at = end + 1
        else:
            raise Unsupported(f"line {line}: {rest.splitlines()[0]}")


def parse_function(text, at, line, module):
    kernel = FUNCTION.match(text[at:at + 200])[1] == "entry"
    at = text.index(".entry" if kernel else ".func", at) + (6 if kernel else 5)
    results, parameters = [], []
    while text[at].isspace():
        at += 1
    if text[at] == "(":
        end = matching(text, at, "(", ")")
        results = parse_parameters(text[at + 1:end], line)
        at = end + 1
    name = re.compile(r"\s*([\w$]+)\s*").match(text, at)
    at = name.end()
    if text[at] == "(":
        end = matching(text, at, "(", ")")
        parameters = parse_parameters(text[at + 1:end], line)
        at = end + 1
    brace, semicolon = text.find("{", at), text.find(";", at)
    if semicolon >= 0 and (brace < 0 or semicolon < brace):
        module.externals[name[1]] = Function(name[1], kernel, parameters, results, [], 0, line)
        return semicolon + 1
    attributes = text[at:brace]
    threads = 1
    limit = re.search(r"\.(?:maxntid|reqntid)\s+(\d+)(?:\s*,\s*(\d+))?(?:\s*,\s*(\d+))?", attributes)
    for factor in limit.groups() if limit else (1024,):
        threads *= int(factor or 1)
    known = re.sub(r"\.(maxntid|reqntid|minnctapersm|maxnreg|noreturn|pragma)\b", "", attributes)
    if re.search(r"\.\w+", re.sub(r'"[^"]*"', "", known)):
        raise Unsupported(f"attribute of {name[1]}: {' '.join(attributes.split())}")
    end = matching(text, brace, "{", "}")
    body = parse_body(text[brace + 1:end], text.count("\n", 0, brace) + 1)
    module.functions[name[1]] = Function(name[1], kernel, parameters, results, body, threads, line)
    return end + 1
