"""`torchair.llm_datadist`."""

from ferrata.torchair import later as _later

globals().update(vars(_later.llm_datadist))
