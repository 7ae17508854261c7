"""Export: one operator, or a module of operators, as a project that builds with the public toolkit alone.

    export(operators, folder, form="ge")

view.py puts an operator into words (its C++ comes from ferrata.op.plan), project.py fills the templates, opdef.py does so
for the OpDef form, cases.py finds arguments for the test, find.py reads `FILE.py:NAME`, write.py puts the files into
place. What comes out does not know ferrata.
"""

from __future__ import annotations

from ferrata.op.export.find import find as find
from ferrata.op.export.project import FORMS as FORMS
from ferrata.op.export.project import export as export
from ferrata.op.export.project import files as files
from ferrata.op.export.scaffold import scaffold as scaffold

__all__ = ["FORMS", "export", "files", "find", "scaffold"]
