"""Kernels in Python: the registry of Ascend C interfaces, and the translator to Ascend C source."""
