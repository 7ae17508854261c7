"""Interfaces of later chips that dav-2201 does not have, and what to write instead.

Generated from the API registry by tools/gen_api.py: change ferrata/lang/apis/absent.py and run it. hints.py reads it.
"""

ABSENT = {
    "Subs": "Adds with the negated scalar; for scalar - src also Muls with -1 before it",
    "Divs": "Muls with the reciprocal of the scalar, or Duplicate and Div",
    "Ands": "Duplicate of the scalar and And",
    "Ors": "Duplicate of the scalar and Or",
    "Neg": "Muls with -1",
    "Prelu": "Mul, then Compare with zero (CompareScalar) and Select; LeakyRelu for one slope",
    "Mull": "Mul for the low half; the high half has no instruction",
    "AbsSub": "Sub and Abs",
    "FusedAbsSub": "Sub and Abs",
    "ExpSub": "Sub and Exp",
    "FusedExpSub": "Sub and Exp",
    "MulsCast": "Muls and Cast",
    "FusedMulsCast": "Muls and Cast",
    "Truncate": "Cast from float to float with RoundMode::CAST_TRUNC",
    "Scatter": "SetValue for each element, or Gather with the inverse permutation",
    "Interleave": "Gather with a tensor of byte offsets",
    "DeInterleave": "GatherMask with the patterns 1 and 2",
    "VectorPadding": "DataCopyPad on the way from GM, or Gather",
    "ProposalConcat": "Concat, and Sort32 on score and index pairs",
    "ProposalExtract": "Extract, on score and index pairs",
    "RpSort16": "Sort32",
    "MrgSort4": "MrgSort",
}

WITHOUT_FORM = {
    "Adds": "Adds(dst, src, scalar, count): the scalar is a number and stands last",
    "Muls": "Muls(dst, src, scalar, count): the scalar is a number and stands last",
    "Maxs": "Maxs(dst, src, scalar, count): the scalar is a number and stands last",
    "Mins": "Mins(dst, src, scalar, count): the scalar is a number and stands last",
    "Compares": "CompareScalar or Compares with the scalar last, and the mirrored CMPMODE",
    "Select": "Select with the tensor first and the scalar second, and the inverted mask",
    "ShiftLeft": "ShiftLeft with a number as the distance",
    "ShiftRight": "ShiftRight with a number as the distance",
    "Duplicate": "Duplicate with src.GetValue(0), or Brcb",
    "Copy": "Copy with a mask and repeats, or DataCopy(dst, src, count)",
}
