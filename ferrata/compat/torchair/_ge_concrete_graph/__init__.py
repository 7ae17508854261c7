"""`torchair._ge_concrete_graph`: the private package that existing converters import from."""
