"""`torchair.configs`."""
