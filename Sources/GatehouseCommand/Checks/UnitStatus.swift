import POSIX

/// What systemd says of one unit, by the words of `systemctl show`.
struct UnitStatus: Sendable, Equatable {
    private let properties: [String: String]

    init(_ properties: [String: String]) {
        self.properties = properties
    }

    var name: String { self["Id"] }
    var loadState: String { self["LoadState"] }
    /// Whether there is a file of it, which may be masked or broken.
    var isKnown: Bool { !["", "not-found"].contains(loadState) }
    var state: String { self["ActiveState"] }
    var isActive: Bool { state == "active" || state == "reloading" }
    var hasFailed: Bool { state == "failed" }
    /// Between two starts of a program that ends again and again.
    var isRestarting: Bool { self["SubState"] == "auto-restart" }
    var result: String { self["Result"] }
    var restarts: Int { Int(self["NRestarts"]) ?? 0 }
    /// Whether it starts at boot.
    var isEnabled: Bool { self["UnitFileState"].hasPrefix("enabled") }
    /// Whether its files have changed since systemd read them.
    var needsReload: Bool { self["NeedDaemonReload"] == "yes" }
    /// Nil where no process of it runs.
    var process: Int? { Int(self["MainPID"]).flatMap { $0 > 0 ? $0 : nil } }
    var descriptorLimit: Int? { Int(self["LimitNOFILE"]) }

    private subscript(_ property: String) -> String { properties[property] ?? "" }
}

/// The units of Gatehouse on this machine, by name.
struct Units: Sendable, Equatable {
    static let (socket, service, timer) = ("gatehouse.socket", "gatehouse.service", "gatehouse-backup.timer")
    static let nginx = "nginx.service"

    private static let properties = [
        "Id", "LoadState", "ActiveState", "SubState", "Result", "NRestarts", "UnitFileState", "NeedDaemonReload",
        "MainPID",
        "LimitNOFILE",
    ]

    let all: [UnitStatus]

    subscript(_ name: String) -> UnitStatus? { all.first { $0.name == name } }

    /// Nil where there is no systemd, or it does not know the service: a laptop, a container.
    static func ofThisMachine() -> Units? {
        guard File.exists("/run/systemd/system"), let systemctl = Subprocess(["/usr/bin/systemctl", "/bin/systemctl"])
        else { return nil }
        let words =
            ["show", "--no-pager"] + properties.map { "--property=" + $0 } + [
                socket, service, timer, nginx, "gatehouse*",
            ]
        guard let text = try? systemctl.run(words).output else { return nil }
        let units = Units(parsing: text)
        return units[service]?.isKnown == true ? units : nil
    }

    /// Reads one property a line, with an empty line between units.
    init(parsing text: String) {
        var found: [UnitStatus] = []
        for block in text.split(separator: "\n\n") {
            let pairs = block.split(separator: "\n").compactMap { line -> (String, String)? in
                let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
            }
            let unit = UnitStatus(Dictionary(pairs) { $1 })
            // A name and a pattern may both lead to it.
            if !found.contains(where: { $0.name == unit.name }) { found.append(unit) }
        }
        all = found
    }
}
