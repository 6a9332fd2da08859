import Foundation
import TestSupport
import Testing

/// Clients that sign in and send requests without a pause, each on one kept connection. In the end they use every session once more.
final class LoadGenerator {
    struct Outcome {
        var requests: Int
        var failures: [String]
        /// Requests on kept connections that were closed before an answer.
        var repeated: [String]
    }

    private let machine: Machine
    private let clients: Background

    /// Returns once all clients send requests.
    init(on machine: Machine) throws {
        self.machine = machine
        try machine.mustRun("rm -rf /run/load && mkdir /run/load")
        clients = machine.start("python3 /root/client.py load /run/load 2>&1")
        guard machine.eventuallySucceeds("test -e /run/load/running", within: 120) else {
            throw Spawn.Failure(description: "the clients do not start: \(machine.journal)")
        }
    }

    /// Waits until so many more requests were answered.
    func answers(_ count: Int) throws {
        let before = try #require(Int(try machine.mustRun(Self.requests)))
        let isReached = machine.eventuallySucceeds("[ $(\(Self.requests)) -ge \(before + count) ]", within: 120)
        #expect(isReached)
    }

    /// The file is empty while it is written.
    private static let requests = "until grep . /run/load/requests; do sleep 0.05; done"

    func stop() throws -> Outcome {
        try machine.mustRun("touch /run/load/stop")
        let lines = String(decoding: clients.result(), as: UTF8.self).split(separator: "\n").map(String.init)
        let count = lines.first.flatMap { Int($0.split(separator: " ").last ?? "") } ?? 0
        return Outcome(
            requests: count, failures: lines.dropFirst().filter { !$0.hasPrefix("repeated ") },
            repeated: lines.filter { $0.hasPrefix("repeated ") })
    }
}
