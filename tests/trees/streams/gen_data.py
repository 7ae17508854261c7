#!/usr/bin/python3
import os

import numpy as np

os.makedirs("data", exist_ok=True)
np.random.default_rng(0).uniform(-1, 1, (64, 256)).astype(np.float32).tofile("data/x.bin")
