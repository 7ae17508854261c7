"""What each instruction does, written from the specification in NumPy and never from the emulation.

`memory` is a byte image with typed views, `addressing` says where a lane lives and which lanes are active; one file a
family of instructions computes on them. A reference changes the image in place, as the instruction does.
"""
