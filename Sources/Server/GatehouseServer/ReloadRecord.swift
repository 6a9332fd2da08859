package import Gatehouse
import Synchronization

/// The result of the last reload, for the status line and the metrics.
package final class ReloadRecord: Sendable {
    private struct State {
        var succeededAt: Timestamp
        var refusal: String?
        var count = 0
    }

    private let state: Mutex<State>

    /// - Parameter start: the time at which the process read its first settings.
    package init(start: Timestamp) {
        state = Mutex(State(succeededAt: start))
    }

    package func recordSuccess(at moment: Timestamp) {
        state.withLock { state in
            state = State(succeededAt: moment, refusal: nil, count: state.count + 1)
        }
    }

    package func recordRefusal(_ faults: [SettingFault]) {
        let rest = faults.count > 1 ? " (and \(faults.count - 1) more)" : ""
        let reason = (faults.first?.description ?? "unknown") + rest
        state.withLock { state in
            state.refusal = "settings refused at the last reload, the previous ones stay in force: \(reason)"
            state.count += 1
        }
    }

    /// The first fault of the last reload; nil if it succeeded.
    package var refusal: String? { state.withLock(\.refusal) }

    /// Number of reloads since the start.
    var count: Int { state.withLock(\.count) }
}

extension ReloadRecord: MetricSource {
    func write(to text: inout Exposition) {
        let state = state.withLock { $0 }
        text.write(
            "gatehouse_config_last_reload_successful", .gauge,
            "1 if the last reload of the settings succeeded, 0 if it was refused.", state.refusal == nil ? 1 : 0)
        text.write(
            "gatehouse_config_last_reload_success_timestamp_seconds", .gauge,
            "Time at which the settings in force were read, in seconds since 1970.",
            Double(state.succeededAt.milliseconds) / 1000)
    }
}
