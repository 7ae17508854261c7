"""TestCase and run_tests: unittest with comparisons of tensors, arrays and numbers across devices."""

from __future__ import annotations

import os
import random
import sys
import unittest
from typing import Any

import expecttest
import numpy as np
import torch

import ferrata.npu  # noqa: F401  (registers the device)

Array = np.ndarray[Any, Any]


def _device() -> str:
    return os.environ.get("SET_NPU_DEVICE") or "npu:0"


def _array(value: Any) -> Array:
    """A NumPy array of a tensor, array, number or list; bfloat16 becomes float32."""
    if isinstance(value, torch.Tensor):
        plain = value.detach().cpu()
        return np.asarray((plain.float() if plain.dtype == torch.bfloat16 else plain).numpy())
    return np.asarray(value)


def _describe(left: Array, right: Array, wrong: Array, limit: int = 5) -> str:
    """The first elements that differ, with their indices."""
    places = np.argwhere(wrong)
    shown = [
        f"  at {tuple(int(i) for i in place)}: {left[tuple(place)]} and {right[tuple(place)]}"
        for place in places[:limit]
    ]
    more = [f"  and {len(places) - limit} more"] if len(places) > limit else []
    return "\n".join([f"{len(places)} of {left.size} elements differ:", *shown, *more])


class TestCase(expecttest.TestCase):
    """unittest.TestCase with tensor comparisons; every test starts from the same seeds (SEED, else 666)."""

    precision: float = 1e-5
    npu_device: str = _device()

    @classmethod
    def setUpClass(cls) -> None:
        """Take the device from SET_NPU_DEVICE and make it current."""
        super().setUpClass()
        cls.npu_device = _device()
        torch.npu.set_device(cls.npu_device)  # type: ignore[attr-defined]

    def setUp(self) -> None:
        """Seed Python, NumPy, torch and the device."""
        super().setUp()
        seed = int(os.environ.get("SEED", "666"))
        random.seed(seed)
        np.random.seed(seed)
        torch.manual_seed(seed)

    def assertRtolEqual(
        self,
        x: Any,
        y: Any,
        prec: float = 1e-4,
        prec16: float = 1e-3,
        auto_trans_dtype: bool = False,
        message: Any = None,
    ) -> None:
        """x and y agree: tensors, arrays, numbers or lists of them.

        Shapes must match, dtypes too unless auto_trans_dtype. float16 is held to prec16, bfloat16 to torch.allclose
        with it. Fails when the elements that are off by more than prec, absolutely and relatively, are both more than
        prec of all.
        """
        if isinstance(x, (list, tuple)) and isinstance(y, (list, tuple)):
            self.assertEqual(len(x), len(y), message=message or "lists of different lengths")
            for left, right in zip(x, y, strict=True):
                self.assertRtolEqual(left, right, prec, prec16, auto_trans_dtype, message)
            return
        both_bf16 = all(isinstance(value, torch.Tensor) and value.dtype == torch.bfloat16 for value in (x, y))
        if isinstance(x, torch.Tensor) and isinstance(y, torch.Tensor) and x.dtype != y.dtype and not auto_trans_dtype:
            self.fail(_text(message, f"dtypes differ: {x.dtype} and {y.dtype}"))
        left, right = _array(x), _array(y)
        if left.shape != right.shape:
            self.fail(_text(message, f"shapes differ: {left.shape} and {right.shape}"))
        if left.dtype != right.dtype and not auto_trans_dtype and not (np.isscalar(x) or np.isscalar(y)):
            self.fail(_text(message, f"dtypes differ: {left.dtype} and {right.dtype}"))
        if left.dtype.kind not in "fc" and right.dtype.kind not in "fc":
            wrong = left != right
            if np.any(wrong):
                self.fail(_text(message, _describe(left, right, wrong)))
            return
        limit = prec16 if np.float16 in (left.dtype, right.dtype) or both_bf16 else prec
        if both_bf16:
            wrong = ~np.isclose(left, right, rtol=limit, atol=limit, equal_nan=True)
            if np.any(wrong):
                self.fail(_text(message, _describe(left, right, wrong)))
            return
        self._check_shares(left, right, limit, message)

    def _check_shares(self, left: Array, right: Array, limit: float, message: Any) -> None:
        kind = np.complex128 if "c" in (left.dtype.kind, right.dtype.kind) else np.float64
        a, b = left.astype(kind), right.astype(kind)
        with np.errstate(invalid="ignore", divide="ignore"):
            same = (a == b) | (np.isnan(a) & np.isnan(b))
            off = np.where(same, 0.0, np.abs(a - b))
            off = np.where(np.isnan(off), np.inf, off)
            scale = np.minimum(np.abs(a), np.abs(b)) + 1e-30
            relative = np.where(np.isfinite(scale), off / scale, off)
        absolute_wrong, relative_wrong = off > limit, relative > limit
        allowed = left.size * limit
        if absolute_wrong.sum() > allowed and relative_wrong.sum() > allowed:
            self.fail(_text(message, _describe(left, right, absolute_wrong & relative_wrong)))

    def assertEqual(
        self,
        x: Any,
        y: Any,
        prec: Any = None,
        message: Any = "",
        allow_inf: bool = False,
        exact_dtype: bool | None = None,
    ) -> None:
        """x and y are equal; tensors and numbers within prec (the class's precision unless given), on any device."""
        if isinstance(prec, str):  # unittest's order: assertEqual(x, y, msg)
            prec, message = None, prec
        limit = self.precision if prec is None else max(self.precision, float(prec))
        if isinstance(x, torch.Tensor) or isinstance(y, torch.Tensor):
            self._tensors_equal(x, y, limit, message, bool(exact_dtype))
        elif isinstance(x, np.ndarray) or isinstance(y, np.ndarray):
            self._tensors_equal(torch.as_tensor(np.asarray(x)), torch.as_tensor(np.asarray(y)), limit, message, False)
        elif isinstance(x, dict) and isinstance(y, dict):
            super().assertEqual(set(x), set(y), message or None)
            for key in x:
                self.assertEqual(x[key], y[key], prec, message, allow_inf, exact_dtype)
        elif isinstance(x, (list, tuple)) and isinstance(y, (list, tuple)) and type(x) is type(y):
            super().assertEqual(len(x), len(y), message or None)
            for left, right in zip(x, y, strict=True):
                self.assertEqual(left, right, prec, message, allow_inf, exact_dtype)
        elif isinstance(x, (float, complex)) or isinstance(y, (float, complex)):
            if not (x == y or (x != x and y != y) or abs(x - y) <= limit):
                self.fail(_text(message, f"{x} and {y} differ by {abs(x - y)}, allowed is {limit}"))
        else:
            super().assertEqual(x, y, message or None)

    def _tensors_equal(self, x: Any, y: Any, limit: float, message: Any, exact_dtype: bool) -> None:
        left, right = (value if isinstance(value, torch.Tensor) else torch.as_tensor(value) for value in (x, y))
        if left.shape != right.shape and left.numel() * right.numel() != 1:
            self.fail(_text(message, f"shapes differ: {tuple(left.shape)} and {tuple(right.shape)}"))
        if exact_dtype and left.dtype != right.dtype:
            self.fail(_text(message, f"dtypes differ: {left.dtype} and {right.dtype}"))
        a, b = (_array(value.to_dense() if value.is_sparse else value) for value in (left, right))
        wrong = np.broadcast_to(
            ~np.isclose(a, b, rtol=0, atol=limit, equal_nan=True), np.broadcast_shapes(a.shape, b.shape)
        )
        if np.any(wrong):
            wide_a, wide_b = np.broadcast_arrays(a, b)
            self.fail(_text(message, _describe(wide_a, wide_b, wrong)))

    def assertAlmostEqual(  # type: ignore[override]
        self,
        x: Any,
        y: Any,
        places: int | None = None,
        msg: Any = None,
        delta: float | None = None,
        allow_inf: bool = False,
    ) -> None:
        """As unittest's; tensors too."""
        self.assertEqual(x, y, delta if delta is not None else (10.0 ** -(places or 7)), msg or "", allow_inf)

    def assertNotEqual(self, x: Any, y: Any, prec: Any = None, message: Any = "") -> None:
        """x and y are not equal within prec."""
        try:
            self.assertEqual(x, y, prec)
        except AssertionError:
            return
        self.fail(_text(message, f"{x} and {y} are equal"))

    def assertTensorsSlowEqual(
        self, x: torch.Tensor, y: torch.Tensor, prec: float | None = None, message: Any = ""
    ) -> None:
        """Element by element within prec."""
        self._tensors_equal(x, y, self.precision if prec is None else prec, message, False)

    def safeCoalesce(self, t: torch.Tensor) -> torch.Tensor:
        """The coalesced form of a sparse tensor."""
        return t.coalesce()

    def safeToDense(self, t: torch.Tensor) -> torch.Tensor:
        """The dense form of a sparse tensor."""
        return self.safeCoalesce(t).to_dense()


def _text(message: Any, what: str) -> str:
    return f"{message}: {what}" if message else what


def run_tests() -> None:
    """Run this module's tests and exit. With IN_CI set, also write XML reports to TEST_REPORT_PATH or test-reports."""
    argv = sys.argv
    if not os.environ.get("IN_CI"):
        unittest.main(argv=argv)
        return
    folder = os.environ.get("TEST_REPORT_PATH", "test-reports")
    try:
        import xmlrunner  # type: ignore[import-not-found]
    except ImportError:
        print("IN_CI: install unittest-xml-reporting for XML reports; running without", file=sys.stderr)
        unittest.main(argv=argv)
        return
    unittest.main(argv=argv, testRunner=xmlrunner.XMLTestRunner(output=folder))
