"""`python -m tests.conformance.missing [category or API ...]`: the variants that the headers lack, and those that fail.

Prints one line for each API and form with what is wrong, then totals. `--run` also runs the variants that compile (a
few examples each); without it only the compiler is asked. `--verbose` prints every variant with its call and the
whole message. Exit code 1 when anything is missing or failing.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from tests.conformance import build
from tests.conformance.suite import run_variant
from tests.conformance.variant import Variant
from tests.conformance.variants import ALL


def state(variant: Variant, library: build.Library, run: bool) -> tuple[str, str]:
    """("missing" | "failing" | "ok", message)."""
    if variant.id in library.missing:
        return "missing", library.missing[variant.id]
    if run:
        try:
            run_variant(variant, library, examples=4)
        except build.Fault as fault:
            return "failing", f"faults: {fault}"
        except AssertionError as error:
            return "failing", str(error)
    return "ok", ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="*", help="categories or API ids; everything when left out")
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    totals: Counter[str] = Counter()
    for category, variants in ALL.items():
        chosen = [v for v in variants if not options.only or category in options.only or v.api in options.only]
        if not chosen:
            continue
        library = build.library(category, variants)
        seen: dict[tuple[str, str, str], list[tuple[Variant, str]]] = {}
        for variant in chosen:
            what, message = state(variant, library, options.run)
            totals[what] += 1
            if what != "ok":
                seen.setdefault((variant.api, variant.form, what), []).append((variant, message))
        for (api, form, what), listed in seen.items():
            shown = listed if options.verbose else listed[:1]
            names = ", ".join(v.id.split("/", 2)[-1] for v, _ in listed)
            print(f"{what:8}{category}  {api} ({form}): {names}")
            for variant, message in shown:
                lines = message.splitlines() if options.verbose else message.splitlines()[:5]
                print(
                    "\n".join(
                        ["          " + variant.call if what == "missing" else "", *("          " + x for x in lines)]
                    ).strip("\n")
                )
    print(", ".join(f"{count} {what}" for what, count in sorted(totals.items())))
    return int(bool(totals["missing"] + totals["failing"]))


if __name__ == "__main__":
    sys.exit(main())
