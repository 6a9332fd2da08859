import FileSystem
import Gatehouse
import Processes

/// The process metrics under the names that Prometheus' client libraries use, and the version.
struct ProcessGauges: MetricSource {
    let startedAt: Timestamp
    let now: @Sendable () -> Timestamp
    /// Whether an operator has stopped or restarted the last process, as the package's unit records it.
    var followsStop = (try? File.read("/run/gatehouse/last_end", atMost: 64)) == Array("success\n".utf8)

    func write(to text: inout Exposition) {
        text.begin(Family("gatehouse_build_info", .gauge, "The version of Gatehouse."))
        text.sample(1, [("version", Version.current)])
        text.begin(
            Family("gatehouse_time_seconds", .gauge, "The machine's clock, in seconds since 1970."))
        text.sample(Double(now().milliseconds) / 1000)
        let usage = ProcessUsage()
        text.begin(Family("process_start_time_seconds", .gauge, "When the process started, in seconds since 1970."))
        text.sample(Double(startedAt.milliseconds) / 1000)
        text.begin(
            Family(
                "gatehouse_start_follows_stop", .gauge,
                "1 if the last process was stopped, 0 if it failed or is unknown."))
        text.sample(followsStop ? 1 : 0)
        text.begin(Family("process_cpu_seconds_total", .counter, "CPU time, user and system."))
        text.sample(usage.cpuSeconds)
        text.begin(Family("process_resident_memory_bytes", .gauge, "Resident memory."))
        text.sample(usage.residentBytes.map(Double.init))
        text.begin(Family("process_virtual_memory_bytes", .gauge, "Virtual memory."))
        text.sample(usage.virtualBytes.map(Double.init))
        text.begin(Family("process_threads", .gauge, "Threads of the process."))
        text.sample(usage.threads.map(Double.init))
        text.begin(Family("process_open_fds", .gauge, "Open file descriptors."))
        text.sample(usage.openDescriptors.map(Double.init))
        text.begin(Family("process_max_fds", .gauge, "The limit of open file descriptors."))
        text.sample(usage.descriptorLimit.map(Double.init))
    }
}

/// Counts the log lines that were lost.
struct LogCounts: MetricSource {
    let log: Log

    func write(to text: inout Exposition) {
        text.begin(
            Family(
                "gatehouse_log_lines_dropped_total", .counter, "Log lines that were lost because nothing read the log.")
        )
        text.sample(log.droppedLines)
    }
}
