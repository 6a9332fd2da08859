"""The tables of a comparison of the stores."""

from goals import measured_goals
from results import change, spread
from stores import SQLITE
from table import columns, percent


def stores(run, last, is_noisy):
    found = run.get("stores")
    if not found:
        return ""
    before = (last or {}).get("stores", {})
    return "\n\n".join(part for part in (
        heading(found), floor(found, before), cells(found, before, is_noisy), goals(found)) if part)


def heading(found):
    settings = ", ".join(f"{name} {value}" for name, value in found["settings"].items())
    return (f"PostgreSQL {found['version']} on a Unix socket of this machine: {settings}\n"
            f"{found['users']:,} users, {found['sessions']:,} sessions, {found['connections']} connections")


def floor(found, before):
    bench = found.get("pgbench")
    if not bench:
        return ""
    return columns([
        ["pgbench -M prepared", "transactions/s", "±", "CPU µs of PostgreSQL", "±", "of pgbench", "mean ms",
         "transactions/s", "CPU"],
        ["UPDATE of a rotation", *figure(bench, "transactions_per_second", ",.0f"),
         *figure(bench, "database_cpu_us", ".1f"), f"{bench['client_cpu_us']['median']:.1f}",
         f"{bench['mean_ms']['median']:.2f}",
         *(str(change(bench, before.get("pgbench"), name)) for name in ("transactions_per_second", "database_cpu_us"))]])


def cells(found, before, is_noisy):
    rows = [["through nginx", "store", "requests/s", "±", "CPU µs", "±", "of PostgreSQL", "±", "of nginx", "p50 ms", "p99",
             "p99.9", "writes/commit", "others", "requests/s", "CPU", "PostgreSQL"]]
    for workload, sides in found["cells"].items():
        for store, side in sides.items():
            rows.append(row(workload, store, side, before.get("cells", {}).get(workload, {}).get(store), is_noisy))
    return columns(rows, left=2) if len(rows) > 1 else ""


def row(workload, store, side, before, is_noisy):
    batch = side.get("writes_per_commit")
    return [
        workload, store, *figure(side, "requests_per_second", ",.0f"), *figure(side, "cpu_us", ".1f"),
        *(("", "") if store == SQLITE else figure(side, "database_cpu_us", ".1f")),
        f"{side['nginx_cpu_us']['median']:.1f}",
        *(f"{side[name]['median']:.2f}" for name in ("p50_ms", "p99_ms", "p999_ms")),
        f"{batch['median']:.1f}" if batch else "",
        percent(side["others_percent"]["median"]) + ("!" if is_noisy(side) else ""),
        *(str(change(side, before, name)) for name in ("requests_per_second", "cpu_us")),
        "" if store == SQLITE else str(change(side, before, "database_cpu_us"))]


def figure(side, name, shape):
    return format(side[name]["median"], shape), percent(spread(side[name]))


def goals(found):
    rows = [["goal", "measured", "", "goal", ""]]
    for goal, value in measured_goals(found):
        rows.append([goal.name, f"{value:.2f}", goal.sign, f"{goal.limit:.2f}",
                     "met" if goal.is_met(value) else "missed"])
    return columns(rows) if len(rows) > 1 else ""
