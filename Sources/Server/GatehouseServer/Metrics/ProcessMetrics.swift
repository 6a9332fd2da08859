import FastCGI
import FileSystem
import Gatehouse
import POSIX
import Processes

/// The process metrics under the names that Prometheus' client libraries use, and the version.
struct ProcessGauges: MetricSource {
    let startedAt: Timestamp
    let now: @Sendable () -> Timestamp
    /// Whether an operator has stopped or restarted the last process, as the package's unit records it.
    var followsStop = (try? File.read("/run/gatehouse/last_end", atMost: 64)) == Array("success\n".utf8)

    func write(to text: inout Exposition) {
        text.begin("gatehouse_build_info", .gauge, "The version of Gatehouse.")
        text.sample(1, [("version", Version.current)])
        text.write(
            "gatehouse_time_seconds", .gauge, "The machine's clock, in seconds since 1970.",
            Double(now().milliseconds) / 1000)
        let usage = ProcessUsage()
        text.write(
            "process_start_time_seconds", .gauge, "When the process started, in seconds since 1970.",
            Double(startedAt.milliseconds) / 1000)
        text.write(
            "gatehouse_start_follows_stop", .gauge, "1 if the last process was stopped, 0 if it failed or is unknown.",
            followsStop ? 1 : 0)
        text.write("process_cpu_seconds_total", .counter, "CPU time, user and system.", usage.cpuSeconds)
        text.write("process_resident_memory_bytes", .gauge, "Resident memory.", usage.residentBytes.map(Double.init))
        text.write("process_virtual_memory_bytes", .gauge, "Virtual memory.", usage.virtualBytes.map(Double.init))
        text.write("process_threads", .gauge, "Threads of the process.", usage.threads.map(Double.init))
        text.write("process_open_fds", .gauge, "Open file descriptors.", usage.openDescriptors.map(Double.init))
        text.write(
            "process_max_fds", .gauge, "The limit of open file descriptors.", usage.descriptorLimit.map(Double.init))
    }
}

/// Counts the log lines that were lost.
struct LogCounts: MetricSource {
    let log: Log

    func write(to text: inout Exposition) {
        text.write(
            "gatehouse_log_lines_dropped_total", .counter, "Log lines that were lost because nothing read the log.",
            log.droppedLines)
    }
}

/// Whether two clocks agree, which the deletion of expired rows needs.
struct ClockGauges: MetricSource {
    let clocks: Clocks

    func write(to text: inout Exposition) {
        let agreement = clocks.agreement
        text.write(
            "gatehouse_clock_agrees", .gauge,
            "1 if the machine's clock agrees with a second one, 0 if not: then nothing expired is deleted.",
            agreement == .agrees ? 1 : 0)
        text.write(
            "gatehouse_clock_lead_seconds", .gauge,
            "How far the machine's clock is ahead of the second one, 0 if both agree; NaN if that is not known.",
            lead(agreement).map { $0 / .seconds(1) })
    }

    private func lead(_ agreement: ClockAgreement) -> Duration? {
        switch agreement {
        case .agrees: .zero
        case .differs(let lead): lead
        case .unconfirmed: nil
        }
    }
}

/// Counts the faults of FastCGI connections.
final class ConnectionMetrics: MetricSource {
    private enum Kind: Int, CaseIterable {
        case refused
        case expired
        case abandoned
        case tooMany
        case unfinished
        case acceptFailed

        var label: String {
            switch self {
            case .refused: "refused"
            case .expired: "expired"
            case .abandoned: "abandoned"
            case .tooMany: "too_many"
            case .unfinished: "unfinished"
            case .acceptFailed: "accept_failed"
            }
        }
    }

    private let faults = StripedCounters(count: Kind.allCases.count)

    func count(_ fault: Fault) {
        let kind: Kind =
            switch fault {
            case .refused: .refused
            case .expired: .expired
            case .abandoned: .abandoned
            case .tooManyConnections: .tooMany
            case .tooManyUnfinishedBytes: .unfinished
            case .acceptFailed: .acceptFailed
            }
        faults.add(1, to: kind.rawValue)
    }

    func write(to text: inout Exposition) {
        text.begin(
            "gatehouse_connection_faults_total", .counter, "Connections that ended without an answer, by reason.")
        for kind in Kind.allCases { text.sample(faults[kind.rawValue], [("kind", kind.label)]) }
    }
}

/// Measures the load at each scrape. The scrape itself occupies one worker and one connection.
struct LoadGauges: MetricSource {
    unowned let responder: Responder

    func write(to text: inout Exposition) {
        text.write("gatehouse_connections_open", .gauge, "Open FastCGI connections.", responder.openConnections)
        text.write(
            "gatehouse_connections_limit", .gauge, "The most FastCGI connections that may be open.",
            responder.limits.connections)
        text.write("gatehouse_workers_busy", .gauge, "Worker threads that are answering.", responder.busyWorkers)
        text.write("gatehouse_workers", .gauge, "Worker threads (WORKERS).", responder.workers)
    }
}
