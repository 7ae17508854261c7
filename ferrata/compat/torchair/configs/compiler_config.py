"""`torchair.configs.compiler_config`."""

from ferrata.torchair.config import CompilerConfig  # noqa: F401
