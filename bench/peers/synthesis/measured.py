# SPDX-License-Identifier: Apache-2.0
"""Runs a command and prints, as JSON, its CPU and wall seconds, peak memory in MB and why it failed (null: not).

Usage: measured.py LIMIT COMMAND ...; after LIMIT CPU seconds the command is ended.
A process of its own, and a small one, because Linux counts the memory of whoever starts a process as its.
"""

import json
import os
import resource
import signal
import sys
import time


def main():
    limit, command = int(sys.argv[1]), sys.argv[2:]
    begin = time.monotonic()
    pid = os.fork()
    if pid == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execvp(command[0], command)
    _, status, usage = os.wait4(pid, 0)
    cpu = usage.ru_utime + usage.ru_stime
    failed = None
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL) and cpu > 0.9 * limit:
        failed = f"did not end in {limit} CPU s"
    elif status != 0:
        failed = f"failed: status {status}"
    print(json.dumps({"failed": failed, "cpu": round(cpu, 2), "wall": round(time.monotonic() - begin, 2),
                      "peak_mb": round(usage.ru_maxrss / 1024)}))  # fmt: skip


main()
