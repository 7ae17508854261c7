"""C++ of ferrata: `include/` (the emulated core, the public ACL and GE headers) and `src/` (their libraries, the device).

Nothing is built when the package is installed: `build.py` compiles each library on first use, for exactly the compiler
and the torch that are there, and keeps it in the content-addressed cache.
"""
