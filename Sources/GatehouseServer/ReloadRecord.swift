package import Gatehouse
import Synchronization

/// What came of the last reading of the settings, for the status line and the metrics.
package final class ReloadRecord: Sendable {
    private struct State {
        var succeededAt: Timestamp
        var refusal: String?
        var count = 0
    }

    private let state: Mutex<State>

    /// - Parameter start: when the settings were read that the process began with.
    package init(start: Timestamp) {
        state = Mutex(State(succeededAt: start))
    }

    package func noteSuccess(at moment: Timestamp) {
        state.withLock { state in
            state = State(succeededAt: moment, refusal: nil, count: state.count + 1)
        }
    }

    package func noteRefusal(_ faults: [SettingFault]) {
        let rest = faults.count > 1 ? " (and \(faults.count - 1) more)" : ""
        let reason = (faults.first?.description ?? "unknown") + rest
        state.withLock { state in
            state.refusal = "settings refused at the last reload, those before stay in force: \(reason)"
            state.count += 1
        }
    }

    /// What is wrong since the last reload; nil where it succeeded.
    package var refusal: String? { state.withLock(\.refusal) }

    /// How often the settings were read since the start.
    var count: Int { state.withLock(\.count) }
}

extension ReloadRecord: MetricSource {
    func write(to text: inout Exposition) {
        let state = state.withLock { $0 }
        text.begin(
            Family(
                "gatehouse_config_last_reload_successful", .gauge,
                "1 where the last reading of the settings succeeded, 0 where it was refused."))
        text.sample(state.refusal == nil ? 1 : 0)
        text.begin(
            Family(
                "gatehouse_config_last_reload_success_timestamp_seconds", .gauge,
                "When the settings in force were read, in seconds since 1970."))
        text.sample(Double(state.succeededAt.milliseconds) / 1000)
    }
}
