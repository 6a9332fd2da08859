import Gatehouse
import JSON
import Synchronization

/// Reads the settings anew when it is told to, and has what can change do so at once: all of it, or none.
final class Reloader: Sendable {
    typealias Reading = @Sendable () throws(SettingFaults) -> Configuration

    private let assembly: Assembly
    private let log: Log
    private let read: Reading
    let record: ReloadRecord
    /// What the process has been built on, and goes on with until it is started anew.
    private let start: SettingDigests
    private let last: Mutex<SettingDigests>

    /// - Parameter configuration: what the assembly was made of.
    init(_ configuration: Configuration, for assembly: Assembly, log: Log, reading read: @escaping Reading) {
        self.assembly = assembly
        self.log = log
        self.read = read
        record = ReloadRecord(start: assembly.world.now())
        start = configuration.digests
        last = Mutex(configuration.digests)
    }

    /// False where the settings are no good, and everything is as it was.
    @discardableResult
    func reload() -> Bool {
        let configuration: Configuration
        do throws(SettingFaults) { configuration = try read() } catch {
            for fault in error.faults { log(.error, "reload", [("fault", .string(fault.description))]) }
            log(.error, "reload_refused", [("reason", "the settings before stay as they are")])
            record.noteRefusal(error.faults)
            return false
        }
        assembly.adopt(configuration)
        // Told by the one of both levels that says more.
        let isToldNow = log.admits(.info)
        if isToldNow { note(configuration) }
        log.setLevel(configuration.logLevel)
        if !isToldNow { note(configuration) }
        record.noteSuccess(at: assembly.world.now())
        return true
    }

    /// By name: what they say may be secret.
    private func note(_ configuration: Configuration) {
        for warning in configuration.warnings { log(.warning, "configuration", [("warning", .string(warning))]) }
        let before = last.withLock { last in
            defer { last = configuration.digests }
            return last
        }
        let changed = before.changes(to: configuration.digests).subtracting(Setting.fixed)
        let waiting = start.changes(to: configuration.digests).intersection(Setting.fixed)
        log(
            waiting.isEmpty ? .info : .warning, "reloaded",
            [("changed", Self.list(changed)), ("needs_restart", Self.list(waiting))])
    }

    private static func list(_ names: Set<String>) -> JSONValue { .array(names.sorted().map(JSONValue.string)) }
}

extension Setting {
    fileprivate static let fixed = Set(all.filter(\.needsRestart).map(\.name))
}
