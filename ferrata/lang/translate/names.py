"""Names that C++ or the interfaces have taken: a user's name that collides gets an underscore behind it."""

from __future__ import annotations

from functools import cache

from ferrata.lang.prelude import HELPERS
from ferrata.lang.registry import apis, structs

_WORDS = """alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t class compl
const const_cast constexpr continue decltype default delete do double dynamic_cast else enum explicit export extern false
float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private
protected public register reinterpret_cast return short signed sizeof static static_assert static_cast struct switch
template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while
xor xor_eq half bfloat16_t int4b_t printf assert abs exp log sin cos tan sqrt fabs pow ceil floor round trunc main index
int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t size_t block_idx block_num event_t pipe_t
IndexBits std linux unix errno stdin stdout stderr NULL INFINITY NAN EOF Share GM_ADDR ASSERT exit abort free malloc read write
remove rename signal time clock y0 y1 yn j0 j1 jn gamma lgamma tgamma"""


@cache
def _taken() -> frozenset[str]:
    names = {row.name for row in apis() if "::" not in row.name}
    names |= {row.name.partition("<")[0] for row in structs()}
    return frozenset(_WORDS.split()) | names | HELPERS.keys() | {"AscendC", "ferrata", "ferrata_entry"}


# of _WORDS, those that are functions of C: a local variable may have such a name, a function may not
_FUNCTIONS = frozenset(
    """abs exp log sin cos tan sqrt fabs pow ceil floor round trunc index exit abort free malloc read write remove rename
signal time clock y0 y1 yn j0 j1 jn gamma lgamma tgamma""".split()  # noqa: SIM905
)


def safe(name: str) -> str:
    """The name at namespace level in C++."""
    return name + "_" if name in _taken() or name.startswith("__") else name


def local(name: str) -> str:
    """The name inside a function: there it may hide a function of C."""
    return name if name in _FUNCTIONS else safe(name)
