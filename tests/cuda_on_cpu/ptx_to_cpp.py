#!/usr/bin/env python3
"""Translates the PTX that nvcc made into C++ that ptx_machine.h runs on the CPU.

usage: ptx_to_cpp.py IN.ptx OUT_PREFIX PARTS

Writes OUT_PREFIX.0.cpp ... OUT_PREFIX.<PARTS-1>.cpp, of about equal size, so that several cores can compile them. What can't
be translated ends the run with one line for each place: file, line, kernel, instruction.
"""

import os
import re
import sys
import zlib
from dataclasses import astuple

from ptx_instructions import Cost, Translator
from ptx_parser import SIZE, Unsupported, parse, parse_variable, split_list


def identifier(name):
    return re.sub(r"\W", "_", name)


class FunctionTranslation:
    """One kernel or function on its way to C++."""

    def __init__(self, module, function, prefix, first_block):
        self.module, self.function, self.prefix = module, function, prefix
        self.cpp_name = f"{prefix}_{identifier(function.name)}"
        self.first_block = first_block  # of the module's count of basic blocks
        self.waits = False  # for other threads: needs a stack of its own
        self.calls = set()
        self.local_size = 0
        self.shared_size = 0
        self.errors = []
        self.scopes = {0: None}  # scope -> the one around it
        self.registers = {}  # (scope, name or prefix) -> (C++ name, type)
        self.families = {}  # (scope, prefix) -> (count, type)
        self.labels = {}
        self.tables = {}
        self.variables = {}  # (scope, name) -> address expression
        self.local_parameters = {}
        self.parameter_places = {}
        self.costs = []
        self.lines = []
        self.scope = 0
        self.gather()

    # What the instructions ask for.

    def lookup(self, table, name):
        scope = self.scope
        while scope is not None:
            if (scope, name) in table:
                return table[scope, name]
            scope = self.scopes[scope]
        return None

    def register(self, name):
        name = name.strip()
        if not re.fullmatch(r"%?[\w$]+", name):
            return None
        found = self.lookup(self.registers, name)
        if found:
            return found
        match = re.fullmatch(r"(%[A-Za-z_]+)(\d+)", name)
        if not match:
            return None
        scope = self.scope
        while scope is not None:
            family = self.families.get((scope, match[1]))
            if family and int(match[2]) < family[0]:
                type_ = family[1]
                if self.votes.get((scope, name), 0) > 0:
                    type_ = "f" + type_[1:]
                made = (self.cpp_register(name, scope), type_)
                self.registers[scope, name] = made
                return made
            scope = self.scopes[scope]
        return None

    @staticmethod
    def cpp_register(name, scope):
        return f"x{identifier(name.lstrip('%'))}" + (f"_{scope}" if scope else "")

    def label(self, name):
        found = self.lookup(self.labels, name)
        if not found:
            raise Unsupported(f"label {name}")
        return found

    def branch_table(self, name):
        found = self.lookup(self.tables, name)
        if not found:
            raise Unsupported(f"branch table {name}")
        return found

    def address(self, name):
        found = self.lookup(self.variables, name)
        if found:
            return found
        variable = self.module.variables.get(name)
        if variable and variable.space in ("global", "const"):
            return f"{self.prefix}_variables[{list(self.module.variables).index(name)}].address"
        if variable and variable.space == "shared":
            return self.shared_address(variable)
        if self.function.kernel:
            for parameter in self.function.parameters:
                if parameter.name == name:
                    return f"{parameter.offset}"
        return None

    def shared_address(self, variable):
        if variable.count == 0:
            return "t.block->dynamic_shared"
        key = (0, variable.name)
        self.shared_size = -(-self.shared_size // variable.align) * variable.align
        self.variables[key] = f"{self.shared_size}"
        self.shared_size += variable.size
        return self.variables[key]

    def parameter(self, name):
        return self.lookup(self.local_parameters, name) or self.parameter_places.get(name)

    def note_wait(self):
        self.waits = True

    def in_kernel(self):
        return self.function.kernel

    def leave(self):
        if self.local_size and not self.function.kernel:
            return "{ t.local_top = frame; return; }"
        return "return;"

    def call(self, name, results, arguments):
        if name in self.module.functions:
            self.calls.add(name)
            target = f"{self.prefix}_{identifier(name)}"
        elif name in self.module.externals and name == "__assertfail":
            target = "assert_failed"
        else:
            raise Unsupported(f"a call of {name}")
        places = []
        for each in results + arguments:
            place = self.parameter(each)
            if not place:
                raise Unsupported(f"argument {each}")
            places.append(place)
        return f"{target}({', '.join(['t'] + places)});"

    # First pass: scopes, registers, labels, memory.

    def gather(self):
        self.votes = {}
        self.statement_scopes = []
        scope, count = 0, 0
        for statement in self.function.statements:
            if statement.kind == "open":
                count += 1
                self.scopes[count] = scope
                scope = count
            self.statement_scopes.append(scope)
            if statement.kind == "close":
                scope = self.scopes[scope]
            elif statement.kind == "label":
                self.labels[scope, statement.text] = f"L{identifier(statement.text)}" + (f"_{scope}" if scope else "")
            elif statement.kind == "directive":
                try:
                    self.gather_directive(statement, scope)
                except Unsupported as problem:
                    self.errors.append((statement, str(problem)))
        self.gather_parameters()
        self.gather_votes()

    def gather_directive(self, statement, scope):
        text = statement.text
        if text.startswith(".reg"):
            match = re.match(r"\.reg\s+\.(\w+)\s+(.*)$", text, flags=re.S)
            type_ = match[1]
            if type_ != "pred" and (type_ not in SIZE or type_ == "b128"):
                raise Unsupported(f"register of type .{type_}")
            kept = "pred" if type_ == "pred" else type_ if type_ in ("f32", "f64") else f"u{8 * max(2, SIZE[type_])}"
            for name in split_list(match[2]):
                family = re.fullmatch(r"(%[A-Za-z_]+)<(\d+)>", name)
                if family:
                    self.families[scope, family[1]] = (int(family[2]), kept)
                else:
                    self.registers[scope, name] = (self.cpp_register(name, scope), kept)
        elif re.match(r"\.(shared|local|param)\b", text):
            variable = parse_variable(text, statement.line)
            if variable.space == "param":
                self.local_parameters[scope, variable.name] = f"p{identifier(variable.name)}_{scope}"
                self.lines.append(f"alignas(16) unsigned char p{identifier(variable.name)}_{scope}[{max(variable.size, 1)}];")
                return
            if variable.space == "local":
                self.local_size = -(-self.local_size // variable.align) * variable.align
                self.variables[scope, variable.name] = f"(frame + {self.local_size})"
                self.local_size += variable.size
            else:
                self.shared_size = -(-self.shared_size // variable.align) * variable.align
                self.variables[scope, variable.name] = f"{self.shared_size}"
                self.shared_size += variable.size
        elif text.startswith(".branchtargets"):
            targets, name = text[len(".branchtargets"):].rsplit("=", 1)
            self.tables[scope, name.strip()] = split_list(targets)
        elif not text.startswith(".pragma"):
            raise Unsupported("directive")

    def gather_parameters(self):
        function = self.function
        if function.kernel:
            for parameter in function.parameters:
                self.parameter_places[parameter.name] = f"parameters + {parameter.offset}"
        else:
            for parameter in function.results + function.parameters:
                self.parameter_places[parameter.name] = f"a{identifier(parameter.name)}"

    def gather_votes(self):
        """A register of bits that float instructions write is kept as a float: no moving to and fro."""
        for statement, scope in zip(self.function.statements, self.statement_scopes):
            if statement.kind != "instruction":
                continue
            match = re.match(r"(?:@!?[%\w$]+\s+)?([a-z][\w.:]*)\s+(.*)$", statement.text, flags=re.S)
            if not match or match[1].startswith(("setp", "st.", "atom", "call")):
                continue
            parts = match[1].split(".")
            type_ = parts[-2] if parts[0] in ("cvt", "set", "slct") else parts[-1]
            first = split_list(match[2])[0]
            for name in re.findall(r"%[A-Za-z_]+\d+", first):
                at = scope
                while at is not None:
                    family = self.families.get((at, re.match(r"%[A-Za-z_]+", name)[0]))
                    if family:
                        if family[1] in ("u32", "u64"):
                            vote = 1 if type_ == f"f{family[1][1:]}" else -1
                            self.votes[at, name] = self.votes.get((at, name), 0) + vote
                        break
                    at = self.scopes[at]

    # Second pass: the statements.

    def new_block(self):
        self.costs.append(Cost())
        return f"++t.visits[{self.first_block + len(self.costs) - 1}];"

    def translate(self):
        translator = Translator(self)
        body = [self.new_block()]
        current = self.costs[-1]
        for statement, scope in zip(self.function.statements, self.statement_scopes):
            self.scope = scope
            if statement.kind == "label":
                if (scope, statement.text) in self.labels:
                    body.append(f"{self.labels[scope, statement.text]}: {self.new_block()}")
                    current = self.costs[-1]
            if statement.kind != "instruction":
                continue
            text, guard = statement.text, None
            match = re.match(r"@(!?)\s*(%?[\w$]+)\s+(.*)$", text, flags=re.S)
            try:
                if match:
                    text = match[3]
                    guard = f"{match[1]}{translator.value(match[2], 'pred')}"
                line = translator.translate(text)
            except Unsupported as problem:
                self.errors.append((statement, str(problem)))
                continue
            except (IndexError, KeyError, TypeError, ValueError) as problem:
                self.errors.append((statement, f"operands ({problem})"))
                continue
            jumps = re.match(r"(bra|brx|ret|exit)\b", text)
            if guard and jumps:
                current.add(translator.cost)
                body.append(f"if ({guard}) {line} {self.new_block()}")
                current = self.costs[-1]
            elif guard:
                counted = any(astuple(translator.cost)[1:])
                if counted:  # executed or not: a block of its own
                    outer = current
                    body.append(f"if ({guard}) {{ {self.new_block()} {line} }}")
                    self.costs[-1].add(translator.cost)
                    current = outer
                else:
                    current.add(translator.cost)
                    body.append(f"if ({guard}) {{ {line} }}")
            else:
                current.add(translator.cost)
                body.append(line)
        self.body = body

    def signature(self):
        if self.function.kernel:
            return f"void {self.cpp_name}([[maybe_unused]] Thread& t, [[maybe_unused]] const unsigned char* parameters)"
        places = "".join(f", [[maybe_unused]] unsigned char* a{identifier(p.name)}"
                         for p in self.function.results + self.function.parameters)
        return f"void {self.cpp_name}([[maybe_unused]] Thread& t{places})"

    def text(self):
        head = []
        by_type = {}
        for name, type_ in sorted(set(self.registers.values())):
            by_type.setdefault("bool" if type_ == "pred" else type_, []).append(name)
        for type_, names in by_type.items():
            head.append(f"[[maybe_unused]] {type_} {', '.join(name + '{}' for name in names)};")
        if any("carry" in line for line in self.body):
            head.append("[[maybe_unused]] u32 carry = 0;")
        if self.local_size:
            head.append(f"const u32 frame = enter_frame(t, {self.local_size});")
        head += self.lines
        lines = "\n    ".join(head + self.body)
        if self.local_size and not self.function.kernel:
            lines += "\n    t.local_top = frame;"
        return f"{self.signature()} {{\n    {lines}\n}}\n"

    def size(self):
        return sum(map(len, self.body))


def reachable(translations, name, seen=None):
    seen = set() if seen is None else seen
    for callee in translations[name].calls:
        if callee not in seen:
            seen.add(callee)
            reachable(translations, callee, seen)
    return seen


def depth_of_locals(translations, name, stack=()):
    if name in stack:
        raise Unsupported(f"recursion in {name}")
    own = -(-translations[name].local_size // 16) * 16
    return own + max((depth_of_locals(translations, c, stack + (name,)) for c in translations[name].calls), default=0)


def initial_bytes(module, variable):
    """(bytes, [(offset, index of the variable whose address goes there, addend)])"""
    data, fixups = bytearray(), []
    size = SIZE[variable.type]
    for text in variable.initial:
        match = re.fullmatch(r"(?:generic\s*\(\s*)?([A-Za-z_$][\w$]*)\s*\)?\s*(?:\+\s*(\d+))?", text)
        if match and match[1] in module.variables and size == 8:
            fixups.append((len(data), list(module.variables).index(match[1]), int(match[2] or 0)))
            data += bytes(8)
            continue
        match = re.fullmatch(r"0[fFdD]([0-9A-Fa-f]+)", text)
        if match:
            number = int(match[1], 16)
        elif re.fullmatch(r"-?(?:0[xX][0-9a-fA-F]+|\d+)U?", text):
            number = int(text.rstrip("U"), 0)
        else:
            raise Unsupported(f"initial value {text} of {variable.name}")
        data += (number & ((1 << 8 * size) - 1)).to_bytes(size, "little")
    return bytes(data) + bytes(variable.size - len(data)), fixups


def write_if_changed(path, text):
    """Keeps the time of a file that would not change: nothing is compiled again for nothing."""
    if os.path.exists(path):
        with open(path) as file:
            if file.read() == text:
                return
    temporary = f"{path}.tmp"
    with open(temporary, "w") as file:
        file.write(text)
    os.replace(temporary, path)


def module_tables(module, translations, prefix):
    """The tables that the machine reads: variables, costs, kernels."""
    out = []
    for index, variable in enumerate(module.variables.values()):
        if variable.space in ("global", "const"):
            data, fixups = initial_bytes(module, variable)
            if any(data):
                out.append(f"static const unsigned char {prefix}_data{index}[] = {{{','.join(map(str, data))}}};")
            if fixups:
                out.append(f"static const Fixup {prefix}_fixups{index}[] = "
                           f"{{{','.join('{%d, %d, %d}' % f for f in fixups)}}};")
    rows = []
    for index, variable in enumerate(module.variables.values()):
        if variable.space in ("global", "const"):
            data, fixups = initial_bytes(module, variable)
            first = f"{prefix}_data{index}" if any(data) else "nullptr"
            second = f"{prefix}_fixups{index}, {len(fixups)}" if fixups else "nullptr, 0"
            rows.append(f'    {{"{variable.name}", {variable.size}, {variable.align}, {first}, {second}, 0}},')
        else:
            rows.append('    {nullptr, 0, 0, nullptr, nullptr, 0, 0},')
    out.append(f"Variable {prefix}_variables[] = {{\n" + "\n".join(rows or ["    {nullptr, 0, 0, nullptr, nullptr, 0, 0},"]) + "\n};")
    costs = [f"    {{{', '.join(map(str, astuple(cost)))}}}," for t in translations.values() for cost in t.costs]
    out.append(f"static const BlockCost {prefix}_costs[] = {{\n" + "\n".join(costs) + "\n};")
    kernels = []
    for index, (name, t) in enumerate(translations.items()):
        if not t.function.kernel:
            continue
        callees = [translations[callee] for callee in sorted(reachable(translations, name))]
        ranges = ", ".join(f"{{{f.first_block}, {len(f.costs)}}}" for f in [t] + callees)
        parameters = ", ".join(f"{{{p.offset}, {p.size}}}" for p in t.function.parameters)
        size = max((p.offset + p.size for p in t.function.parameters), default=0)
        shared = t.shared_size
        waits = t.waits or any(c.waits for c in callees)
        out.append(f"static const BlockRange {prefix}_ranges{index}[] = {{{ranges}}};")
        if parameters:
            out.append(f"static const ParameterPlace {prefix}_parameters{index}[] = {{{parameters}}};")
        kernels.append(f'    {{"{name}", {t.cpp_name}, {f"{prefix}_parameters{index}" if parameters else "nullptr"}, '
                       f"{len(t.function.parameters)}, {size}, {shared}, {depth_of_locals(translations, name)}, "
                       f"{t.function.max_threads}, {'true' if waits else 'false'}, {prefix}_ranges{index}, {1 + len(callees)}}},")
    out.append(f"static const KernelCode {prefix}_kernels[] = {{\n" + "\n".join(kernels) + "\n};")
    out.append(f"static const ModuleRegistration {prefix}_registration({{{module.target}, {prefix}_variables, "
               f"{len(module.variables)}, {prefix}_costs, {sum(len(t.costs) for t in translations.values())}, "
               f"{prefix}_kernels, {len(kernels)}}});")
    return "\n".join(out)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__.strip())
    source, out, parts = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(source) as file:
        text = file.read()
    prefix = f"m{zlib.crc32(out.encode()):08x}"
    try:
        module = parse(text)
        translations, blocks, errors = {}, 0, []
        for name, function in module.functions.items():
            translation = FunctionTranslation(module, function, prefix, blocks)
            translation.translate()
            blocks += len(translation.costs)
            translations[name] = translation
            errors += [f"{source}:{s.line}: {name}: {why}: {' '.join(s.text.split())}" for s, why in translation.errors]
        if not errors:
            tables = module_tables(module, translations, prefix)
    except Unsupported as problem:
        sys.exit(f"{source}: can't translate: {problem}")
    if errors:
        sys.exit("\n".join(f"can't translate {each}" for each in errors[:20]) +
                 (f"\n... {len(errors) - 20} more" if len(errors) > 20 else ""))

    head = [f"// Made by ptx_to_cpp.py from {os.path.basename(source)}.", '#include "ptx_machine.h"',
            "namespace firn::cuda_on_cpu {", f"extern Variable {prefix}_variables[];"]
    head += [f"{t.signature()};" for t in translations.values()]
    files, sizes = [[] for _ in range(parts)], [0] * parts
    for translation in sorted(translations.values(), key=lambda t: -t.size()):
        smallest = sizes.index(min(sizes))
        files[smallest].append(translation.text())
        sizes[smallest] += translation.size()
    for index, functions in enumerate(files):
        content = "\n".join(head) + "\n\n" + "\n".join(functions) + ("\n" + tables + "\n" if index == 0 else "") + "}\n"
        write_if_changed(f"{out}.{index}.cpp", content)


if __name__ == "__main__":
    main()
