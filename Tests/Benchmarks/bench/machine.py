"""Processor time and memory of processes and of the machine."""

import os

TICKS = os.sysconf("SC_CLK_TCK")
CORES = os.cpu_count() or 1


def cpu_seconds(pid):
    """User and system time of all threads of a process."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def tree_seconds(pid):
    """User and system time of a process, its descendants, and those of its children that have ended."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / TICKS + sum(map(tree_seconds, children(pid)))
    except (FileNotFoundError, ProcessLookupError):
        return 0.0


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


def memory(pid):
    """Resident bytes: current and maximum."""
    found = {}
    with open(f"/proc/{pid}/status") as file:
        for line in file:
            name, _, value = line.partition(":")
            if name in ("VmRSS", "VmHWM"):
                found[name] = int(value.split()[0]) * 1024
    return found["VmRSS"], found["VmHWM"]


def machine_seconds():
    """Busy and stolen time of all processors."""
    with open("/proc/stat") as file:
        user, nice, system, idle, wait, interrupt, soft, steal = map(int, file.readline().split()[1:9])
    return (user + nice + system + interrupt + soft) / TICKS, steal / TICKS
