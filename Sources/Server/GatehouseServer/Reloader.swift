package import Gatehouse
import JSON
import Synchronization

/// Reads the settings again and applies them: all of them, or none when one is invalid.
final class Reloader: Sendable {
    typealias Reading = @Sendable () throws(SettingFaults) -> Configuration

    private let assembly: Assembly
    private let log: Log
    private let read: Reading
    let record: ReloadRecord
    /// The settings at the start, which stay in force for those that need a restart.
    private let start: SettingDigests
    private let last: Mutex<SettingDigests>

    /// - Parameter configuration: the one that the assembly was built from.
    init(_ configuration: Configuration, for assembly: Assembly, log: Log, reading read: @escaping Reading) {
        (self.assembly, self.log, self.read) = (assembly, log, read)
        record = ReloadRecord(start: assembly.platform.now())
        start = configuration.digests
        last = Mutex(configuration.digests)
    }

    /// False when the settings are invalid and nothing was changed.
    @discardableResult
    func reload() -> Bool {
        let configuration: Configuration
        do throws(SettingFaults) {
            configuration = try read()
            try requireFit(configuration)
        } catch {
            for fault in error.faults { log(.error, "reload", [("fault", .string(fault.description))]) }
            log(.error, "reload_refused", [("reason", "the previous settings stay in force")])
            record.recordRefusal(error.faults)
            return false
        }
        assembly.apply(configuration)
        // Logged under the more verbose of the old and the new level.
        let isLoggedBefore = log.admits(.info)
        if isLoggedBefore { logChanges(to: configuration) }
        log.setLevel(configuration.logLevel)
        if !isLoggedBefore { logChanges(to: configuration) }
        record.recordSuccess(at: assembly.platform.now())
        return true
    }

    /// Refuses a refresh secret that does not belong to the database, which would sign every user out, and an RP id to which
    /// its passkeys do not belong.
    private func requireFit(_ configuration: Configuration) throws(SettingFaults) {
        let table = Settings.table
        try requireFit(configuration, of: table.keys.refreshSecret, table.refreshSecretRows) {
            () throws(StoreFailure) in
            try assembly.unfittingSecret(configuration.refreshKeys)?.reason
        }
        try requireFit(configuration, of: table.passkeys.rpID, [table.passkeys.rpID]) {
            () throws(StoreFailure) in
            try assembly.changedRPID(configuration.policy)?.reason
        }
    }

    /// - Parameter fault: asks the database. Other settings are applied also while it cannot be read.
    private func requireFit(
        _ configuration: Configuration, of row: some SettingRow, _ rows: [any SettingRow],
        _ fault: () throws(StoreFailure) -> String?
    ) throws(SettingFaults) {
        let changes = last.withLock { $0.changes(to: configuration.digests) }
        guard !changes.isDisjoint(with: rows.map(\.name)) else { return }
        let message: String?
        do throws(StoreFailure) { message = try fault() } catch {
            message = "cannot be compared with the database: \(error.description)"
        }
        guard let message else { return }
        throw SettingFaults(faults: [SettingFault(row.name, message)])
    }

    /// Only the names of settings: their values may be secret.
    private func logChanges(to configuration: Configuration) {
        for warning in configuration.warnings { log(.warning, "configuration", [("warning", .string(warning))]) }
        let before = last.withLock { last in
            defer { last = configuration.digests }
            return last
        }
        let changed = before.changes(to: configuration.digests).subtracting(Settings.namesNeedingRestart)
        let waiting = start.changes(to: configuration.digests).intersection(Settings.namesNeedingRestart)
        log(
            waiting.isEmpty ? .info : .warning, "reloaded",
            [("changed", Self.list(changed)), ("needs_restart", Self.list(waiting))])
    }

    private static func list(_ names: Set<String>) -> JSONValue { .array(names.sorted().map(JSONValue.string)) }
}

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
