"""`torchair._ge_concrete_graph.ge_apis`: one function per GE operator type, made when it is asked for."""

from ferrata.torchair.apis import ge_api


def __getattr__(name: str):
    if name.startswith("__"):
        raise AttributeError(name)
    return ge_api(name)
