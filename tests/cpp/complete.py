#!/usr/bin/env python3
"""zerocast.hpp has the functions of zerocast.h: each is called there, but for those that are named here.

    complete.py
"""

import re
import sys
from pathlib import Path

INCLUDE = Path(__file__).resolve().parents[2] / "include"

# Functions whose C is as good in C++: with x.get() and tensor::made(), with ctx.get(), or about no tensor.
LEFT_TO_C = """
zc_version zc_error_errno zc_dtype_name zc_dtype_bytes zc_dtype_from_name zc_allocator_name zc_memory_limit_default
zc_context_options zc_memory_reset_peak zc_set_cache_limit zc_context_trim zc_set_progress zc_scope_begin zc_scope_end
zc_keep_outside zc_iota zc_offset zc_is_weak zc_broadcast_axes zc_broadcast_shapes zc_result_type
zc_xla_binary zc_reshape_view zc_tf_broadcast_to zc_mindspore_broadcast_to zc_ngraph_broadcast
zc_ngraph_broadcast_like zc_xla_broadcast zc_xla_broadcast_in_dim zc_stablehlo_broadcast_in_dim zc_torch_expand
zc_onnx_expand zc_openvino_broadcast zc_assign_keeping zc_replace_held zc_varies zc_serialize zc_serialized_bytes
zc_serialized_inputs zc_serialized_free zc_deserialize zc_substitute zc_part zc_part_numbers zc_join zc_join_parts
zc_division_make zc_division_bytes zc_division_inputs zc_division_restore zc_division_count zc_division_piece
zc_division_record zc_division_free zc_compute_pending zc_materialize_to zc_replace
zc_replace_all zc_peek zc_cost_of_all zc_explain_all zc_save_all zc_read_info zc_read_members
zc_file_format_count zc_file_format_name zc_file_format_of zc_npy_open zc_npy_read_info zc_npy_save
zc_source_of zc_to_dlpack zc_to_dlpack_legacy zc_dlpack_copied_bytes zc_from_dlpack zc_from_dlpack_legacy
""".split()


def main():
    header = re.sub(r"/\*.*?\*/", "", (INCLUDE / "zerocast.h").read_text(), flags=re.S)
    text = (INCLUDE / "zerocast.hpp").read_text()
    declared = set(re.findall(r"\b(zc_\w+)\(", "".join(re.findall(r"ZC_API[^;]*;", header))))
    used = set(re.findall(r"\b(zc_\w+)\b", text))
    used |= {f"zc_{name}" for name in re.findall(r"^ZEROCAST_[A-Z]+\((?:[^\w,]+, )?(\w+)\)", text, flags=re.M)}
    missing = sorted(declared - used - set(LEFT_TO_C))
    stale = sorted(name for name in LEFT_TO_C if name in used or name not in declared)
    for name in missing:
        print(f"zerocast.hpp does not have {name}")
    for name in stale:
        print(f"{name} is not left to C")
    print(f"{len(declared)} functions, {len(missing) + len(stale)} findings")
    return 1 if missing or stale else 0


sys.exit(main())
