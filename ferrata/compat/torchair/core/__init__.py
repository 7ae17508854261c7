"""`torchair.core`."""
