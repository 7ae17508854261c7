"""Random programs of PyTorch's operators: graph against eager, with a shrinker.

    python -m ferrata.torchair.testing.fuzz --programs 1000 --seed 0

recipes/ says what programs are made of, generate.py makes one of a seed, program.py prints and runs it, check.py
compares, shrink.py makes a failing one small, run.py does many.
"""

from ferrata.torchair.testing.fuzz.check import Difference as Difference
from ferrata.torchair.testing.fuzz.check import Report as Report
from ferrata.torchair.testing.fuzz.check import Verdict as Verdict
from ferrata.torchair.testing.fuzz.check import check as check
from ferrata.torchair.testing.fuzz.generate import Gen as Gen
from ferrata.torchair.testing.fuzz.generate import Reject as Reject
from ferrata.torchair.testing.fuzz.generate import generate as generate
from ferrata.torchair.testing.fuzz.generate import recipe as recipe
from ferrata.torchair.testing.fuzz.program import Program as Program
from ferrata.torchair.testing.fuzz.run import Tally as Tally
from ferrata.torchair.testing.fuzz.run import examine as examine
from ferrata.torchair.testing.fuzz.run import run as run
from ferrata.torchair.testing.fuzz.shrink import shrink as shrink
