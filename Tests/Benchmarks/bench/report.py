"""The tables of a run."""

from growth import growth
from results import change, differing_options, divide, ranged, spread
from store_report import stores
from table import columns, percent, ratio

MEGABYTE = 1 << 20

# Above this share of the machine, other programs falsify the figures.
QUIET_PERCENT = 10


def report(run, last_name, last):
    parts = [
        heading(run), in_process(run, last), instructions(run, last), through_nginx(run, last),
        stores(run, last, is_noisy), growth(run), sizes(run), rest(run, last)]
    if last:
        parts.append(comparison(run, last_name, last))
    return "\n\n".join(part for part in parts if part)


def heading(run):
    machine, options = run["machine"], run["options"]
    return (f"Gatehouse {run['commit']}, {run['at']}, {machine['cores']} cores, {machine['processor']}\n"
            f"{rounds_of(options)} of {options['seconds']} s each through nginx, a {options['build']} build.")


def rounds_of(options):
    if options["rounds"] == 1:
        return "One round"
    return f"Medians of {options['rounds']} rounds (± is their spread)"


def in_process(run, last):
    if not run.get("in_process"):
        return ""
    rows = [["in one process", "time", "±", "allocations", "instructions", "time", "allocations", "instructions"]]
    for name, found in run["in_process"].items():
        before = (last or {}).get("in_process", {}).get(name)
        time = ranged(found, "nanoseconds")
        rows.append([
            name, duration(found["nanoseconds"]), percent(spread(time)), f"{found['allocations']:,.1f}",
            f"{found['instructions']:,.0f}" if "instructions" in found else "",
            *(str(change({"x": ranged(found, figure)}, {"x": ranged(before, figure)}, "x"))
              for figure in ("nanoseconds", "allocations", "instructions"))])
    return columns(rows)


def instructions(run, last):
    if not run.get("instructions"):
        return ""
    before = (last or {}).get("instructions", {})
    rows = [["one request to the server", "instructions", ""]]
    for workload in run["instructions"]:
        rows.append([workload, f"{run['instructions'][workload]:,.0f}", str(change(
            {"x": ranged(run["instructions"], workload)}, {"x": ranged(before, workload)}, "x"))])
    return columns(rows)


def through_nginx(run, last):
    if not run.get("through_nginx"):
        return ""
    rows = [["through nginx", "at", "requests/s", "±", "of floor", "CPU µs", "±", "× floor", "p50 ms", "p99", "p99.9",
             "others", "requests/s", "CPU"]]
    for workload, cells in run["through_nginx"].items():
        for connections, cell in cells.items():
            rows.append(nginx_row(workload, connections, cell, last))
    return columns(rows)


def nginx_row(workload, connections, cell, last):
    server, ratios = cell["server"], cell.get("ratios", {})
    before = (last or {}).get("through_nginx", {}).get(workload, {}).get(connections, {}).get("server")
    rate, cpu = server["requests_per_second"], server["cpu_us"]
    return [
        workload, connections, f"{rate['median']:,.0f}", percent(spread(rate)), ratio(ratios.get("requests_per_second")),
        f"{cpu['median']:.1f}", percent(spread(cpu)), ratio(ratios.get("cpu_us")),
        *(f"{server[figure]['median']:.2f}" for figure in ("p50_ms", "p99_ms", "p999_ms")),
        percent(server["others_percent"]["median"]) + ("!" if is_noisy(server) else ""),
        *(str(change(server, before, figure)) for figure in ("requests_per_second", "cpu_us"))]


def is_noisy(server):
    return server["others_percent"]["median"] + server["stolen_percent"]["median"] > QUIET_PERCENT


def sizes(run):
    if not run.get("sizes"):
        return ""
    small, large = run["sizes"]["small"], run["sizes"]["large"]
    rows = [["with many users", small["label"], "±", large["label"], "±", "times"]]
    for workload in small["cells"]:
        for figure, name in (("cpu_us", "CPU µs"), ("requests_per_second", "requests/s"), ("p99_ms", "p99 ms")):
            rows.append(sized_row(f"{workload}, {name}", *(size["cells"][workload][figure] for size in (small, large))))
    rows.append(sized_row("start to first answer, ms", *(start_figure(size["starts"]) for size in (small, large))))
    return columns(rows)


def sized_row(name, small, large):
    pair = [text for figure in (small, large) for text in (f"{figure['median']:,.1f}", percent(spread(figure)))]
    return [name, *pair, ratio(divide(large["median"], small["median"]))]


def rest(run, last):
    rows = []
    last = last or {}
    if starts := run.get("starts"):
        before = last.get("starts")
        rows.append([
            "start to first answer", f"{starts['median_ms']:.1f} ms",
            f"{starts['range_ms'][0]:.1f} to {starts['range_ms'][1]:.1f} in {starts['times']} starts",
            str(change({"x": start_figure(starts)}, {"x": start_figure(before)}, "x"))])
    if size := run.get("binary_bytes"):
        before = {"x": ranged(last, "binary_bytes")}
        rows.append(["program, stripped", f"{size / MEGABYTE:.1f} MB", "",
                     str(change({"x": ranged(run, "binary_bytes")}, before, "x"))])
    if memory := run.get("memory"):
        before = {"x": ranged(last.get("memory"), "resident_bytes")}
        rows.append([
            "resident memory", f"{memory['resident_bytes'] / MEGABYTE:.1f} MB",
            f"after {memory['requests']:,} requests ({memory['workload']}); "
            f"{memory['most_resident_bytes'] / MEGABYTE:.1f} maximum of all measurements",
            str(change({"x": ranged(memory, "resident_bytes")}, before, "x"))])
    return columns(rows, left=3)


def start_figure(starts):
    return {"median": starts["median_ms"], "range": starts["range_ms"]} if starts else None


def comparison(run, name, last):
    text = (f"The last columns show the change since {name} ({last['commit']}, {last['at']}). Changes in brackets may be "
            "noise: the rounds of the two runs overlap, or there was only one round.")
    if differing := differing_options(run, last):
        text += f"\nThe two runs had different options: {', '.join(differing)}."
    if run["machine"] != last["machine"]:
        text += "\nThat run was on another machine, so the changes do not come from the program."
    return text


def duration(nanoseconds):
    if nanoseconds < 10_000:
        return f"{nanoseconds:,.0f} ns"
    return f"{nanoseconds / 1000:,.1f} µs" if nanoseconds < 1e7 else f"{nanoseconds / 1e6:,.1f} ms"
