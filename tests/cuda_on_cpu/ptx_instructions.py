"""One PTX instruction -> one C++ statement over the functions of ptx_machine.h.

Every handler takes the modifiers that it knows away from the instruction; what is left over makes the translation fail.
So does an unknown instruction, type, operand or special register: nothing is guessed.
"""

import re
from dataclasses import dataclass, fields

from ptx_parser import SIZE, Unsupported, split_list

TYPES = set(SIZE) | {"pred", "f16x2", "bf16", "bf16x2", "f32x2", "tf32"}
SPACES = ("global", "shared", "local", "param", "const")
ROUNDINGS = ("rn", "rz", "rm", "rp")
COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
               "lo": "<", "ls": "<=", "hi": ">", "hs": ">="}

SPECIAL = {
    "%laneid": "t.lane()", "%warpid": "(t.index / 32)", "%nwarpid": "((t.block->threads + 31) / 32)",
    "%smid": "0", "%nsmid": "t.block->multiprocessors", "%gridid": "0",
    "%lanemask_eq": "(1u << t.lane())", "%lanemask_lt": "((1u << t.lane()) - 1)",
    "%lanemask_le": "u32((2ull << t.lane()) - 1)", "%lanemask_ge": "~((1u << t.lane()) - 1)",
    "%lanemask_gt": "~u32((2ull << t.lane()) - 1)",
    "%clock": "u32(ticks())", "%clock64": "ticks()", "%globaltimer": "ticks()", "%globaltimer_lo": "u32(ticks())",
    "%total_smem_size": "t.block->shared_size", "%dynamic_smem_size": "t.block->dynamic_shared_size",
}
for axis in "xyz":
    SPECIAL[f"%tid.{axis}"] = f"t.tid.{axis}"
    for register in ("ntid", "ctaid", "nctaid"):
        SPECIAL[f"%{register}.{axis}"] = f"t.block->{register}.{axis}"


@dataclass
class Cost:
    """What one execution costs a GPU. Special: division, roots, reciprocals, exponentials and the like."""
    instructions: int = 0
    flops: int = 0
    special: int = 0
    double_flops: int = 0
    loaded: int = 0  # bytes from global memory
    stored: int = 0
    shared: int = 0  # bytes to and from shared memory
    atomics: int = 0

    def add(self, other):
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))


def plain(type_):
    """The C++ type of a PTX type: bits are unsigned."""
    if type_ not in SIZE or type_ == "b128":
        raise Unsupported(f"type .{type_}")
    return {"b": "u", "u": "u", "s": "s", "f": "f"}[type_[0]] + type_[1:]


def unsigned(type_):
    return f"u{8 * SIZE[type_]}"


def is_float(type_):
    return type_[0] == "f" or type_.startswith("bf") or type_ == "tf32"


def names_of(operand):
    return [each.strip() for each in operand.strip()[1:-1].split(",")]


class Instruction:
    """An instruction taken apart: base, modifiers that nobody has asked for yet, types, operands."""

    def __init__(self, text):
        match = re.match(r"([a-z][\w.:]*)\s*(.*)$", text, flags=re.S)
        if not match:
            raise Unsupported("not an instruction")
        parts = match[1].replace("::", "__").split(".")
        self.base = parts[0]
        self.rest = parts[1:]
        self.operands = split_list(" ".join(match[2].split()))
        self.types = []
        while self.rest and self.rest[-1] in TYPES and len(self.types) < 2:
            self.types.insert(0, self.rest.pop())

    @property
    def type(self):
        if not self.types:
            raise Unsupported("an instruction without a type")
        return self.types[-1]

    def take(self, *names):
        """The first of the modifiers `names` that is there, taken away; None if none is."""
        for name in self.rest:
            if name in names:
                self.rest.remove(name)
                return name
        return None

    def take_matching(self, pattern):
        for name in self.rest:
            if re.fullmatch(pattern, name):
                self.rest.remove(name)
                return name
        return None

    def finish(self, types=1):
        if self.rest:
            raise Unsupported(f"modifier .{self.rest[0]}")
        if types is not None and len(self.types) != types:
            raise Unsupported(f"{len(self.types)} types")


class Translator:
    """Instructions of one function. `names` resolves registers, labels and variables (see ptx_to_cpp.py)."""

    def __init__(self, names):
        self.names = names
        self.cost = Cost()

    # Operands.

    def value(self, operand, type_):
        """A C++ expression of type plain(type_), or bool for pred."""
        operand = operand.strip()
        if type_ == "pred":
            if operand.startswith("!"):
                return f"!{self.value(operand[1:], 'pred')}"
            if self.names.register(operand):
                name, kept = self.names.register(operand)
                if kept != "pred":
                    raise Unsupported(f"{operand} is not a predicate")
                return name
            if re.fullmatch(r"-?\d+", operand):
                return "true" if int(operand) else "false"
            raise Unsupported(f"predicate {operand}")
        wanted = plain(type_)
        if operand in SPECIAL:
            return f"{wanted}({SPECIAL[operand]})"
        if operand.startswith("-") and self.names.register(operand[1:]):
            raise Unsupported(f"operand {operand}")
        register = self.names.register(operand)
        if register:
            return self.converted(*register, wanted)
        number = self.number(operand, wanted)
        if number:
            return number
        address = self.names.address(operand)
        if address:
            return f"{wanted}({address})"
        raise Unsupported(f"operand {operand}")

    @staticmethod
    def converted(name, kept, wanted):
        """A register's bits, read as another type."""
        if kept == wanted:
            return name
        if kept == "pred":
            raise Unsupported(f"predicate {name} as a number")
        if kept[0] == "f":
            bits = f"bits({name})"
            return bits if wanted == f"u{kept[1:]}" else f"{wanted}({bits})"
        if wanted[0] == "f":
            if wanted == "f16":
                return f"u16({name})"
            return f"as_{wanted}(u{wanted[1:]}({name}))"
        return f"{wanted}({name})"

    @staticmethod
    def number(operand, wanted):
        if operand == "WARP_SZ":
            return f"{wanted}(32)"
        match = re.fullmatch(r"0[fF]([0-9A-Fa-f]{8})", operand)
        if match:
            return f"as_f32(0x{match[1]}u)" if wanted == "f32" else f"{wanted}(0x{match[1]}u)"
        match = re.fullmatch(r"0[dD]([0-9A-Fa-f]{16})", operand)
        if match:
            return f"as_f64(0x{match[1]}ull)" if wanted == "f64" else f"{wanted}(0x{match[1]}ull)"
        if re.fullmatch(r"-?(?:0[xX][0-9a-fA-F]+|\d+)U?", operand):
            number = int(operand.rstrip("U"), 0) if not re.fullmatch(r"-?0\d+U?", operand) else int(operand.rstrip("U"), 8)
            if wanted[0] == "f":
                raise Unsupported(f"integer {operand} as {wanted}")
            return f"{wanted}({number & 0xffffffffffffffff}ull)"
        return None

    def assign(self, target, expression, type_):
        """Puts a C++ value of plain(type_) into a register; wider registers are extended by the type's sign."""
        target = target.strip()
        if target == "_":
            return f"(void)({expression});"
        register = self.names.register(target)
        if not register:
            raise Unsupported(f"target {target}")
        name, kept = register
        if type_ == "pred":
            if kept != "pred":
                raise Unsupported(f"{target} is not a predicate")
            return f"{name} = {expression};"
        given = plain(type_)
        if kept == given:
            return f"{name} = {expression};"
        if kept == "pred":
            raise Unsupported(f"a number into the predicate {target}")
        if given == "f16":
            return f"{name} = {expression};"
        if given[0] == "f":
            return f"{name} = bits({expression});" if kept == f"u{given[1:]}" else f"{name} = {kept}(bits({expression}));"
        if kept[0] == "f":
            return f"{name} = as_{kept}({unsigned('b' + kept[1:])}({expression}));"
        if given[0] == "s":
            return f"{name} = {kept}(s{kept[1:]}({given}({expression})));"
        return f"{name} = {kept}({given}({expression}));"

    def address(self, operand):
        """[base + offset] -> (base, offset)"""
        match = re.fullmatch(r"\[\s*([%\w$.]+)\s*(?:\+\s*(-?(?:0x[0-9a-fA-F]+|\d+)))?\s*\]", operand.strip())
        if not match:
            raise Unsupported(f"address {operand}")
        return match[1], int(match[2] or "0", 0)

    def place(self, space, operand, size, access):
        """A pointer expression to `size` checked bytes."""
        base, offset = self.address(operand)
        if space == "param":
            where = self.names.parameter(base)
            if where:
                return f"({where} + {offset})" if offset else f"({where})"
            return f"in_parameters(t, u64({self.value(base, 'u64')} + s64({offset})), {size})"
        if space == "shared":
            return f"in_shared(t, u32({self.value(base, 'u32')} + {offset & 0xffffffff}u), {size})"
        if space == "local":
            return f"in_local(t, u32({self.value(base, 'u32')} + {offset & 0xffffffff}u), {size})"
        function = "in_generic" if space is None else "in_global"
        return f"{function}(t, u64({self.value(base, 'u64')} + u64(s64({offset}))), {size}, Access::{access})"

    # Instructions.

    def translate(self, text):
        instruction = Instruction(text)
        handler = getattr(self, f"do_{instruction.base}", None)
        if not handler:
            raise Unsupported("instruction")
        self.cost = Cost(instructions=1)
        return handler(instruction)

    def rounding(self, i):
        return i.take(*ROUNDINGS) or "rn"

    def float_result(self, i, expression, type_, flush, saturate):
        if flush:
            expression = f"flush({expression})"
        if saturate:
            expression = f"saturate({expression})"
        return self.assign(i.operands[0], expression, type_)

    def float_inputs(self, i, count, type_, flush):
        values = [self.value(i.operands[1 + k], type_) for k in range(count)]
        return [f"flush({v})" for v in values] if flush else values

    def count_flops(self, type_, flops):
        if type_ == "f64":
            self.cost.double_flops += flops
        else:
            self.cost.flops += flops

    def only_float(self, type_):
        if type_ not in ("f32", "f64"):
            raise Unsupported(f"type .{type_}")

    def float_arithmetic(self, i, count, name, operator, flops):
        type_ = i.type
        self.only_float(type_)
        rounding, flush, sat = self.rounding(i), i.take("ftz"), i.take("sat")
        i.finish()
        values = self.float_inputs(i, count, type_, flush)
        self.count_flops(type_, flops)
        if rounding != "rn":
            expression = f"rounded_{name}({', '.join(values)}, Rounding::{rounding})"
        elif operator:
            expression = f" {operator} ".join(values)
            expression = f"({expression})"
        else:
            expression = f"{name}({', '.join(values)})"
        return self.float_result(i, expression, type_, flush, sat)

    def do_add(self, i):
        return self.add_or_sub(i, "add", "+")

    def do_sub(self, i):
        return self.add_or_sub(i, "sub", "-")

    def do_addc(self, i):
        return self.add_or_sub(i, "add", "+", carries=True)

    def do_subc(self, i):
        return self.add_or_sub(i, "sub", "-", carries=True)

    def add_or_sub(self, i, name, operator, carries=False):
        if is_float(i.type) and not carries:
            return self.float_arithmetic(i, 2, name, operator, 1)
        type_, sets, sat = i.type, i.take("cc"), i.take("sat")
        i.finish()
        a, b = (self.value(o, unsigned(type_)) for o in i.operands[1:3])
        if carries or sets:
            expression = f"{name}_with_carry<{unsigned(type_)}>({a}, {b}, {'carry' if carries else '0u'}, {'&carry' if sets else 'nullptr'})"
            return self.assign(i.operands[0], expression, unsigned(type_))
        if sat:
            if type_ != "s32":
                raise Unsupported("modifier .sat")
            return self.assign(i.operands[0], f"{name}_saturating(s32({a}), s32({b}))", "s32")
        return self.assign(i.operands[0], f"{unsigned(type_)}({a} {operator} {b})", type_)

    def do_mul(self, i):
        if is_float(i.type):
            return self.float_arithmetic(i, 2, "mul", "*", 1)
        return self.multiply(i, None)

    def do_mad(self, i):
        if is_float(i.type):
            return self.float_arithmetic(i, 3, "fma", None, 2)
        return self.multiply(i, i.operands[3])

    def do_madc(self, i):
        return self.multiply(i, i.operands[3], carries=True)

    def do_fma(self, i):
        return self.float_arithmetic(i, 3, "fma", None, 2)

    def multiply(self, i, addend, carries=False):
        part, sets, type_ = i.take("lo", "hi", "wide"), i.take("cc"), i.type
        i.finish()
        a, b = i.operands[1], i.operands[2]
        if part == "wide":
            result = f"{type_[0]}{16 * SIZE[type_]}"
            if SIZE[type_] > 4:
                raise Unsupported(f"wide of .{type_}")
            wide = plain(result)
            expression = f"{wide}({wide}({self.value(a, type_)}) * {wide}({self.value(b, type_)}))"
        elif part == "hi":
            result = type_
            expression = f"mul_hi<{plain(type_)}>({self.value(a, type_)}, {self.value(b, type_)})"
        elif part == "lo":
            result = type_
            expression = f"{unsigned(type_)}(u64({self.value(a, unsigned(type_))}) * u64({self.value(b, unsigned(type_))}))"
        else:
            raise Unsupported("a product without .lo, .hi or .wide")
        if addend is None:
            return self.assign(i.operands[0], expression, result)
        bits = unsigned(result)
        if carries or sets:
            return self.assign(i.operands[0],
                               f"add_with_carry<{bits}>({bits}({expression}), {self.value(addend, bits)}, "
                               f"{'carry' if carries else '0u'}, {'&carry' if sets else 'nullptr'})", bits)
        return self.assign(i.operands[0], f"{bits}({bits}({expression}) + {self.value(addend, bits)})", result)

    def do_sad(self, i):
        i.finish()
        a, b, c = (self.value(o, i.type) for o in i.operands[1:])
        return self.assign(i.operands[0], f"{unsigned(i.type)}(({a} < {b} ? {unsigned(i.type)}({b}) - {unsigned(i.type)}({a}) : {unsigned(i.type)}({a}) - {unsigned(i.type)}({b})) + {unsigned(i.type)}({c}))", i.type)

    def do_div(self, i):
        type_ = i.type
        if not is_float(type_):
            i.finish()
            return self.assign(i.operands[0], f"divide<{plain(type_)}>({self.value(i.operands[1], type_)}, {self.value(i.operands[2], type_)})", type_)
        self.only_float(type_)
        i.take("approx", "full")
        rounding, flush = self.rounding(i), i.take("ftz")
        i.finish()
        a, b = self.float_inputs(i, 2, type_, flush)
        self.special(type_)
        expression = f"({a} / {b})" if rounding == "rn" else f"rounded_div({a}, {b}, Rounding::{rounding})"
        return self.float_result(i, expression, type_, flush, False)

    def special(self, type_):
        if type_ == "f64":
            self.cost.double_flops += 1
        else:
            self.cost.special += 1

    def do_rem(self, i):
        i.finish()
        if is_float(i.type):
            raise Unsupported(f"type .{i.type}")
        return self.assign(i.operands[0], f"remainder<{plain(i.type)}>({self.value(i.operands[1], i.type)}, {self.value(i.operands[2], i.type)})", i.type)

    def one_float(self, i, name, approximate_only=False, rounds=True):
        type_ = i.type
        self.only_float(type_)
        approximate = i.take("approx")
        if approximate_only and not approximate:
            raise Unsupported("an exact version")
        rounding, flush = (self.rounding(i) if rounds else "rn"), i.take("ftz")
        i.finish()
        (a,) = self.float_inputs(i, 1, type_, flush)
        self.special(type_)
        if rounding != "rn":
            expression = f"rounded_{name}({a}, Rounding::{rounding})"
        else:
            expression = f"{name}({a})"
        return self.float_result(i, expression, type_, flush, False)

    def do_sqrt(self, i):
        return self.one_float(i, "square_root")

    def do_rcp(self, i):
        return self.one_float(i, "reciprocal")

    def do_rsqrt(self, i):
        return self.one_float(i, "reciprocal_root", approximate_only=True, rounds=False)

    def do_ex2(self, i):
        return self.one_float(i, "exp2_of", approximate_only=True, rounds=False)

    def do_lg2(self, i):
        return self.one_float(i, "log2_of", approximate_only=True, rounds=False)

    def do_sin(self, i):
        return self.one_float(i, "sin_of", approximate_only=True, rounds=False)

    def do_cos(self, i):
        return self.one_float(i, "cos_of", approximate_only=True, rounds=False)

    def do_tanh(self, i):
        return self.one_float(i, "tanh_of", approximate_only=True, rounds=False)

    def do_neg(self, i):
        return self.sign(i, "negated", lambda bits, a: f"{bits}(0 - {a})")

    def do_abs(self, i):
        return self.sign(i, "absolute", lambda bits, a: f"(s{bits[1:]}({a}) < 0 ? {bits}(0 - {a}) : {a})")

    def sign(self, i, name, integer):
        type_ = i.type
        if is_float(type_):
            self.only_float(type_)
            flush = i.take("ftz")
            i.finish()
            (a,) = self.float_inputs(i, 1, type_, flush)
            return self.assign(i.operands[0], f"{name}({a})", type_)
        i.finish()
        bits = unsigned(type_)
        return self.assign(i.operands[0], integer(bits, self.value(i.operands[1], bits)), type_)

    def do_min(self, i):
        return self.extreme(i, "min", "<")

    def do_max(self, i):
        return self.extreme(i, "max", ">")

    def extreme(self, i, name, operator):
        type_ = i.type
        if is_float(type_):
            self.only_float(type_)
            flush, propagates = i.take("ftz"), i.take("NaN")
            i.finish()
            if len(i.operands) != 3:
                raise Unsupported("three inputs")
            values = self.float_inputs(i, 2, type_, flush)
            self.count_flops(type_, 1)
            return self.assign(i.operands[0], f"{name}{'_nan' if propagates else ''}({', '.join(values)})", type_)
        i.finish()
        a, b = (self.value(o, type_) for o in i.operands[1:3])
        return self.assign(i.operands[0], f"({a} {operator} {b} ? {a} : {b})", type_)

    def do_copysign(self, i):
        i.finish()
        self.only_float(i.type)
        sign, size = (self.value(o, i.type) for o in i.operands[1:3])
        return self.assign(i.operands[0], f"copy_sign({sign}, {size})", i.type)

    def do_testp(self, i):
        test = i.take("finite", "infinite", "number", "notanumber", "normal", "subnormal")
        if not test:
            raise Unsupported("test")
        i.finish()
        self.only_float(i.type)
        return self.assign(i.operands[0], f"is_{test}({self.value(i.operands[1], i.type)})", "pred")

    # Bits.

    def do_and(self, i):
        return self.bitwise(i, "&")

    def do_or(self, i):
        return self.bitwise(i, "|")

    def do_xor(self, i):
        return self.bitwise(i, "^")

    def bitwise(self, i, operator):
        i.finish()
        a, b = (self.value(o, i.type) for o in i.operands[1:3])
        if i.type == "pred":
            return self.assign(i.operands[0], f"bool({a} {operator} {b})", "pred")
        return self.assign(i.operands[0], f"{plain(i.type)}({a} {operator} {b})", i.type)

    def do_not(self, i):
        i.finish()
        a = self.value(i.operands[1], i.type)
        return self.assign(i.operands[0], f"!{a}" if i.type == "pred" else f"{plain(i.type)}(~{a})", i.type)

    def do_cnot(self, i):
        i.finish()
        return self.assign(i.operands[0], f"{plain(i.type)}({self.value(i.operands[1], i.type)} == 0)", i.type)

    def do_shl(self, i):
        i.finish()
        bits = unsigned(i.type)
        return self.assign(i.operands[0], f"shift_left<{bits}>({self.value(i.operands[1], bits)}, {self.value(i.operands[2], 'u32')})", bits)

    def do_shr(self, i):
        i.finish()
        type_ = plain(i.type)
        return self.assign(i.operands[0], f"shift_right<{type_}>({self.value(i.operands[1], i.type)}, {self.value(i.operands[2], 'u32')})", i.type)

    def words(self, i, first=1):
        return ", ".join(self.value(o, "u32") for o in i.operands[first:])

    def do_shf(self, i):
        way, mode = i.take("l", "r"), i.take("wrap", "clamp")
        i.finish()
        if not way or not mode or i.type != "b32":
            raise Unsupported("funnel shift")
        return self.assign(i.operands[0], f"funnel_{'left' if way == 'l' else 'right'}_{mode}({self.words(i)})", "b32")

    def do_lop3(self, i):
        i.finish()
        if "|" in i.operands[0]:
            raise Unsupported("predicate output")
        return self.assign(i.operands[0], f"lop3<{int(i.operands[4], 0)}>({', '.join(self.value(o, 'u32') for o in i.operands[1:4])})", "b32")

    def do_prmt(self, i):
        mode = i.take("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")
        i.take("b32")  # the mode stands behind the type
        i.finish(None)
        return self.assign(i.operands[0], f"permute{'_' + mode if mode else ''}({self.words(i)})", "b32")

    def do_bfe(self, i):
        i.finish()
        return self.assign(i.operands[0], f"extract_bits<{plain(i.type)}>({self.value(i.operands[1], i.type)}, {self.value(i.operands[2], 'u32')}, {self.value(i.operands[3], 'u32')})", i.type)

    def do_bfi(self, i):
        i.finish()
        a, b = (self.value(o, i.type) for o in i.operands[1:3])
        return self.assign(i.operands[0], f"insert_bits<{plain(i.type)}>({a}, {b}, {self.value(i.operands[3], 'u32')}, {self.value(i.operands[4], 'u32')})", i.type)

    def do_bfind(self, i):
        shift = i.take("shiftamt")
        i.finish()
        return self.assign(i.operands[0], f"find_bit<{plain(i.type)}>({self.value(i.operands[1], i.type)}, {'true' if shift else 'false'})", "u32")

    def do_bmsk(self, i):
        mode = i.take("clamp", "wrap")
        i.finish()
        return self.assign(i.operands[0], f"bit_mask_{mode}({self.words(i)})", "b32")

    def do_szext(self, i):
        mode = i.take("clamp", "wrap")
        i.finish()
        return self.assign(i.operands[0], f"extend_{mode}<{plain(i.type)}>({self.value(i.operands[1], i.type)}, {self.value(i.operands[2], 'u32')})", i.type)

    def do_popc(self, i):
        i.finish()
        return self.assign(i.operands[0], f"u32(__builtin_popcountll({self.value(i.operands[1], unsigned(i.type))}))", "u32")

    def do_clz(self, i):
        i.finish()
        return self.assign(i.operands[0], f"leading_zeros<{unsigned(i.type)}>({self.value(i.operands[1], unsigned(i.type))})", "u32")

    def do_brev(self, i):
        i.finish()
        return self.assign(i.operands[0], f"reversed<{unsigned(i.type)}>({self.value(i.operands[1], unsigned(i.type))})", i.type)

    def do_dp4a(self, i):
        if len(i.types) != 2:
            raise Unsupported("types")
        i.finish(2)
        a, b = ("true" if t == "s32" else "false" for t in i.types)
        return self.assign(i.operands[0], f"dot4<{a}, {b}>({self.words(i)})", "b32")

    # Comparison and selection.

    def comparison(self, i, compare, type_, a, b, flush):
        if is_float(type_):
            self.only_float(type_)
            self.count_flops(type_, 1)
            a, b = self.value(a, type_), self.value(b, type_)
            if flush:
                a, b = f"flush({a})", f"flush({b})"
            if compare == "num":
                return f"both_numbers({a}, {b})"
            if compare == "nan":
                return f"!both_numbers({a}, {b})"
            if compare in ("equ", "neu", "ltu", "leu", "gtu", "geu"):
                opposite = {"equ": "less_or_greater", "neu": "==", "ltu": ">=", "leu": ">", "gtu": "<=", "geu": "<"}[compare]
                if compare == "equ":
                    return f"!less_or_greater({a}, {b})"
                return f"!({a} {opposite} {b})"
            if compare == "ne":
                return f"less_or_greater({a}, {b})"
            if compare not in ("eq", "lt", "le", "gt", "ge"):
                raise Unsupported(f"comparison .{compare}")
            return f"({a} {COMPARISONS[compare]} {b})"
        if compare not in COMPARISONS:
            raise Unsupported(f"comparison .{compare}")
        if compare in ("lo", "ls", "hi", "hs"):
            type_ = unsigned(type_)
        return f"({self.value(a, type_)} {COMPARISONS[compare]} {self.value(b, type_)})"

    def compared(self, i, type_, a, b):
        compare = i.take(*COMPARISONS, "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")
        joins, flush = i.take("and", "or", "xor"), i.take("ftz")
        expression = self.comparison(i, compare, type_, a, b, flush)
        return expression, joins

    def do_setp(self, i):
        expression, joins = self.compared(i, i.type, i.operands[1], i.operands[2])
        i.finish()
        operator = {"and": "&", "or": "|", "xor": "^", None: None}[joins]
        targets = [each.strip() for each in i.operands[0].split("|")]
        third = self.value(i.operands[3], "pred") if operator else None

        def joined(value):
            return f"bool({value} {operator} {third})" if operator else value

        if len(targets) == 1:
            return self.assign(targets[0], joined(expression), "pred")
        return (f"{{ const bool c = {expression}; const bool yes = {joined('c')}, no = {joined('!c')}; "
                f"{self.assign(targets[0], 'yes', 'pred')} {self.assign(targets[1], 'no', 'pred')} }}")

    def do_set(self, i):
        if len(i.types) != 2:
            raise Unsupported("types")
        expression, joins = self.compared(i, i.types[1], i.operands[1], i.operands[2])
        i.finish(2)
        if joins:
            operator = {"and": "&", "or": "|", "xor": "^"}[joins]
            expression = f"bool({expression} {operator} {self.value(i.operands[3], 'pred')})"
        if i.types[0] == "f32":
            return self.assign(i.operands[0], f"({expression} ? 1.0f : 0.0f)", "f32")
        return self.assign(i.operands[0], f"({expression} ? 0xffffffffu : 0u)", "u32")

    def do_selp(self, i):
        i.finish()
        a, b = (self.value(o, i.type) for o in i.operands[1:3])
        return self.assign(i.operands[0], f"({self.value(i.operands[3], 'pred')} ? {a} : {b})", i.type)

    def do_slct(self, i):
        if len(i.types) != 2:
            raise Unsupported("types")
        flush = i.take("ftz")
        i.finish(2)
        a, b = (self.value(o, i.types[0]) for o in i.operands[1:3])
        c = self.value(i.operands[3], i.types[1])
        c = f"flush({c})" if flush else c
        return self.assign(i.operands[0], f"({c} >= 0 ? {a} : {b})", i.types[0])

    # Moves and conversions.

    def do_mov(self, i):
        i.finish()
        type_ = i.type
        if type_ == "pred":
            return self.assign(i.operands[0], self.value(i.operands[1], "pred"), "pred")
        if i.operands[0].startswith("{"):
            parts = names_of(i.operands[0])
            if type_ == "b128":
                raise Unsupported("type .b128")
            width = 8 * SIZE[type_] // len(parts)
            pieces = " ".join(self.assign(each, f"u{width}(whole >> {width * k})", f"b{width}") for k, each in enumerate(parts))
            return f"{{ const {unsigned(type_)} whole = {self.value(i.operands[1], unsigned(type_))}; {pieces} }}"
        if i.operands[1].startswith("{"):
            parts = names_of(i.operands[1])
            if type_ == "b128":
                raise Unsupported("type .b128")
            bits, width = unsigned(type_), 8 * SIZE[type_] // len(parts)
            pieces = " | ".join(f"{bits}({bits}({self.value(each, f'u{width}')}) << {width * k})" for k, each in enumerate(parts))
            return self.assign(i.operands[0], f"{bits}({pieces})", bits)
        register = self.names.register(i.operands[1])
        if register and register[1][0] == "f" and register[1][1:] == type_[1:]:
            type_ = register[1]  # bits move as they are
        return self.assign(i.operands[0], self.value(i.operands[1], type_), type_)

    def do_cvta(self, i):
        to, space = i.take("to"), i.take(*SPACES)
        i.finish()
        value = self.value(i.operands[1], "u64")
        if space in ("shared", "local", "param"):
            value = f"{value} {'-' if to else '+'} {space}_window"
        elif space not in ("global", "const"):
            raise Unsupported("space")
        return self.assign(i.operands[0], f"u64({value})", "u64")

    def do_isspacep(self, i):
        space = i.take(*SPACES)
        i.finish(None)
        if space not in ("shared", "local", "global", "const", "param"):
            raise Unsupported("space")
        if space == "const":
            return self.assign(i.operands[0], "false", "pred")
        return self.assign(i.operands[0], f"is_{space}({self.value(i.operands[1], 'u64')})", "pred")

    def do_cvt(self, i):
        if len(i.types) != 2:
            raise Unsupported("types")
        to, source = i.types
        integer = i.take("rni", "rzi", "rmi", "rpi")
        rounding = i.take(*ROUNDINGS)
        flush, sat = i.take("ftz"), i.take("sat")
        i.finish(2)
        for each in (to, source):
            if each not in SIZE:
                raise Unsupported(f"type .{each}")
        value = self.value(i.operands[1], source)
        if is_float(source) and source != "f16" and flush and source == "f32":
            value = f"flush({value})"
        if is_float(source) and is_float(to):
            return self.convert_float(i, to, source, value, integer, rounding, flush, sat)
        if is_float(source):
            if not integer:
                raise Unsupported("a conversion to an integer without rounding")
            if source == "f16":
                value = f"half_to_float({value})"
            return self.assign(i.operands[0], f"to_integer<{plain(to)}>({value}, Rounding::{integer[:2]})", to)
        if is_float(to):
            if to == "f16":
                raise Unsupported("an integer to .f16")
            expression = f"{plain(to)}({value})" if (rounding or "rn") == "rn" else f"rounded_from<{plain(to)}>({value}, Rounding::{rounding})"
            return self.assign(i.operands[0], f"saturate({expression})" if sat else expression, to)
        if sat:
            return self.assign(i.operands[0], f"clamp_to<{plain(to)}>({value})", to)
        return self.assign(i.operands[0], f"{plain(to)}({value})", to)

    def convert_float(self, i, to, source, value, integer, rounding, flush, sat):
        if source == "f16":
            if to == "f16":
                raise Unsupported(".f16 to .f16")
            value = f"half_to_float({value})"
        if to == "f16":
            if source != "f32" or (rounding or "rn") != "rn":
                raise Unsupported("rounding to .f16")
            return self.assign(i.operands[0], f"float_to_half({value})", "f16")
        if integer:
            value = f"to_whole({value}, Rounding::{integer[:2]})"
        if to == "f32" and source == "f64" and (rounding or "rn") != "rn":
            value = f"rounded_from<f32>({value}, Rounding::{rounding})"
        else:
            value = f"{to}({value})"
        if flush and to == "f32":
            value = f"flush({value})"
        return self.assign(i.operands[0], f"saturate({value})" if sat else value, to)

    # Memory.

    def memory_modifiers(self, i):
        """(space or None for generic, strong, vector length)"""
        strong = i.take("volatile", "relaxed", "acquire", "release")
        weak = i.take("weak", "mmio")
        if weak == "mmio":
            raise Unsupported("modifier .mmio")
        i.take("cta", "cluster", "gpu", "sys")
        space = i.take(*SPACES)
        if not space:
            for prefix in ("param", "shared"):
                if i.take(f"{prefix}__cta", f"{prefix}__entry", f"{prefix}__func"):
                    space = prefix
        i.take("ca", "cg", "cs", "lu", "cv", "wb", "wt")
        i.take("nc")
        i.take_matching(r"L1__(evict_\w+|no_allocate)")
        i.take_matching(r"L2__(evict_\w+)")
        i.take_matching(r"L2__(64B|128B|256B)")
        vector = i.take("v2", "v4", "v8")
        return space, strong, int(vector[1]) if vector else 1

    def count_access(self, space, size, access):
        if space in (None, "global", "const"):
            if access == "load":
                self.cost.loaded += size
            else:
                self.cost.stored += size
        elif space == "shared":
            self.cost.shared += size

    def do_ld(self, i):
        space, strong, length = self.memory_modifiers(i)
        i.finish()
        type_ = i.type
        size = SIZE[type_] * length
        if type_ == "b128":
            raise Unsupported("type .b128")
        self.count_access(space, size, "load")
        targets = names_of(i.operands[0]) if length > 1 else [i.operands[0]]
        place = self.place(space, i.operands[1], size, "load")
        kept = plain(type_)
        spin = ""
        if strong and space != "local" and space != "param":
            self.names.note_wait()
            spin = "t.spin(); "
            if size not in (1, 2, 4, 8, 16):
                raise Unsupported("a strong load of this size")
            head = f"const auto strong = load_strong<{size}>({place}); const unsigned char* from = strong.bytes; "
        else:
            head = f"const unsigned char* from = {place}; "
        if length == 1:
            return f"{{ {spin}{head}{self.assign(targets[0], f'get<{kept}>(from)', type_)} }}"
        reads = " ".join(f"const {kept} e{k} = get<{kept}>(from + {k * SIZE[type_]});" for k in range(length))
        writes = " ".join(self.assign(target, f"e{k}", type_) for k, target in enumerate(targets))
        return f"{{ {spin}{head}{reads} {writes} }}"

    def do_ldu(self, i):
        return self.do_ld(i)

    def do_st(self, i):
        space, strong, length = self.memory_modifiers(i)
        i.finish()
        type_ = i.type
        size = SIZE[type_] * length
        if type_ == "b128":
            raise Unsupported("type .b128")
        self.count_access(space, size, "store")
        sources = names_of(i.operands[1]) if length > 1 else [i.operands[1]]
        place = self.place(space, i.operands[0], size, "store")
        kept = plain(type_)
        if strong and space not in ("local", "param"):
            if size not in (1, 2, 4, 8, 16):
                raise Unsupported("a strong store of this size")
            puts = " ".join(f"put<{kept}>(strong.bytes + {k * SIZE[type_]}, {self.value(s, type_)});" for k, s in enumerate(sources))
            return f"{{ Strong<{size}> strong; {puts} store_strong<{size}>({place}, strong); }}"
        puts = " ".join(f"put<{kept}>(to + {k * SIZE[type_]}, {self.value(s, type_)});" for k, s in enumerate(sources))
        return f"{{ unsigned char* to = {place}; {puts} }}"

    def do_prefetch(self, i):
        return ";"

    def do_prefetchu(self, i):
        return ";"

    def do_atom(self, i):
        return self.atomic(i, 1)

    def do_red(self, i):
        return self.atomic(i, 0)

    def atomic(self, i, first):
        i.take("relaxed", "acquire", "release", "acq_rel")
        i.take("cta", "cluster", "gpu", "sys")
        space = i.take("global", "shared") or ("shared" if i.take("shared__cta") else None)
        kind = i.take("add", "exch", "cas", "min", "max", "and", "or", "xor", "inc", "dec")
        i.take("noftz")
        if not kind or i.types[-1:] == []:
            raise Unsupported("kind")
        i.finish()
        type_, operands = i.type, i.operands[first:]
        size = SIZE[type_]
        if type_ not in ("b32", "u32", "s32", "b64", "u64", "s64", "f32", "f64"):
            raise Unsupported(f"type .{type_}")
        self.cost.atomics += 1
        self.count_access(space, size, "load")
        self.count_access(space, size, "store")
        if kind in ("cas", "exch"):
            self.names.note_wait()
        place = self.place(space, operands[0], size, "atomic")
        kept = plain(type_)
        values = ", ".join(self.value(o, type_) for o in operands[1:])
        spin = "t.spin(); " if kind == "cas" else ""
        call = f"atomic_{kind}<{kept}>({place}, {values})"
        return f"{{ {spin}{self.assign(i.operands[0], call, type_) if first else call + ';'} }}"

    def do_membar(self, i):
        i.rest = [m for m in i.rest if m not in ("cta", "gl", "sys", "level")]
        i.finish(0)
        return "fence();"

    def do_fence(self, i):
        i.rest = [m for m in i.rest if m not in ("cta", "gpu", "sys", "cluster", "sc", "acq_rel", "acquire", "release")]
        i.finish(0)
        return "fence();"

    # Threads together.

    def do_bar(self, i):
        if i.take("warp"):
            if not i.take("sync"):
                raise Unsupported("kind")
            i.finish(0)
            self.names.note_wait()
            return f"sync_warp(t, {self.value(i.operands[0], 'u32')});"
        i.take("cta", "aligned")
        kind = i.take("sync", "red", "arrive")
        operation = i.take("popc", "and", "or")
        self.names.note_wait()
        if kind == "red":
            i.finish()
            target, operands = i.operands[0], i.operands[1:]
            predicate = self.value(operands[-1], "pred")
            count = self.value(operands[1], "u32") if len(operands) == 3 else "0"
            call = f"barrier_{operation}(t, {self.value(operands[0], 'u32')}, {count}, {predicate})"
            return self.assign(target, call, i.type)
        i.finish(0)
        if kind not in ("sync", "arrive"):
            raise Unsupported("kind")
        count = self.value(i.operands[1], "u32") if len(i.operands) > 1 else "0"
        return f"barrier_{kind}(t, {self.value(i.operands[0], 'u32')}, {count});"

    def do_barrier(self, i):
        return self.do_bar(i)

    def do_vote(self, i):
        i.take("sync")
        kind = i.take("all", "any", "uni", "ballot")
        i.finish()
        if not kind or len(i.operands) != 3:
            raise Unsupported("kind")
        self.names.note_wait()
        predicate, mask = self.value(i.operands[1], "pred"), self.value(i.operands[2], "u32")
        return self.assign(i.operands[0], f"vote_{kind}(t, {predicate}, {mask})", "b32" if kind == "ballot" else "pred")

    def do_match(self, i):
        kind = i.take("any", "all")
        i.take("sync")
        i.finish()
        self.names.note_wait()
        targets = [each.strip() for each in i.operands[0].split("|")]
        value, mask = self.value(i.operands[1], unsigned(i.type)), self.value(i.operands[2], "u32")
        if kind == "any":
            return self.assign(targets[0], f"match_any(t, {value}, {mask})", "b32")
        second = self.assign(targets[1], "found != 0", "pred") if len(targets) > 1 else ""
        return f"{{ const u32 found = match_all(t, {value}, {mask}); {self.assign(targets[0], 'found', 'b32')} {second} }}"

    def do_redux(self, i):
        i.take("sync")
        kind = i.take("add", "min", "max", "and", "or", "xor")
        i.finish()
        if i.type not in ("b32", "u32", "s32"):
            raise Unsupported(f"type .{i.type}")
        self.names.note_wait()
        return self.assign(i.operands[0], f"reduce_{kind}<{plain(i.type)}>(t, {self.value(i.operands[1], i.type)}, {self.value(i.operands[2], 'u32')})", i.type)

    def do_shfl(self, i):
        if not i.take("sync"):
            raise Unsupported("a shuffle without .sync")
        kind = i.take("up", "down", "bfly", "idx")
        i.finish()
        self.names.note_wait()
        targets = [each.strip() for each in i.operands[0].split("|")]
        a, b, c, mask = (self.value(o, "u32") for o in i.operands[1:5])
        second = self.assign(targets[1], "given.inside", "pred") if len(targets) > 1 else ""
        return (f"{{ const Shuffled given = shuffle(t, Shuffle::{kind}, {a}, {b}, {c}, {mask}); "
                f"{self.assign(targets[0], 'given.value', 'b32')} {second} }}")

    def do_activemask(self, i):
        i.finish()
        return self.assign(i.operands[0], "(1u << t.lane())", "b32")

    def do_nanosleep(self, i):
        self.names.note_wait()
        return "t.sleep();"

    def do_griddepcontrol(self, i):
        # Launches of a stream run one after another here: there is nothing to wait for.
        if not i.take("wait", "launch_dependents"):
            raise Unsupported("kind")
        i.finish(0)
        return ";"

    # Control.

    def do_bra(self, i):
        i.take("uni")
        i.finish(0)
        return f"goto {self.names.label(i.operands[0])};"

    def do_brx(self, i):
        i.take("idx")
        i.take("uni")
        i.finish(0)
        targets = self.names.branch_table(i.operands[1])
        cases = " ".join(f"case {k}: goto {self.names.label(each)};" for k, each in enumerate(targets))
        return f"switch ({self.value(i.operands[0], 'u32')}) {{ {cases} default: bad_branch(t); }}"

    def do_ret(self, i):
        i.take("uni")
        i.finish(0)
        return self.names.leave()

    def do_exit(self, i):
        i.finish(0)
        if not self.names.in_kernel():
            raise Unsupported("exit inside a function")
        return self.names.leave()

    def do_trap(self, i):
        return "trap(t);"

    def do_brkpt(self, i):
        return "trap(t);"

    def do_call(self, i):
        i.take("uni")
        i.finish(0)
        operands = i.operands
        results = []
        if operands[0].startswith("("):
            results = [each.strip() for each in operands[0][1:-1].split(",")]
            operands = operands[1:]
        if operands[0].startswith("%"):
            raise Unsupported("an indirect call")
        arguments = [each.strip() for each in operands[1][1:-1].split(",")] if len(operands) > 1 else []
        return self.names.call(operands[0], results, arguments)
