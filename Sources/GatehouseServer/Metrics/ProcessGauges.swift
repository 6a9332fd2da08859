import Gatehouse
import POSIX

/// What every process of whatever kind tells, under the names that dashboards know, and which Gatehouse this is.
struct ProcessGauges: MetricSource {
    let startedAt: Timestamp
    let now: @Sendable () -> Timestamp

    func write(to text: inout Exposition) {
        text.begin(Family("gatehouse_build_info", .gauge, "Which Gatehouse this is."))
        text.sample(1, [("version", Version.current)])
        text.begin(
            Family("gatehouse_time_seconds", .gauge, "What time this machine has, in seconds since 1970."))
        text.sample(Double(now().milliseconds) / 1000)
        let usage = ProcessUsage()
        text.begin(Family("process_start_time_seconds", .gauge, "When the process began, in seconds since 1970."))
        text.sample(Double(startedAt.milliseconds) / 1000)
        text.begin(Family("process_cpu_seconds_total", .counter, "Time of processors, for the program and the kernel."))
        text.sample(usage.cpuSeconds)
        text.begin(Family("process_resident_memory_bytes", .gauge, "Memory that is really there."))
        text.sample(usage.residentBytes.map(Double.init))
        text.begin(Family("process_virtual_memory_bytes", .gauge, "Memory that has an address."))
        text.sample(usage.virtualBytes.map(Double.init))
        text.begin(Family("process_threads", .gauge, "Threads of the process."))
        text.sample(usage.threads.map(Double.init))
        text.begin(Family("process_open_fds", .gauge, "Files and sockets that are open."))
        text.sample(usage.openDescriptors.map(Double.init))
        text.begin(Family("process_max_fds", .gauge, "Files and sockets that may be open."))
        text.sample(usage.mostDescriptors.map(Double.init))
    }
}
