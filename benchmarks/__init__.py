"""Speed of ferrata as ratios against torch, each measured side by side in one run. `make bench` runs all of it."""
