"""Reads the C that the elementary functions are written in, and writes it as the language of docs/numerics/functions.md.

The C is a small part of the language: functions of numbers and small structures, declarations with values, assignments,
selections, `if` before a return. What lies outside is an error here, so nothing is left out silently.
"""

import re

TOKEN = re.compile(
    r"\s*(?:(0[xX][0-9a-fA-F.]+[pP][+-]?\d+f?|0[xX][0-9a-fA-F]+|\d+\.\d*(?:[eE][+-]?\d+)?f?|\d+)"
    r"|([A-Za-z_]\w*)|(->|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/&|^]=|.))",
    re.S,
)
INTEGERS = {"int": "int", "bool": "int", "int32_t": "int32", "uint32_t": "uint32", "int64_t": "int64", "uint64_t": "uint64"}
REALS = {"float": "float32", "double": "float64"}
LEVELS = ["||", "&&", "|", "^", "&", "== !=", "< > <= >=", "<< >>", "+ -", "* /"]
# Precedence of operators in the document's language, which is Python's.
BINDS = {"or": 1, "and": 2, "==": 4, "!=": 4, "<": 4, ">": 4, "<=": 4, ">=": 4, "|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10}
SELECTION, NOT, UNARY, ATOM = 0, 3, 11, 13
RENAMED = {"bits_of": "bits64", "double_of": "from_bits64", "bits_of_single": "bits32", "single_of": "from_bits32", "fabs": "abs", "fma_float32": "fma", "fma_float64": "fma"}
RESULTS = {"bits64": "uint64", "from_bits64": "float64", "bits32": "uint32", "from_bits32": "float32", "sqrt": "float64", "floor": "real", "fmod": "real", "copysign": "real", "hypot": "real", "abs": "real", "point": "complex128"}


class Unknown(Exception):
    """C that is not of the subset."""


class Text:
    """An expression in the document's language: how tightly its outermost operator binds, its type, whether it is but a literal,
    and whether an unsigned one may lie outside of its type until it is taken modulo 2^width."""

    def __init__(self, text, binds, kind, weak=False, wide=False):
        self.text, self.binds, self.kind, self.weak, self.wide = text, binds, kind, weak, wide

    def within(self, binds):
        return self.text if self.binds >= binds else f"({self.text})"


def literal(token):
    """A number of C as the document writes it; what is no short decimal number is a string of hexadecimal digits."""
    if not re.search(r"[.pP]", token):
        return Text(token, ATOM, "int", weak=True)
    kind, digits = ("float32", token[:-1]) if token.endswith("f") else ("float64", token)
    if not digits.lower().startswith("0x"):
        return Text(digits + "0" if digits.endswith(".") else digits, ATOM, kind, weak=True)
    mantissa, exponent = re.match(r"0x([0-9a-fA-F.]+)p([+-]?\d+)", digits).groups()
    if mantissa == "1":
        return Text(f"2.0**{int(exponent)}", 12, kind, weak=True)
    if mantissa == "1.8":
        return Text(f"1.5 * 2.0**{int(exponent)}", 10, kind, weak=True)
    return Text(f'number("{digits}")', ATOM, kind, weak=True)


def plain_name(constant):
    """A macro's name without the prefix, and not beginning with a digit."""
    return re.sub(r"^[12]_", lambda m: {"1_": "ONE_", "2_": "TWO_"}[m.group()], constant.removeprefix("ZC_"))


class Function:
    """A C function: its name, its parameters (name, type), those by which it returns more, its result and its body."""

    def __init__(self, name, result, parameters, body, comment):
        self.name, self.result, self.parameters, self.body, self.comment = name, result, parameters, body, comment
        self.outs = [p for p, kind in parameters if kind.endswith("*")]


class Translator:
    """Translates the body of one function. `known` has all functions, `structs` the fields of structures, and
    `constants` the types of named numbers. `calls` and `used` collect what the function is made of."""

    def __init__(self, function, known, structs, constants):
        self.function, self.known, self.structs, self.constants = function, known, structs, constants
        self.tokens = [m.group().strip() for m in TOKEN.finditer(function.body) if m.group().strip()]
        self.at, self.lines, self.indent, self.fresh = 0, [], 1, 0
        self.types = {p: kind.rstrip("*") for p, kind in function.parameters}
        self.calls, self.used = [], []

    # ---- Tokens ----

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self, wanted=None):
        token = self.peek()
        if wanted is not None and token != wanted:
            raise Unknown(f"{self.function.name}: {token} where {wanted} was expected, in {' '.join(self.tokens[max(0, self.at - 8) : self.at + 4])}")
        self.at += 1
        return token

    def type_here(self, ahead=0):
        """(the type that begins here, how many tokens it has), or None."""
        if self.peek(ahead) == "const":
            inner = self.type_here(ahead + 1)
            return inner and (inner[0], inner[1] + 1)
        token = self.peek(ahead)
        if token in REALS and self.peek(ahead + 1) == "_Complex":
            return {"float": "complex64", "double": "complex128"}[token], 2
        kind = REALS.get(token) or INTEGERS.get(token) or (token if token in self.structs or token in ("real", "complex") else None)
        return (kind, 1) if kind else None

    def line(self, text):
        self.lines.append("    " * self.indent + text)

    # ---- Statements ----

    def statements(self):
        while self.peek() not in ("}", ""):
            self.statement()

    def block(self):
        self.indent += 1
        if self.peek() == "{":
            self.take("{")
            self.statements()
            self.take("}")
        else:
            self.statement()
        self.indent -= 1

    def statement(self):
        if self.peek() == "if":
            self.take("if")
            self.take("(")
            condition = self.expression()
            self.take(")")
            self.line(f"if {condition.text}:")
            self.block()
        elif self.peek() == "return":
            self.take("return")
            self.give_back(self.expression())
            self.take(";")
        elif self.peek() == "(" and self.peek(1) == "void":
            self.at += 3
            self.expression()
            self.take(";")
        elif self.type_here() and self.peek(self.type_here()[1]) != "(":
            self.declaration()
        else:
            self.assignment()

    def give_back(self, value):
        text = self.settled(value, self.function.result)
        if self.function.outs:
            text = ", ".join([text] + self.function.outs)
        self.line(f"return {text}")

    def settled(self, value, kind):
        """A value as one of the type: literals alone get it by name, unsigned numbers are taken modulo 2^width."""
        if kind.startswith("complex") and not value.kind.startswith("complex"):
            return f"point({value.text}, 0.0)"
        if kind in ("uint64", "uint32") and (value.wide or value.kind != kind) and not value.weak:
            return f"{kind}({value.text})"
        if kind in REALS.values() and value.weak:
            return f"{kind}({value.text})"
        if kind in REALS.values() and value.kind in REALS.values() and value.kind != kind:
            return f"{kind}({value.text})"
        return value.text

    def declaration(self):
        kind, count = self.type_here()
        self.at += count
        while True:
            name = self.take()
            self.types[name] = kind
            if self.peek() == "=":
                self.take("=")
                value = self.initializer(kind)
                self.bind(name, self.settled(value, kind))
            if self.take() == ";":
                return

    def initializer(self, kind):
        if self.peek() == "{":
            return self.structure(kind)
        return self.expression()

    def bind(self, name, text):
        """`name = text`, where a call that gives several results is a line of its own already."""
        if name != text:
            self.line(f"{name} = {text}")

    def assignment(self):
        if self.peek() == "*":
            self.take("*")
            name, field = self.take(), None
        else:
            name = self.take()
            field = None
            if self.peek() in (".", "->"):
                self.take()
                field = self.take()
        operator = self.take()
        value = self.expression()
        self.take(";")
        target = f"{name}.{field}" if field else name
        kind = self.structs[self.types[name]][field] if field else self.types[name]
        text = self.settled(value, kind)
        if operator != "=":
            text = f"{target} {operator[:-1]} {value.within(BINDS[operator[:-1]] + 1)}"
        if field:
            parts = [text if f == field else f"{name}.{f}" for f in self.structs[self.types[name]]]
            text, target = f"{self.types[name]}({', '.join(parts)})", name
        self.line(f"{target} = {text}")

    # ---- Expressions ----

    def expression(self):
        return self.selection()

    def selection(self):
        condition = self.binary(0)
        if self.peek() != "?":
            return condition
        self.take("?")
        first = self.selection()
        self.take(":")
        return self.choice(condition, first, self.selection())

    @staticmethod
    def choice(condition, first, second):
        kind = first.kind if not first.weak else second.kind
        text = f"{first.within(1)} if {condition.within(1)} else {second.text}"
        return Text(text, SELECTION, kind, first.weak and second.weak, first.wide or second.wide)

    def binary(self, level):
        if level == len(LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while self.peek() in LEVELS[level].split():
            operator = self.take()
            right = self.binary(level + 1)
            left = self.joined(left, {"||": "or", "&&": "and"}.get(operator, operator), right)
        return left

    @staticmethod
    def modular(value):
        return Text(f"{value.kind}({value.text})", ATOM, value.kind) if value.wide else value

    def joined(self, left, operator, right):
        binds = BINDS[operator]
        kinds = [left.kind, right.kind]
        kind = next((k for k in ("complex128", "complex64", "complex", "float64", "float32", "real", "uint64", "int64", "uint32", "int32") if k in kinds), "int")
        if kind in ("float64", "float32") and left.weak != right.weak:
            kind = right.kind if left.weak else left.kind
            kind = kind if kind in ("float64", "float32", "real") else "float64"
        if operator in (">>", "<", ">", "<=", ">=", "==", "!="):
            left, right = self.modular(left), self.modular(right)
        if operator in ("<<", ">>"):
            kind = left.kind
        is_truth = binds == 4 or operator in ("or", "and")
        wide = kind in ("uint64", "uint32") and (operator in "+-*<<" or ((left.wide or right.wide) and operator != "&"))
        if operator == "&" and kind in ("uint64", "uint32"):
            wide = left.wide and right.wide
        # Comparisons do not chain, and a selection of bits is written with parentheses.
        tight = binds + 1 if is_truth or operator in "|&^" else binds
        text = f"{left.within(tight)} {operator} {right.within(binds + 1)}"
        return Text(text, binds, "int" if is_truth else kind, left.weak and right.weak and not is_truth, wide and not is_truth)

    def unary(self):
        token = self.peek()
        if token in ("-", "~", "!"):
            self.take()
            operand = self.unary()
            if token == "!":
                return Text(f"not {operand.within(NOT)}", NOT, "int")
            wide = operand.kind in ("uint64", "uint32")
            return Text(token + operand.within(UNARY), UNARY, operand.kind, operand.weak, wide)
        if token in ("&", "*"):  # what returns more than one value in C returns them side by side here
            self.take()
            return self.unary()
        if token == "(" and self.type_here(1):
            return self.cast()
        return self.postfix()

    def cast(self):
        self.take("(")
        kind, count = self.type_here()
        self.at += count
        self.take(")")
        if self.peek() == "{":
            return self.structure(kind)
        operand = self.unary()
        if operand.kind == kind or (operand.weak and kind in ("float32", "float64", "real")) or kind == "real":
            return Text(operand.text, operand.binds, kind, operand.weak, operand.wide)
        if kind == "int" and operand.kind in ("uint64", "uint32", "int64", "int32"):
            return operand
        if kind in INTEGERS.values() and operand.kind in REALS.values():
            return Text(f"integer({operand.text})", ATOM, kind)
        return Text(f"{kind}({operand.text})", ATOM, kind)

    def structure(self, kind):
        self.take("{")
        fields, parts = list(self.structs[kind].values()), []
        while self.peek() != "}":
            parts.append(self.settled(self.initializer(fields[len(parts)]), fields[len(parts)]))
            if self.peek() == ",":
                self.take(",")
        self.take("}")
        return Text(f"{kind}({', '.join(parts)})", ATOM, kind)

    def postfix(self):
        value = self.atom()
        while self.peek() in (".", "->"):
            self.take()
            field = self.take()
            value = Text(f"{value.text}.{field}", ATOM, self.structs[value.kind][field])
        return value

    def arguments(self):
        self.take("(")
        found = []
        while self.peek() != ")":
            found.append(self.expression())
            if self.peek() == ",":
                self.take(",")
        self.take(")")
        return found

    def atom(self):
        token = self.take()
        if token == "(":
            inner = self.expression()
            self.take(")")
            if inner.binds == BINDS["+"] and inner.kind in ("float32", "float64", "real"):  # an order of roundings that is meant
                return Text(f"({inner.text})", ATOM, inner.kind, inner.weak)
            return Text(inner.text, inner.binds, inner.kind, inner.weak, inner.wide)
        if re.match(r"\d", token):
            return literal(token)
        if self.peek() == "(":
            return self.call(token)
        if token in ("INFINITY", "NAN"):
            return Text({"INFINITY": "inf", "NAN": "nan"}[token], ATOM, "float64", weak=True)
        if token in ("true", "false"):
            return Text(token.title(), ATOM, "int")
        if token in ("UINT32_MAX",):
            return Text("0xffffffff", ATOM, "uint32")
        if token in self.constants:
            self.used.append(token)
            return Text(plain_name(token), ATOM, self.constants[token])
        if token not in self.types:
            raise Unknown(f"{self.function.name}: what is {token}?")
        return Text(token, ATOM, self.types[token])

    def call(self, name):
        given = self.arguments()
        if name in ("UINT64_C", "UINT32_C"):
            return Text(given[0].text, ATOM, "uint64" if name == "UINT64_C" else "uint32")
        if name in ("choose", "select_pair"):
            return self.choice(*given)
        if name == "ZC_PRODUCT":
            return self.joined(given[0], "*", given[1])
        if name in ("ZC_IS_FAR", "ZC_IS_FINITE"):
            return Text(f"abs({given[0].text}) {'==' if name == 'ZC_IS_FAR' else '<'} inf", 4, "int")
        if name == "ZC_POWER":
            return Text(f"exponent32({given[0].text})", ATOM, "int32")
        if name in ("__builtin_creal", "__builtin_cimag"):
            return Text(f"{given[0].within(ATOM)}.{'real' if name.endswith('creal') else 'imag'}", ATOM, {"complex64": "float32", "complex128": "float64"}.get(given[0].kind, "real"))
        if name == "__builtin_complex":
            return Text(f"point({', '.join(g.text for g in given)})", ATOM, "complex")
        name = RENAMED.get(name, name)
        text = f"{name}({', '.join(g.text for g in given)})"
        if name not in self.known:
            kind = RESULTS.get(name) or (given[0].kind if name == "fma" else None)
            if kind is None:
                raise Unknown(f"{self.function.name}: what is {name}()?")
            return Text(text, ATOM, kind)
        return self.own_call(name, given)

    def own_call(self, name, given):
        callee = self.known[name]
        self.calls.append(name)
        outs = [g.text for g, (p, kind) in zip(given, callee.parameters) if kind.endswith("*")]
        text = f"{name}({', '.join(g.text for g, (p, kind) in zip(given, callee.parameters) if not kind.endswith('*'))})"
        if not outs:
            return Text(text, ATOM, callee.result)
        self.fresh += 1
        result = f"value{self.fresh if self.fresh > 1 else ''}"
        # Names the result after the variable that is declared with the call alone: the line is that variable's.
        if self.peek() in (",", ";") and self.peek(-1) == ")" and self.declared_here():
            result = self.declared_here()
        self.line(f"{result}, {', '.join(outs)} = {text}")
        return Text(result, ATOM, callee.result)

    def declared_here(self):
        """The name that is declared or assigned with the call that has just been read, if nothing else stands there."""
        depth, at = 0, self.at - 1
        while at >= 0:
            depth += (self.tokens[at] == ")") - (self.tokens[at] == "(")
            if depth == 0:
                break
            at -= 1
        return self.tokens[at - 3] if self.tokens[at - 2] == "=" else None


def parameters_of(text):
    found = []
    for part in text.split(","):
        words = part.replace("*", " * ").split()
        is_const = words[0] == "const"
        words = [w for w in words if w != "const"]
        kind = " ".join(w for w in words[:-1] if w != "*")
        kind = {"float _Complex": "complex64", "double _Complex": "complex128"}.get(kind) or REALS.get(kind) or INTEGERS.get(kind) or kind
        found.append((words[-1], kind + ("*" if "*" in words and not is_const else "")))
    return found


FUNCTION = re.compile(
    r"(?:/\*(?P<comment>(?:[^*]|\*(?!/))*)\*/\n)?"
    r"(?:static inline|static __attribute__\(\((?:[^()]|\([^()]*\))*\)\)|ZC_COMPLEX_FN|ZC_APART_FMA)\s+(?P<result>[\w ]*?)\s*\b(?P<name>\w+)\((?P<parameters>[^)]*)\)\s*\{\n(?P<body>.*?)\n\}",
    re.S,
)


def functions_of(text):
    """The functions that a C source defines, in its order."""
    found = []
    for match in FUNCTION.finditer(text):
        result = match["result"] or "double _Complex"
        result = {"float _Complex": "complex64", "double _Complex": "complex128"}.get(result) or REALS.get(result) or INTEGERS.get(result) or result
        body = re.sub(r"/\*.*?\*/", " ", match["body"], flags=re.S)
        comment = " ".join(re.sub(r"^ \*|ZC_", "", match["comment"] or "", flags=re.M).split())
        found.append(Function(match["name"], result, parameters_of(match["parameters"]), body, comment))
    return found


def structs_of(text):
    """name -> {field: type} of the structures that a C source defines."""
    found = {}
    for body, name in re.findall(r"typedef struct \w+ \{(.*?)\} (\w+);", re.sub(r"/\*.*?\*/", "", text, flags=re.S), flags=re.S):
        fields = {}
        for kind, names in re.findall(r"(\w+) ([\w, ]+);", body):
            fields |= {n.strip(): REALS.get(kind) or INTEGERS.get(kind) or kind for n in names.split(",")}
        found[name] = fields
    return found


def constants_of(text):
    """name -> the number behind it, of the macros that are but a number."""
    number = r"0[xX][0-9a-fA-F.]+[pP][+-]?\d+f?|\d+\.\d+f?"
    return dict(re.findall(rf"^#define (ZC_\w+)\s+({number})\s*(?:/\*.*)?$", text, flags=re.M))
