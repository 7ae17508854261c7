"""Tiling keys in kernels: a struct per key, and template parameters that a key holds.

A device compiler compiles a kernel once per tiling key, so that GET_TILING_DATA may give another struct for each. Here
one kernel serves all keys: a body with REGISTER_TILING_FOR_TILINGKEY becomes a generic lambda with one instance per struct,
of which the launch's key selects one, and the branches of other keys' TILING_KEY_IS are discarded from it.

    REGISTER_TILING_DEFAULT(A);                          { FERRATA_ENTRY(...); struct ferrata_rules { ... choice(key) ... };
    REGISTER_TILING_FOR_TILINGKEY("TILING_KEY_VAR == 2", B);   ::ferrata::by_tiling<2, ferrata_rules>([&](auto ferrata_choice) {
    if (TILING_KEY_IS(2)) { GET_TILING_DATA(t, tiling); }      ... if (TILING_KEY_IS(2)) { if constexpr (...) { ... } } }); }

A template kernel whose parameters ASCENDC_TPL_ARGS_DECL declares gets a second form without template arguments, which
takes the instance of the launch's key.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ferrata.asc.kernels import Kernel
from ferrata.asc.lexer import Token, closing
from ferrata.asc.parameters import Parameter, is_pack, name_of, split

WORD = re.compile(r"\bREGISTER_TILING_FOR_TILINGKEY\b")
_DEFAULT = "REGISTER_TILING_DEFAULT_comes_first"
_RULE = "REGISTER_TILING_FOR_TILINGKEY"
_DECLARED = re.compile(r"\bASCENDC_TPL_ARGS_DECL\s*\(\s*(\w+)")
_STRUCT_SEL = re.compile(r"\bASCENDC_TPL_TILING_STRUCT_SEL\s*\(([^()]+)\)")
_GIVEN = re.compile(r"^FERRATA_TILING_FOR_KEY\((\d+), (\w+)\)$", re.MULTILINE)
# What a condition may hold; a number may be too large for a signed type.
_CONDITION = re.compile(r"\s*(?:TILING_KEY_VAR|0[xX][0-9a-fA-F]+|\d+|<<|>>|==|!=|<=|>=|&&|\|\||[-&|~^+*/%<>()])")

Edit = tuple[int, int, str]


class Rules(NamedTuple):
    """What a kernel's body needs: text behind its entry, edits in it, and a broken rule: (offset, message)."""

    opening: str
    edits: list[Edit]
    problem: tuple[int, str] | None


def rules(items: list[Token], kernel: Kernel, structs: tuple[tuple[int, str], ...] = ()) -> Rules:
    """The selection of tiling structs in the body of a kernel definition; nothing for a kernel without conditions.

    structs: further ones, for single keys; the body's conditions come first.
    """
    end = closing(items, kernel.last)
    words = [] if end is None else [items[i].text for i in range(kernel.last, end)]
    found = [kernel.last + i for i, word in enumerate(words) if word == _RULE]
    if end is None or not (found or (structs and "GET_TILING_DATA" in words)):
        return Rules("", [], None)
    edits: list[Edit] = []
    conditions: list[str] = []
    for at in found:
        close = closing(items, at + 1) if items[at + 1].text == "(" else None
        comma = next((i for i in range(at, close or at) if items[i].text == ","), None)
        condition = None if comma is None else _condition(items[at + 2 : comma])
        if close is None or comma is None or condition is None:
            return Rules("", [], (items[at].start, f"{_RULE}: {_HOW}"))
        conditions.append(condition)
        number = len(conditions)
        edits.append((items[at].start, items[comma].end, f"using ferrata_tiling_{number} [[maybe_unused]] ="))
        edits.append((items[close].start, items[close].end, ""))
    inside = len(conditions)
    conditions += [f"ferrata_key == {key}ull" for key, _ in structs]
    given = [f"ferrata_tiling_{inside + 1 + i}" for i in range(len(structs))]
    branch_edits, branches = _branches(items, kernel.last, end)
    edits += branch_edits
    for at in range(kernel.last, end):
        if items[at].text == "GET_TILING_DATA" and items[at + 1].text == "(":
            known = [f"ferrata_tiling_{n}" if place < at else "void" for n, place in enumerate(found, 1)]
            listed = ", ".join([_DEFAULT, *known, *given])
            picked = f"typename ::ferrata::TilingPick<decltype(ferrata_choice)::value, {listed}>::type"
            # what the code for all keys reads of the variable: a struct without it is not the one that is meant
            read = _members(items, at, end, branches)
            probe = f"auto ferrata_reads_{at} = [](auto &s) -> decltype({read}) {{ return 0; }}; " if read else ""
            kind = f"typename ::ferrata::TilingFit<decltype(ferrata_reads_{at}), {picked}, {_DEFAULT}>::type"
            name = f"ferrata_tiling_at_{at}"
            text = f"{probe}using {name} = {kind if read else picked}; FERRATA_GET_TILING({name}, "
            edits.append((items[at].start, items[at + 1].end, text))
    edits.append((items[end].start, items[end].start, "});"))
    chosen = " : ".join(f"({condition}) ? {number}" for number, condition in enumerate(conditions, 1)) + " : 0"
    opening = (
        " struct ferrata_rules { static constexpr int choice([[maybe_unused]] unsigned long long ferrata_key) { return "
        f"{chosen}; }} }}; ::ferrata::by_tiling<{len(conditions)}, ferrata_rules>([&]([[maybe_unused]] auto "
        "ferrata_choice) {"
    )
    names = zip(given, structs, strict=True)
    opening += "".join(f" using {name} [[maybe_unused]] = {struct};" for name, (_, struct) in names)
    return Rules(opening, edits, None)


_HOW = 'write ("condition", Struct); the condition is a text of TILING_KEY_VAR, integers and operators'


def _condition(parts: list[Token]) -> str | None:
    """The text of a condition as an expression of `ferrata_key`; None if it is none."""
    if not parts or any(part.kind != "str" or not part.text.startswith('"') for part in parts):
        return None
    text = "".join(part.text[1:-1] for part in parts)
    out, at = [], 0
    while at < len(text.rstrip()):
        hit = _CONDITION.match(text, at)
        if hit is None:
            return None
        word = hit.group().strip()
        out.append("ferrata_key" if word == "TILING_KEY_VAR" else word + "ull" if word[0].isdigit() else word)
        at = hit.end()
    return " ".join(out) or None


def _members(items: list[Token], at: int, end: int, branches: list[tuple[int, int]]) -> str:
    """The members of the variable of GET_TILING_DATA at `at` that are read outside of branches, as expressions."""
    if any(first <= at <= last for first, last in branches):
        return ""
    variable = items[at + 2].text
    found = {
        items[i + 2].text
        for i in range(at + 3, end - 2)
        if items[i].text == variable and items[i + 1].text == "." and items[i + 2].kind == "id"
        if items[i - 1].text not in (".", "->", "::") and not any(first <= i <= last for first, last in branches)
    }
    return ", ".join([*(f"(void)s.{name}" for name in sorted(found)), "0"]) if found else ""


def _branches(items: list[Token], first: int, last: int) -> tuple[list[Edit], list[tuple[int, int]]]:
    """`if (TILING_KEY_IS(k)) statement`: the statement only in instances that k can reach; and these statements."""
    edits: list[Edit] = []
    ranges: list[tuple[int, int]] = []
    for at in range(first, last):
        words = [token.text for token in items[at : at + 4]]
        if words[:2] != ["if", "("] or words[2] not in ("TILING_KEY_IS", "TILING_KEY_LIST") or words[3] != "(":
            continue
        close, keys = closing(items, at + 1), closing(items, at + 3)
        if close is None or keys is None or close != keys + 1:
            continue
        begin = close + 1
        end = closing(items, begin) if items[begin].text == "{" else _statement(items, begin, last)
        if end is None:
            continue
        listed = " ".join(token.text for token in items[at + 4 : keys])
        test = f"::ferrata::tiling_reaches<decltype(ferrata_choice)::value, ferrata_rules>({listed})"
        edits.append((items[begin].start, items[begin].start, f"{{ if constexpr ({test}) "))
        edits.append((items[end].end, items[end].end, " }"))
        ranges.append((begin, end))
    return edits, ranges


def _statement(items: list[Token], first: int, last: int) -> int | None:
    """The `;` of a simple statement."""
    if items[first].text in ("if", "for", "while", "do", "switch"):
        return None
    at = first
    while at < last and items[at].text != ";":
        if items[at].text in ("(", "{", "["):
            end = closing(items, at)
            if end is None:
                return None
            at = end
        at += 1
    return at if at < last else None


def structs(texts: list[str]) -> tuple[tuple[int, str], ...]:
    """Keys and their structs, of the lines that op/project/kernel.py writes for the host's tiling classes."""
    return tuple((int(key), name) for text in texts for key, name in _GIVEN.findall(text))


# --- template parameters ---


def selected(texts: list[str]) -> tuple[tuple[str, ...], bool]:
    """The tiling structs that combinations select, each once, and whether any selects a kind of kernel."""
    found = [" ".join(name.split()) for text in texts for name in _STRUCT_SEL.findall(text)]
    return tuple(dict.fromkeys(found)), any("ASCENDC_TPL_KERNEL_TYPE_SEL" in text for text in texts)


def selection(items: list[Token], kernel: Kernel, structs: tuple[str, ...], kinds: bool) -> Rules:
    """What a template kernel's body does with the selections of the combination that its arguments belong to."""
    values, end = _key_values(items, kernel), closing(items, kernel.last)
    if values is None or end is None or not (structs or kinds):
        return Rules("", [], None)
    key = "constexpr unsigned long long ferrata_tpl_key = ::ferrata::tpl::key(ferrata_tpl_parameters, "
    opening = f" {key}{', '.join(values)});"
    said = (
        "::ferrata::tpl::said(ferrata_tpl_parameters, ferrata_tpl_combinations, ferrata_tpl_key, ::ferrata::tpl::Role::"
    )
    if kinds:
        opening += f" ::ferrata::tpl::select_kind<::ferrata::tpl::kind_of({said}kernel_type))>();"
    edits: list[Edit] = []
    words = [items[at].text for at in range(kernel.last, end)]
    default = _DEFAULT if "REGISTER_TILING_DEFAULT" in words else "::ferrata::tpl::NoTilingStruct"
    if structs and "GET_TILING_DATA" in words:
        names = ", ".join(f'"{name}"' for name in structs)
        opening += f" constexpr const char *ferrata_tpl_names[] = {{{names}}};"
        opening += (
            f" constexpr int ferrata_tpl_choice = ::ferrata::tpl::struct_of({said}tiling_struct), ferrata_tpl_names);"
        )
        picked = f"typename ::ferrata::TilingPick<ferrata_tpl_choice, {', '.join((default, *structs))}>::type"
        for at in range(kernel.last, end):
            if items[at].text == "GET_TILING_DATA" and items[at + 1].text == "(":
                name = f"ferrata_tiling_at_{at}"
                text = f"using {name} = {picked}; FERRATA_GET_TILING({name}, "
                edits.append((items[at].start, items[at + 1].end, text))
    return Rules(opening, edits, None)


def _key_values(items: list[Token], kernel: Kernel) -> list[str] | None:
    """The kernel's template parameters as numbers of a key; None for a pack or one without a name."""
    parts = _template_parameters(items, kernel)
    if parts is None:
        return None
    found = []
    for part in parts:
        name = name_of(part)
        words = [token.text for token in part]
        if words[0] in ("typename", "class") and len(words) > 1:
            found.append(f"::ferrata::tpl::number_of<{words[1]}>")
        elif name and not is_pack(part):
            found.append(f"static_cast<unsigned long long>({name})")
        else:
            return None
    return found


def keyed_names(texts: list[str]) -> frozenset[str]:
    """Names of the kernels whose template parameters a text declares."""
    return frozenset(entry_name(name) for text in texts for name in _DECLARED.findall(text))


def entry_name(op_type: str) -> str:
    """The kernel's name of an operator type: AddCustom -> add_custom, Conv2DCustom -> conv2_d_custom."""
    out = ""
    for i, char in enumerate(op_type):
        after_lower = i > 0 and (op_type[i - 1].islower() or op_type[i - 1].isdigit())
        before_lower = i > 0 and i + 1 < len(op_type) and op_type[i + 1].islower()
        if char.isupper() and (after_lower or before_lower) and not out.endswith("_"):
            out += "_"
        out += char.lower()
    return out


def dispatcher(items: list[Token], kernel: Kernel, found: list[Parameter], listed: bool) -> str:
    """The form of a template kernel that takes its parameters from the key, to stand behind the kernel's definition."""
    arguments = _template_arguments(items, kernel)
    if arguments is None or any(one.pack for one in found):
        return ""
    types = split(items[kernel.parameters[0] : kernel.parameters[1]])
    names = [one.name or f"ferrata_p{i}" for i, one in enumerate(found)]
    # the names of parameters without one are inserted in the definition; here they are written anew
    texts = [
        " ".join(token.text for token in part) + ("" if one.name else f" {name}")
        for part, one, name in zip(types, found, names, strict=True)
    ]
    chosen = "::ferrata::tpl::Dispatch::by_key"
    text = (
        f" template <::ferrata::tpl::Dispatch ferrata_dispatch = {chosen}> inline void {kernel.name}("
        f"{', '.join(texts)}) {{ ::ferrata::tpl::dispatch<ferrata_tpl_parameters, ferrata_tpl_combinations>("
        f"[&](auto ferrata_key) {{ {kernel.name}<{', '.join(arguments)}>({', '.join(names)}); }}); }}"
    )
    if listed:
        address = f"&{kernel.name}<{chosen}>"
        text += (
            f" [[maybe_unused]] static decltype(::ferrata::entry_of({address})) ferrata_listed_{kernel.name}"
            f'("{kernel.name}", {address}, ::ferrata::Kind::{kernel.kind});'
        )
    return text


def _template_arguments(items: list[Token], kernel: Kernel) -> list[str] | None:
    """The template arguments of the kernel, each from its place in `ferrata_key`."""
    parts = _template_parameters(items, kernel)
    if parts is None:
        return None
    arguments = []
    for index, part in enumerate(parts):
        value = f"::ferrata::tpl::value(ferrata_tpl_parameters, decltype(ferrata_key)::value, {index})"
        words = [token.text for token in part]
        if is_pack(part):
            return None
        if words[0] in ("typename", "class"):
            arguments.append(f"typename ::ferrata::tpl::Type<{value}>::type")
        else:
            words = words[: words.index("=")] if "=" in words else words
            kind = " ".join(words[:-1] if name_of(part) else words)
            arguments.append(f"static_cast<{kind}>({value})")
    return arguments


def _template_parameters(items: list[Token], kernel: Kernel) -> list[list[Token]] | None:
    """The tokens of each template parameter; None if the kernel is no template."""
    head = [i for i in range(kernel.first, kernel.last) if items[i].text == "template"]
    if not head or items[head[-1] + 1].text != "<":
        return None
    begin, depth, at = head[-1] + 2, 1, head[-1] + 2
    while at < kernel.last and depth:
        depth += {"<": 1, ">": -1}.get(items[at].text, 0)
        at += 1
    return split(items[begin : at - 1])
