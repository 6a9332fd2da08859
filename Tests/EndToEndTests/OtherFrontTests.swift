import Foundation
import JSON
import TestSupport
import Testing

@Suite("A FastCGI front in its shortest configuration")
struct OtherFrontTests {
    enum Family: CaseIterable {
        case tcp
        case unix
    }

    /// `gatehouse serve` behind a front.
    private final class Stand {
        let gatehouse: ChildProcess
        let fronted: FrontedResponder
        private let folder: TemporaryFolder

        init(_ front: Front, over family: Family) throws {
            folder = try TemporaryFolder()
            let address: FastCGIPeer.Address =
                family == .tcp ? .tcp(try FreePort.any()) : .unix(folder.file("g.sock"))
            gatehouse = try Self.start(at: address, folder: folder)
            fronted = try FrontedResponder(front, responder: address)
        }

        deinit { gatehouse.stop() }

        private static func start(at address: FastCGIPeer.Address, folder: TemporaryFolder) throws -> ChildProcess {
            var variables = Settings.standard(folder: folder.path, keysURL: "http://127.0.0.1:1/keys")
            if case .tcp(let port) = address { variables["LISTEN"] = "tcp:127.0.0.1:\(port)" }
            let process = try ChildProcess(
                [Executable.gatehouse, "serve"], environment: variables, log: folder.file("gatehouse.log"))
            let listens = Eventually.holds { (try? FastCGIPeer(address)) != nil }
            guard listens else { throw Spawn.Failure(description: "gatehouse does not listen: \(process.log)") }
            // The fronts' workers are of another user.
            if case .unix(let path) = address { chmod(path, 0o666) }
            return process
        }

        func signIn(_ email: String) throws -> Answer {
            let exchange = try login(email, size: nil, status: 200)
            return try fronted.send([exchange], atATime: 1)[0]
        }

        func login(_ email: String, size: Int?, status: Int) throws -> FrontExchange {
            let body = Self.body(email, size: size)
            let file = folder.file(email)
            try Data(body).write(to: URL(fileURLWithPath: file))
            return FrontExchange(
                path: "/auth/dev-login", headers: ["Content-Type: application/json"], body: (file, body.count),
                status: status, email: status == 200 ? email : nil)
        }

        /// The required member comes last, behind one that the server ignores.
        private static func body(_ email: String, size: Int?) -> [UInt8] {
            let end = #""email":"\#(email)","devSecret":"\#(ServedHouse.devSecret)"}"#
            guard let size else { return Array(("{" + end).utf8) }
            let padding = size - end.utf8.count - #"{"padding":"","#.utf8.count
            guard padding >= 0 else { return Array(repeating: UInt8(ascii: "{"), count: size) }
            return Array((#"{"padding":""# + String(repeating: "p", count: padding) + #"","# + end).utf8)
        }

        func me(_ token: String, headers: [String] = [], email: String) -> FrontExchange {
            FrontExchange(
                path: "/users/me", headers: ["Authorization: Bearer \(token)"] + headers, status: 200, email: email)
        }
    }

    @Test("serves the same login", arguments: Front.allCases)
    func login(_ front: Front) throws {
        let stand = try Stand(front, over: .tcp)
        let login = try stand.signIn("l@example.com")
        #expect(login.status == 200)
        let me = try stand.fronted.send([stand.me(login.accessToken, email: "l@example.com")], atATime: 1)[0]
        #expect(me["email"]?.string == "l@example.com")
        // The responder sends no body with it, and the front waits for none.
        let head = Answer(
            parsing: try Shell.run(
                [
                    "curl", "-sI", "--max-time", "20", "-H", "Authorization: Bearer \(login.accessToken)",
                    stand.fronted.site + "/users/me",
                ]))
        #expect(head.status == 200)
        #expect(head.body == [])
    }

    /// Around what libfcgi reads at once (8 KiB), around what Apache writes into a Unix socket that is not read, and up to
    /// what a body may have.
    private static let sizes = [1, 8184, 8191, 8192, 8193, 8200, 16_384, 49_000, 50_000, 65_535, 65_536]

    @Test("loses no request of any size", arguments: Front.allCases, Family.allCases)
    func everySize(_ front: Front, over family: Family) throws {
        try expectAnswers(Self.sizes, front, over: family)
    }

    /// A front that keeps the connection sends the next request on it at once, so the responder must not close it then.
    @Test("loses no request after a body that is too large", arguments: Front.allCases, Family.allCases)
    func tooLarge(_ front: Front, over family: Family) throws {
        try expectAnswers([65_537, 100_000], front, over: family)
    }

    /// Bodies of these sizes in turn with requests that have none, one after another and sixteen at a time.
    private func expectAnswers(_ sizes: [Int], _ front: Front, over family: Family) throws {
        let stand = try Stand(front, over: family)
        let token = try stand.signIn("all@example.com").accessToken
        let me = stand.me(token, email: "all@example.com")
        let long = stand.me(token, headers: front.longHeaders, email: "all@example.com")
        let logins = try sizes.map { size in
            try stand.login("s\(size)@example.com", size: size, status: size == 1 ? 400 : size > 65_536 ? 413 : 200)
        }
        let turn = logins.flatMap { [me, $0, long] }
        for count in [1, 16] {
            let exchanges = Array(repeatElement(turn, count: 200 / turn.count).joined())
            let answers = try stand.fronted.send(exchanges, atATime: count)
            for (exchange, answer) in zip(exchanges, answers) {
                #expect(exchange.isAnswered(by: answer), "\(count) at a time: \(exchange): \(answer)")
            }
        }
    }

    /// The server closes a connection if bytes follow a request that it has answered.
    @Test(
        "waits for an answer before it sends the next request, and opens another connection for a closed one",
        arguments: Front.allCases, [false, true])
    func nextRequest(_ front: Front, closesAfterAnswer: Bool) throws {
        let responder = try CountingResponder(closesAfterAnswer: closesAfterAnswer)
        let fronted = try FrontedResponder(front, responder: .tcp(responder.port))
        let bodies = try [1, 8192, 8193, 65_536].map { size in
            let file = fronted.folder.file("\(size)")
            try Data(repeating: 0x70, count: size).write(to: URL(fileURLWithPath: file))
            return FrontExchange(path: "/count", body: (file, size), status: 200)
        }
        let turn = [FrontExchange(path: "/count", headers: front.longHeaders, status: 200)] + bodies
        for count in [1, 16] {
            let exchanges = Array(repeatElement(turn, count: 60).joined())
            let answers = try fronted.send(exchanges, atATime: count)
            for (exchange, answer) in zip(exchanges, answers) {
                #expect(answer.status == 200, "\(count) at a time: \(exchange): \(answer)")
                #expect(String(decoding: answer.body, as: UTF8.self) == "\(exchange.body?.size ?? 0)")
            }
        }
    }
}
