"""The plain step of step.cu as PyTorch users write it: float64, pinned host tensors, a handful of operations.

serve(make) answers lines "SECONDS BATCH" on stdin with one JSON object a line; make(n) returns a function that does one
round trip of n events.
"""
import json
import sys
import time

import torch

DEVICE = "cuda"


def tensors(n):
    host_in = torch.empty((n, 4), dtype=torch.float64).uniform_(1, 100).pin_memory()
    host_out = torch.empty((n, 3), dtype=torch.float64).pin_memory()
    index = torch.arange(n, device=DEVICE)
    states = torch.zeros((max(n, 1024), 3), dtype=torch.float64, device=DEVICE)
    return host_in, host_out, index, states


def step(event, index, states):
    mid = 0.5 * (event[:, 0] + event[:, 1])
    imbalance = (event[:, 2] - event[:, 3]) / (event[:, 2] + event[:, 3])
    s = states[index]
    fast = s[:, 0] + 0.1 * (mid - s[:, 0])
    slow = s[:, 1] + 0.01 * (mid - s[:, 1])
    d = mid - slow
    variance = s[:, 2] + 0.01 * (d * d - s[:, 2])
    states[index] = torch.stack((fast, slow, variance), 1)
    return torch.stack((fast - slow, d / torch.sqrt(variance + 1e-12), imbalance), 1)


def measure(once, what, batch, seconds):
    for _ in range(100):
        once()
    took, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end:
        began = time.perf_counter()
        once()
        took.append((time.perf_counter() - began) * 1e6)
    took.sort()
    n = len(took)

    def at(p):
        return round(took[min(n - 1, int(n * p))], 3)

    return {
        "what": what, "batch": batch, "count": n, "min": at(0), "p50": at(0.5), "p90": at(0.9), "p99": at(0.99),
        "p999": at(0.999), "max": at(1), "mean": round(sum(took) / n, 3),
    }


def serve(what, make):
    ready = {}
    print(json.dumps({"what": "ready", "unit": "torch " + torch.__version__}), flush=True)
    for line in sys.stdin:
        seconds, batch = line.split()
        batch = int(batch)
        if batch not in ready:
            ready[batch] = make(batch)
        print(json.dumps(measure(ready[batch], what, batch, float(seconds))), flush=True)
