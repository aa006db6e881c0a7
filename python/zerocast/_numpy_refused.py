"""NumPy's names that zerocast.numpy has not, each with the reason."""

from __future__ import annotations

_DTYPE = "zerocast has numbers and bools, and no texts, dates, objects, structures and long doubles"
_MATRIX = "matrices are arrays of two axes here"
_MASKED = "masks are arrays of bools here: np.where(), where= and the functions whose names begin with nan"
_RECORD = "arrays of records hold structures, which are none of zerocast's dtypes"
_STEPPING = "it steps through memory, and elements of a lazy array may have none: np.ndindex(), np.ndenumerate(), x.flat"
_MAPPED = 'np.load(path, mmap_mode="r") maps a file, and what is written to the array stays out of it'
_C = "it serves compilers and C code, which NumPy's own module helps"
_TEXT = "it reads texts into structures or texts, which are none of zerocast's dtypes"
_GONE = "it is NumPy's private or deprecated module"

_NAMES = {
    _DTYPE: (
        "busday_count busday_offset busdaycalendar bytes0 bytes_ char character chararray clongdouble clongfloat "
        "compare_chararrays complex256 datetime64 datetime_as_string datetime_data flexible float128 float96 complex192 "
        "frompyfunc is_busday isnat longcomplex longdouble longfloat object0 object_ str0 str_ string_ strings timedelta64 "
        "unicode_ void void0"
    ),
    _MATRIX: "asmatrix bmat mat matlib matrix",
    _MASKED: "ma",
    _RECORD: "format_parser rec recarray recfromcsv recfromtxt record",
    _STEPPING: "broadcast flatiter nditer nested_iters",
    _MAPPED: "DataSource memmap",
    _C: "add_docstring add_newdoc add_newdoc_ufunc ctypeslib distutils f2py",
    _TEXT: "fromregex",
    _GONE: "compat core deprecate deprecate_with_doc source test tracemalloc_domain",
}
REASONS = {name: reason for reason, names in _NAMES.items() for name in names.split()}


def refusal(name: str) -> str | None:
    """The reason why zerocast.numpy has no such name; None of others."""
    return REASONS.get(name)
