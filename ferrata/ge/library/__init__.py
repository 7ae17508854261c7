"""GE's own operators: what each is (prototypes.tsv), and how it runs here (rules on ATen).

table.py reads the prototypes; rules.py says which ATen call computes an operator; the files beside it hold the rules by
category. The builder validates against the prototypes, inference runs the rules on meta tensors, the library engine
writes their calls into the program. An operator without a rule can be built and dumped, but not executed.
"""

from ferrata.ge.library.rules import Rule as Rule
from ferrata.ge.library.rules import rule as rule
from ferrata.ge.library.table import names as names
from ferrata.ge.library.table import prototype as prototype
