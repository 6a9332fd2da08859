import Foundation
import TestSupport

/// Litestream with the configuration that we ship, from a house to another machine.
final class Replication {
    static let program = Executable.root + "/.build/python/bin/litestream"
    static let isPossible = FileManager.default.isExecutableFile(atPath: program)

    let server: FileServer
    private let house: ServedHouse
    private let configuration: String
    private var process: ChildProcess?

    init(of house: ServedHouse) throws {
        self.house = house
        server = try FileServer()
        configuration = house.folder.file("litestream.yml")
        try adapted().write(toFile: configuration, atomically: true, encoding: .utf8)
        try start()
    }

    /// The file of the recipe with what an operator changes in it, and where things are in a test.
    private func adapted() throws -> String {
        let shipped = Executable.root + "/deploy/replication/litestream.yml"
        var text = try String(contentsOfFile: shipped, encoding: .utf8)
        for (old, new) in [
            ("/var/lib/gatehouse/gatehouse.db", house.database), ("backup.example.com:22", "127.0.0.1:\(server.port)"),
            ("host-key: ssh-ed25519 AAAA...", "host-key: \(server.hostKey)"),
            ("user: gatehouse", "user: \(NSUserName())"),
            ("path: /gatehouse", "path: \(server.store)/gatehouse"),
        ] {
            guard text.contains(old) else { throw Spawn.Failure(description: "litestream.yml says nothing of \(old)") }
            text = text.replacingOccurrences(of: old, with: new)
        }
        return text
    }

    private var environment: [String: String] { ["CREDENTIALS_DIRECTORY": server.credentials] }

    func start() throws {
        process = try ChildProcess(
            [Self.program, "replicate", "-config", configuration], environment: environment,
            log: house.folder.file("litestream.log"))
        try waitForArrivals(1)
    }

    func end(by signal: Int32) {
        process?.signal(signal)
        _ = process?.wait()
    }

    var log: String { process?.log ?? "" }

    /// Waits until something has arrived so many times more. What was committed before the first of these began is in
    /// the second.
    func waitForArrivals(_ count: Int) throws {
        let before = server.arrivals
        let arrives = Eventually.holds(within: 60) { server.arrivals >= before + count }
        guard arrives else { throw Spawn.Failure(description: "nothing arrives: \(log)") }
    }

    /// What the other machine has, as a file on this one.
    func fetch(to path: String) throws {
        let outcome = try Shell.outcome(
            of: [Self.program, "restore", "-config", configuration, "-o", path, house.database],
            environment: environment)
        guard outcome.status == 0 else { throw Spawn.Failure(description: outcome.complaint + outcome.text) }
    }
}
