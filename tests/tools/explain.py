#!/usr/bin/env python3
"""`zerocast explain --format json` and `--format dot`, read by programs that are not ours: Python's json, and Graphviz
where it is installed (a small grammar check elsewhere). What is read is added up again and compared with what eval says.

    explain.py COMMAND DIGITS.npy
"""

import json
import math
import re
import shutil
import subprocess
import sys
import tempfile

ITEM_BYTES = {"bool": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "float32": 4}

EXPRESSIONS = [
    "x",
    "x[0] + 1",
    "relu(x * 2 - mean(x, axis=0))",
    "exp(astype(x[0], float32)) + x",
    "sum(exp(broadcast_to(x[0], (1000, 64))), axis=0)",
    "sum(square(x[:, None] - x[None, :]), axis=2)",
    "y = astype(x[:99], float32); sum(y[:, None] * y, axis=2)",
    "y = astype(x[:99], float32); einsum('ij,kj,k->i', y, y, y[:, 0])",
    "y = astype(reshape(x, (3, 599, 64)), int64); matmul(y[:, :9], y.mT)",
    "argmax(broadcast_to(x[:, None], (1797, 7, 64)), axis=(1, 2))",
    "exp(reshape(exp(arange(20)[:, None] * arange(4)).T, (10, 8))[::-1, ::3])",
    "tanh(exp(astype(x[:64], float32))) + tanh(exp(astype(x[:64], float32))).T",
    "y = tanh(exp(astype(x[:64], float32))); y + y.T",
    "xla.add(x, x[0], broadcast_dimensions=(1,))",
    "where(x > 3, inf, -inf)",
    "astype(1.5, float32) * broadcast_to(nan, (3, 4))",
    "zeros((5, 0, 3)) + 1",
    "sum(zeros((5, 0, 3)) + 1, axis=1)",
    "any(broadcast_to(x == 3, (5, 1797, 64)))",
    "sum(broadcast_to(x[0], (10**6, 10**6, 64)) * 3, axis=(0, 1))",
]


def run(command, *arguments):
    done = subprocess.run([command, *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return done.stdout


def item_bytes(dtype):
    return ITEM_BYTES.get(dtype, 8)


def check_contraction(stage):
    """Its blocks are the domain, its products the reduced axes; a hint is given where steps are saved, to no contraction."""
    facts, hint = stage.get("contraction"), stage.get("hint")
    if facts is not None:
        products = math.prod(stage["reduced"])
        assert facts["batches"] * facts["rows"] * facts["columns"] == math.prod(stage["domain"])
        assert (facts["products"], facts["chains"], facts["runs"]) == (products, -(-products // 256), -(-products // 4096))
    assert (hint is not None) == (stage["domain"] == [99, 99] and stage["reduction"] == "sum"), hint
    if hint is not None:
        assert hint["function"] == "matmul" and 1.5 * hint["operations"] <= hint["instead_of"] == 2.5 and hint["why"]


def check_value(plan, stage, value, is_last):
    """One value against its stage: shapes, axes and bytes follow from the strides and the domain."""
    domain = stage["domain"] + stage["reduced"]
    long = {a for a, extent in enumerate(domain) if extent > 1}
    assert value["logical_bytes"] == math.prod(domain) * item_bytes(value["dtype"])
    assert value["shape"] == [1 if a in value["invariant_axes"] else extent for a, extent in enumerate(domain)]
    assert set(value["broadcast_axes"]) <= set(value["invariant_axes"]) <= long, "a repeated element cannot differ"
    assert value["how"] and value["why"]
    for operand in value.get("args", []):
        assert operand < stage["values"].index(value)
    if "strides" in value:
        assert {a for a in long if value["strides"][a] == 0} == set(value["invariant_axes"])
    if "slot" in value:
        slot = plan["slots"][value["slot"]]
        assert value["held_bytes"] == slot["bytes"] and value["dtype"] == slot["dtype"]
        assert (value["how"] == "in place") == (slot["kind"] == "input")
        if slot["kind"] == "temporary":
            maker = plan["stages"][value["stage"] - 1]
            assert plan["slots"][maker["stores"]] is slot and value["how"] == maker["reason"]
            assert slot["first_stage"] == maker["stage"] < stage["stage"] <= slot["last_stage"]
    if "needed_elements" in value:
        assert 0 < value["needed_elements"] <= value["computed_elements"]
    stores = is_last and "reduction" not in stage
    assert value["written_bytes"] == (stage["written_bytes"] if stores else 0)


def check_plan(plan, report):
    """The plan's sums, and what eval reports of the same expression."""
    assert plan["written_bytes"] == sum(stage["written_bytes"] for stage in plan["stages"])
    assert plan["logical_bytes"] == math.prod(plan["shape"]) * item_bytes(plan["dtype"])
    assert plan["held_bytes"] == sum(slot["bytes"] for slot in plan["slots"] if slot["kind"] == "input")
    assert plan["exists"] == (plan["stages"] == [])
    assert plan["over_limit"] is None
    for key in ("dtype", "shape", "logical_bytes", "held_bytes"):
        assert plan[key] == report[key], f"{key}: {plan[key]}, and eval says {report[key]}"
    assert plan["peak_bytes"] >= plan["logical_bytes"] or plan["exists"]
    for stage in plan["stages"]:
        check_contraction(stage)
        for v, value in enumerate(stage["values"]):
            check_value(plan, stage, value, v + 1 == len(stage["values"]))
            if value["how"] == "by rule":
                assert stage["invariant_axes"] and not stage["reduced"]


def check_limit(command, expression, digits, plan):
    """Just below its peak a plan does not fit, and tells by how much; eval saves it in blocks, or refuses it so."""
    limit = plan["peak_bytes"] - 1
    if limit <= 0:
        return
    arguments = [expression, f"x={digits}", f"--memory-limit={limit}"]
    smaller = json.loads(run(command, "explain", *arguments, "--format=json"))
    over = smaller["over_limit"]
    assert (over is not None) == (smaller["peak_bytes"] > limit), over
    if over is not None:
        with tempfile.TemporaryDirectory() as folder:
            words = [command, "eval", *arguments, "-o", f"{folder}/out.npy"]
            done = subprocess.run(words, capture_output=True, text=True, timeout=60)
            if done.returncode == 0:
                run(command, "eval", *arguments[:2], "-o", f"{folder}/whole.npy")
                with open(f"{folder}/out.npy", "rb") as saved, open(f"{folder}/whole.npy", "rb") as whole:
                    assert saved.read() == whole.read(), expression
        assert over["need"] == smaller["peak_bytes"] and over["limit"] == limit and over["held"] == 0
        assert done.returncode == 0 or over["why"] in done.stderr, done.stderr
        assert f"over the limit: {over['why']}\n" in run(command, "explain", *arguments)
        check_dot(run(command, "explain", *arguments, "--format=dot"), smaller)


# ---- dot ----

STRING = r'"(?:[^"\\]|\\.)*"'
ATTRIBUTE = rf"\w+=(?:\w+|{STRING})"
LINES = [
    r"digraph plan \{",
    r"  subgraph cluster_\d+ \{",
    rf" +{ATTRIBUTE};",
    rf" +(?:\w+)(?: -> \w+)?(?: \[{ATTRIBUTE}(?:, {ATTRIBUTE})*\])?;",
    r" *\}",
]


def check_dot(dot, plan):
    """The lines, the braces, and that edges join nodes that are declared; one cluster per stage."""
    lines = dot.splitlines()
    for line in lines:
        assert any(re.fullmatch(form, line) for form in LINES), f"not dot: {line}"
    assert dot.count("{") == dot.count("}")
    assert dot.count("subgraph cluster_") == len(plan["stages"])
    declared = set(re.findall(r"^ +(\w+) \[", dot, flags=re.M)) - {"node", "edge"}
    values = sum(len(stage["values"]) + ("reduction" in stage) for stage in plan["stages"])
    assert len([name for name in declared if name.startswith("s") and "_" in name]) == values
    for edge in re.findall(r"^ +(\w+) -> (\w+)", dot, flags=re.M):
        assert set(edge) <= declared, f"{edge} joins what is not there"


def check_by_graphviz(dot, plan):
    drawn = subprocess.run(["dot", "-Tsvg"], input=dot, capture_output=True, text=True, timeout=60)
    assert drawn.returncode == 0 and drawn.stderr == "", drawn.stderr
    assert drawn.stdout.count('class="cluster"') == len(plan["stages"])


def main(command, digits):
    has_graphviz = shutil.which("dot") is not None
    for expression in EXPRESSIONS:
        print(expression)
        plan = json.loads(run(command, "explain", expression, f"x={digits}", "--format", "json"))
        report = json.loads(run(command, "eval", expression, f"x={digits}", "--json", "--quiet"))
        check_plan(plan, report)
        check_limit(command, expression, digits, plan)
        dot = run(command, "explain", expression, f"x={digits}", "--format", "dot")
        check_dot(dot, plan)
        if has_graphviz:
            check_by_graphviz(dot, plan)
    if not has_graphviz:
        print("Graphviz is not installed: its dot was not asked")
    print(f"{len(EXPRESSIONS)} passed, 0 failed")


if __name__ == "__main__":
    main(*sys.argv[1:])
