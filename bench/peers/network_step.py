# SPDX-License-Identifier: Apache-2.0
"""One non-private training step of the networks of bench/training_step.cc in Debian's torch, where it is installed.

Forward, backward and plain SGD on a fixed batch of 256 in memory: no sampling, no clipping, no noise. Prints milliseconds per
step for one thread and two, the best of several rounds, with torch's version and BLAS.
"""

import time

try:
    import torch
    from torch import nn
except ImportError:
    print("torch is not installed (Debian: python3-torch): skipped")
    raise SystemExit(0)

BATCH, STEPS, ROUNDS = 256, 5, 5


def mlp():
    layers = [nn.Linear(107, 256), nn.Tanh(), nn.Linear(256, 256), nn.Tanh(), nn.Linear(256, 2)]
    return nn.Sequential(*layers), torch.rand(BATCH, 107), 2


def cnn(channels):
    layers, before, side = [], 1, 28
    for after in channels:
        layers += [nn.Conv2d(before, after, 3), nn.Tanh()]
        before, side = after, side - 2
    layers += [nn.Flatten(), nn.Linear(before * side * side, 10)]
    return nn.Sequential(*layers), torch.rand(BATCH, 1, 28, 28), 10


def step_time(model, x, classes):
    y = torch.randint(classes, (BATCH,))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loss = nn.CrossEntropyLoss()
    best = float("inf")
    for _ in range(ROUNDS + 1):
        start = time.perf_counter()
        for _ in range(STEPS):
            optimizer.zero_grad()
            loss(model(x), y).backward()
            optimizer.step()
        best = min(best, (time.perf_counter() - start) / STEPS)
    return 1e3 * best


torch.manual_seed(1)
capability = [line.strip(" -") for line in torch.__config__.show().splitlines() if "CPU capability" in line]
with open("/proc/self/maps", encoding="ascii", errors="replace") as maps:
    blas = {line.split("/")[-1].strip() for line in maps if "blas" in line}
print(f"torch {torch.__version__}; {'; '.join(capability)}; {', '.join(sorted(blas)) or 'its own BLAS'}")
for threads in (1, 2):
    torch.set_num_threads(threads)
    for name, (model, x, classes) in {
        "mlp 107-256-256-2": mlp(),
        "cnn 32,16": cnn([32, 16]),
        "cnn 32,32,16,16": cnn([32, 32, 16, 16]),
    }.items():
        print(f"{name}, {threads} threads: {step_time(model, x, classes):.2f} ms per non-private step")
