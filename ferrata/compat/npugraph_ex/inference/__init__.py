"""`npugraph_ex.inference`."""

from ferrata.torchair import later as _later

globals().update(vars(_later.inference))
