import FileSystem
import POSIX
import Processes

/// The state of a unit, with the property names of `systemctl show`.
struct UnitStatus: Sendable, Equatable {
    private let properties: [String: String]

    init(_ properties: [String: String]) {
        self.properties = properties
    }

    var name: String { self["Id"] }
    var loadState: String { self["LoadState"] }
    /// Whether the unit has a file, which may be masked or invalid.
    var isKnown: Bool { !["", "not-found"].contains(loadState) }
    var state: String { self["ActiveState"] }
    var isActive: Bool { state == "active" || state == "reloading" }
    var hasFailed: Bool { state == "failed" }
    /// Whether systemd waits before the next restart of a program that failed.
    var isRestarting: Bool { self["SubState"] == "auto-restart" }
    var result: String { self["Result"] }
    var restarts: Int { Int(self["NRestarts"]) ?? 0 }
    /// Whether it starts at boot.
    var isEnabled: Bool { self["UnitFileState"].hasPrefix("enabled") }
    /// Whether its files have changed since systemd read them.
    var needsReload: Bool { self["NeedDaemonReload"] == "yes" }
    /// Nil if it has no running process.
    var process: Int? { Int(self["MainPID"]).flatMap { $0 > 0 ? $0 : nil } }
    var descriptorLimit: Int? { Int(self["LimitNOFILE"]) }
    /// The address of a socket unit, as `ListenStream=` has it; nil if it has none, or another unit.
    var address: String? { self["Listen"].split(separator: " ").first.map(String.init) }
    /// The folders that the unit of the server may write to: its own, that of `gatehouse-database-folder`, and those of an
    /// operator's drop-in.
    var databaseFolders: [UnitDatabaseFolder] {
        let name = "DATABASE_FOLDER="
        let set = self["Environment"].split(separator: " ").filter { $0.hasPrefix(name) }
            .map { $0.dropFirst(name.count) }
        let others = self["ReadWritePaths"].split(separator: " ").map { $0.drop { "-+".contains($0) } }
        return (["/var/lib/gatehouse"] + set + others).compactMap { UnitDatabaseFolder(path: String($0)) }
    }

    private subscript(_ property: String) -> String { properties[property] ?? "" }
}

/// The reason why systemd did not report the units.
struct UnitsFault: Error, Equatable, CustomStringConvertible {
    let description: String
}

/// The units of Gatehouse on this machine, by name.
struct Units: Sendable, Equatable {
    static let (socket, service, timer) = ("gatehouse.socket", "gatehouse.service", "gatehouse-backup.timer")
    static let nginx = "nginx.service"

    private static let properties = [
        "Id", "LoadState", "ActiveState", "SubState", "Result", "NRestarts", "UnitFileState", "NeedDaemonReload",
        "MainPID", "LimitNOFILE", "Listen", "Environment", "ReadWritePaths",
    ]

    let all: [UnitStatus]

    subscript(_ name: String) -> UnitStatus? { all.first { $0.name == name } }

    /// Nil without systemd or without the service, as on a laptop or in a container. Throws if systemd does not answer.
    static func ofThisMachine() throws(UnitsFault) -> Units? {
        guard File.exists("/run/systemd/system"), let systemctl = Subprocess(["/usr/bin/systemctl", "/bin/systemctl"])
        else { return nil }
        let words =
            ["show", "--no-pager"] + properties.map { "--property=" + $0 } + [
                socket, service, timer, nginx, "gatehouse*",
            ]
        return try known(to: Result { () throws(POSIXError) in try systemctl.run(words) })
    }

    static func known(to systemctl: Result<Subprocess.Outcome, POSIXError>) throws(UnitsFault) -> Units? {
        let outcome: Subprocess.Outcome
        do throws(POSIXError) { outcome = try systemctl.get() } catch { throw UnitsFault(description: "\(error)") }
        let units = Units(parsing: outcome.output)
        // systemd also reports a unit that does not exist.
        guard let service = units[service] else {
            let reason = outcome.errorOutput.split(separator: "\n").first.map(String.init)
            throw UnitsFault(description: reason ?? "systemctl show does not report \(Self.service)")
        }
        return service.isKnown ? units : nil
    }

    /// Parses one property per line, with an empty line between units.
    init(parsing text: String) {
        var found: [UnitStatus] = []
        for block in text.split(separator: "\n\n") {
            let pairs = block.split(separator: "\n").compactMap { line -> (String, String)? in
                let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
            }
            let unit = UnitStatus(Dictionary(pairs) { $1 })
            // A name and the pattern can both match it.
            if !found.contains(where: { $0.name == unit.name }) { found.append(unit) }
        }
        all = found
    }
}
