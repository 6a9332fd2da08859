import Foundation
import JSON
import POSIX
import Sockets
import TestSupport

/// `event-receiver.py`: a service that gets events, behaves as the test says, and keeps a ledger. A receiver that has died is started
/// again by `reviveIfDead`, on the same port and with the same ledger.
final class EventReceiverProcess: @unchecked Sendable {
    /// A request as the receiver got it.
    struct Delivery {
        let id: String
        let type: String
        let user: String
        let path: String
        let behaviour: String
        let isVerified: Bool
        let body: JSONObject

        var data: JSONObject { body["data"]?.object ?? [:] }
        /// Whether the answer says that the receiver has taken the event.
        var isAccepted: Bool { ["accept", "lie", "flood"].contains(behaviour) }
    }

    static let secret = "whsec_5WbX0kEsLlfzGqJrLiJxPqO7cXk2b1mD"
    /// With the library of Standard Webhooks.
    static let libraryPython = Executable.root + "/.build/python/bin/python"

    let folder: TemporaryFolder
    let port: UInt16
    private let secret: String
    private let usesLibrary: Bool
    private var process: ChildProcess

    /// - Parameter behaviours: of the requests in the order of their arrival; the last one is that of all further requests.
    init(_ behaviours: [String] = ["accept"], secret: String = secret, usesLibrary: Bool = false) throws {
        folder = try TemporaryFolder()
        port = try FreePort.any()
        self.secret = secret
        self.usesLibrary = usesLibrary
        try behaviours.joined(separator: " ").write(
            toFile: folder.file("behaviours"), atomically: true, encoding: .utf8)
        process = try Self.start(folder, port, secret, usesLibrary: usesLibrary)
        try waitUntilListening()
    }

    private static func start(
        _ folder: TemporaryFolder, _ port: UInt16, _ secret: String, usesLibrary: Bool
    ) throws -> ChildProcess {
        try ChildProcess(
            [
                usesLibrary ? libraryPython : "/usr/bin/python3", "-B",
                Executable.root + "/Tests/EndToEnd/Scripts/event-receiver.py", "\(port)", secret,
                folder.file("ledger"), folder.file("behaviours"),
            ] + (usesLibrary ? ["--library"] : []),
            environment: [:], log: folder.file("log"))
    }

    private func waitUntilListening() throws {
        try process.waitUntilListening(at: port)
    }

    /// Returns whether it was dead.
    @discardableResult
    func reviveIfDead() throws -> Bool {
        guard process.exitStatus != nil else { return false }
        process = try Self.start(folder, port, secret, usesLibrary: usesLibrary)
        try waitUntilListening()
        return true
    }

    /// The text of its file in `RECEIVERS_DIR`.
    func settings(_ more: String...) -> String {
        (["URL=http://127.0.0.1:\(port)/events", "SECRET=\"\(secret)\""] + more).joined(separator: "\n") + "\n"
    }

    /// All requests so far, the oldest first.
    func deliveries() throws -> [Delivery] {
        let text = (try? String(contentsOfFile: folder.file("ledger"), encoding: .utf8)) ?? ""
        // The last line may be unfinished.
        return try text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { line in
            let entry = try JSONValue(parsing: Array(line.utf8)).object ?? [:]
            let body = try JSONValue(parsing: Array((entry["body"]?.string ?? "").utf8)).object ?? [:]
            return Delivery(
                id: entry["id"]?.string ?? "", type: body["type"]?.string ?? "",
                user: body["data"]?.object?["userId"]?.string ?? "", path: entry["path"]?.string ?? "",
                behaviour: entry["behaviour"]?.string ?? "", isVerified: entry["verified"] == true, body: body)
        }
    }
}

extension [EventReceiverProcess.Delivery] {
    /// The ids that the receiver has taken.
    var acceptedIDs: Set<String> { Set(filter(\.isAccepted).map(\.id)) }

    /// The types of the events of each user in the order in which they first arrived.
    var firstOccurrences: [String: [String]] {
        var (seen, types) = (Set<String>(), [String: [String]]())
        for delivery in self where seen.insert(delivery.id).inserted {
            types[delivery.user, default: []].append(delivery.type)
        }
        return types
    }
}

extension RunningProgram {
    /// Waits until the program accepts connections on this machine.
    func waitUntilListening(at port: UInt16) throws {
        let address = try SocketAddress(host: "127.0.0.1", port: port)
        func isListening() -> Bool {
            (try? FileDescriptor.connected(to: address, until: .now + .seconds(1))) != nil
        }
        guard Eventually.holds({ isListening() || exitStatus != nil }), exitStatus == nil else {
            throw Spawn.Failure(description: "the program does not listen at port \(port)")
        }
    }
}
