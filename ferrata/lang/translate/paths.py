"""Which variables certainly have a value at a place: what Python would find out by UnboundLocalError.

The walk over the statements keeps one of these up to date: a branch, a loop and a jump each say what their paths have
assigned. A variable that some path leaves without a value is known with that path, for the error.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

# What every path that comes here has assigned; None where no path comes, behind a jump.
State = frozenset[str] | None


@dataclass
class Paths:
    """sure: assigned on every path to this place. gaps: by name, the path on which it is not. loops: variables of loops
    that have ended, with the loop's line: what they hold is the loop's."""

    sure: State = frozenset()
    gaps: dict[str, str] = field(default_factory=dict)
    loops: dict[str, int] = field(default_factory=dict)
    ever: set[str] = field(default_factory=set)  # assigned on some path so far

    def assign(self, name: str) -> None:
        """The variable has a value from here on."""
        if self.sure is not None:
            self.sure |= {name}
            self.ever.add(name)
            self.gaps.pop(name, None)

    def lose(self, names: Iterable[str], line: int) -> None:
        """A loop has these as its variables: what they hold does not count from here on."""
        for name in names:
            self.loops[name] = line
            if self.sure is not None:
                self.sure -= {name}

    def loop(self, name: str) -> int | None:
        """The line of the loop whose variable this is and that has ended; None if the name has a value of its own."""
        return None if self.sure is None or name in self.sure else self.loops.get(name)

    def gap(self, name: str) -> str | None:
        """On which path the variable has no value here; None if it has one on each."""
        if self.sure is None or name in self.sure or name not in self.ever:
            return None
        return self.gaps.get(name, "on the way here")

    def jump(self) -> State:
        """A jump leaves with what it has; nothing comes behind it."""
        left, self.sure = self.sure, None
        return left

    def meet(self, states: Iterable[tuple[State, str]]) -> None:
        """Several paths meet. Each with what it has assigned and its words."""
        come = [(state, words) for state, words in states if state is not None]
        if not come:
            self.sure = None
            return
        for state, words in come:
            for name in self.ever - state:
                self.gaps.setdefault(name, words)  # of a path inside of that one, if it has told
        self.sure = frozenset.intersection(*(state for state, _ in come))
