import Foundation
import JSON
import Synchronization
import TestSupport

/// Makes proofs in a Python program with Authlib: a client that shares no code with the server. One process serves all
/// tests, because Python takes longer to start than to sign.
final class ProofMaker: Sendable {
    static let shared = Result { try ProofMaker() }

    struct Failure: Error {
        let description: String
    }

    private struct Pipes {
        let orders: Int32
        let answers: Int32
    }

    private let pipes: Mutex<Pipes>

    /// The program ends when this process does, because its input ends.
    init() throws {
        // Where Python ends at once, writing to it must not end this process.
        signal(SIGPIPE, SIG_IGN)
        let (orders, answers) = (try Spawn.pipe(), try Spawn.pipe())
        _ = try Spawn.run(
            ["/usr/bin/python3", Executable.root + "/Tests/EndToEnd/Scripts/make-proofs.py"],
            streams: (orders.read, answers.write, 2))
        close(orders.read)
        close(answers.write)
        pipes = Mutex(Pipes(orders: orders.write, answers: answers.read))
    }

    func make(_ order: ProofOrder) throws -> MadeProof {
        let line = try pipes.withLock { pipes in
            try Self.write(order.json.bytes + Array("\n".utf8), to: pipes.orders)
            return try Self.line(from: pipes.answers)
        }
        let made = MadeProof(json: try JSONValue(parsing: line).object ?? [:])
        guard !made.text.isEmpty else { throw Failure(description: "\(order): \(made.json)") }
        return made
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else {
                throw Failure(description: "make-proofs.py has ended: is python3-authlib installed?")
            }
            rest = rest.dropFirst(count)
        }
    }

    /// There is one answer for an order, so nothing is read beyond the line.
    private static func line(from descriptor: Int32) throws -> [UInt8] {
        var (line, piece): ([UInt8], [UInt8]) = ([], Array(repeating: 0, count: 16_384))
        while line.last != UInt8(ascii: "\n") {
            let count = read(descriptor, &piece, piece.count)
            guard count > 0 else {
                throw Failure(description: "make-proofs.py has ended: is python3-authlib installed?")
            }
            line += piece[..<count]
        }
        return line
    }
}

struct MadeProof: Sendable {
    let json: JSONObject

    var text: String { json["proof"]?.string ?? "" }
    /// RFC 7638.
    var thumbprint: String { json["thumbprint"]?.string ?? "" }
    var publicKey: JSONObject { json["jwk"]?.object ?? [:] }
    var privateKey: JSONObject { json["privateKey"]?.object ?? [:] }
}
