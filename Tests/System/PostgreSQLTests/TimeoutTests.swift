import Glibc
import POSIX
import PostgreSQL
import SQL
import TestSupport
import Testing

@Suite("PostgreSQL: time-outs")
struct TimeoutTests {
    @Test("The server cancels a statement after its time, and the connection is usable")
    func statementTimeout() throws {
        let connection = try Fixture().connect(
            ConnectionOptions(statementTimeout: .seconds(1), answerTimeout: .seconds(60)))
        let error = failure { try connection.run("SELECT pg_sleep(60)") }
        #expect(error?.sqlState == "57014")
        #expect(error?.isTimeout == true)
        #expect(error?.isConnectionLost == false)
        #expect(try connection.integer("SELECT 5") == 5)
    }

    @Test("The server fails a statement that waits too long for a lock")
    func lockTimeout() throws {
        let fixture = try Fixture()
        let owner = try fixture.connectWithTable()
        try owner.begin()
        try owner.run("LOCK TABLE things")
        let waiting = try fixture.connect(
            ConnectionOptions(statementTimeout: .seconds(60), lockTimeout: .milliseconds(50)))
        let error = failure { _ = try waiting.integer("SELECT count(*) FROM things") }
        #expect(error?.sqlState == "55P03")
        #expect(error?.isTimeout == true)
        #expect(waiting.isUsable)
    }

    @Test("A connection whose server is stopped is given up, and closing it does not wait")
    func stoppedServer() throws {
        let fixture = try Fixture()
        var connection: Connection? = try fixture.connect()
        let backend = pid_t(try #require(try connection?.integer("SELECT pg_backend_pid()")))
        kill(backend, SIGSTOP)
        defer { kill(backend, SIGCONT) }
        connection?.answerTimeout = .milliseconds(200)
        let error = failure { _ = try connection?.integer("SELECT 1") }
        #expect(error?.isTimeout == true)
        #expect(error?.isConnectionLost == true)
        #expect(connection?.isUsable == false)
        #expect(failure { _ = try connection?.integer("SELECT 1") }?.isConnectionLost == true)
        connection = nil
    }

    @Test("A commit that a stopped server does not answer has an unknown outcome", arguments: [true, false])
    func commitOnStoppedServer(commits: Bool) throws {
        let connection = try Fixture().connectWithTable()
        let backend = pid_t(try #require(try connection.integer("SELECT pg_backend_pid()")))
        try connection.begin()
        try connection.run("INSERT INTO things VALUES (1, 'one')")
        kill(backend, SIGSTOP)
        defer { kill(backend, SIGCONT) }
        connection.answerTimeout = .milliseconds(200)
        let error = failure { if commits { try connection.commit() } else { try connection.run("SELECT 1") } }
        #expect(error?.isTimeout == true)
        #expect(error?.isOutcomeUnknown == commits)
    }

    @Test("A host that never answers or refuses is skipped, and the host that has answered last can be tried first")
    func knownHost() throws {
        let fixture = try Fixture()
        let silent = try SilentListener()
        let url = try fixture.url(after: ["127.0.0.1:\(silent.port)"])
        let first = try Connection(to: url, ConnectionOptions(connectTimeout: .seconds(3)))
        #expect(first.serverIndex == 1)
        // The silent host would take longer than any test.
        let patient = ConnectionOptions(connectTimeout: .seconds(3600))
        #expect(try Connection(to: url, patient, startingAt: first.serverIndex).integer("SELECT 5") == 5)
        let others = try fixture.url(after: ["127.0.0.1:1", "localhost:1"])
        #expect(try Connection(to: others, startingAt: 0).serverIndex == 2)
    }

    @Test("A primary of an older timeline is refused, and the next host is tried")
    func oldPrimary() throws {
        let fixture = try Fixture()
        let timeline = try #require(try Connection(to: fixture.url).timeline)
        var options = ConnectionOptions()
        options.oldestTimeline = timeline
        #expect(try Connection(to: fixture.url, options).integer("SELECT 5") == 5)
        options.oldestTimeline = timeline + 1
        let refusal = failure { _ = try Connection(to: fixture.url, options) }
        #expect(refusal?.isConnectionLost == true && refusal?.message.contains("old primary") == true)
        let own = try fixture.url(after: [])
        let name = try #require(own.lastIndex(of: "/"))
        let last = failure { _ = try Connection(to: own[..<name] + ",127.0.0.1:1" + own[name...], options) }
        #expect(last?.message.contains("refused") == true)
    }

    @Test("What the URL says of channel binding counts")
    func channelBinding() throws {
        let fixture = try Fixture()
        #expect(failure { _ = try Connection(to: fixture.url + "&channel_binding=require") } != nil)
        #expect(try Connection(to: fixture.url + "&channel_binding=disable").integer("SELECT 5") == 5)
    }

    @Test("Each host that never answers has its own time")
    func silentHosts() throws {
        let silent = try SilentListener()
        let start = Stopwatch()
        let error = failure {
            _ = try Connection(
                to: "postgresql://127.0.0.1:\(silent.port),127.0.0.1:\(silent.port)/x",
                ConnectionOptions(connectTimeout: .milliseconds(300)))
        }
        #expect(start.nanoseconds >= 590_000_000)
        #expect(error?.isTimeout == true)
        #expect(error?.isConnectionLost == true)
    }

    @Test(
        "A server in recovery or of read-only sessions is refused where a primary is needed", arguments: [true, false])
    func readOnly(needsPrimary: Bool) throws {
        let fixture = try Fixture()
        let name = try fixture.server.execute("SELECT current_database()", in: fixture.url)
        try fixture.server.execute("ALTER DATABASE \(name) SET default_transaction_read_only = on")
        var options = ConnectionOptions()
        options.needsPrimary = needsPrimary
        guard needsPrimary else {
            let connection = try fixture.connect(options)
            let error = failure { try connection.run("CREATE TABLE things (id BIGINT)") }
            #expect(error?.sqlState == "25006")
            #expect(error?.isConnectionLost == true)
            #expect(!connection.isUsable)
            return
        }
        let error = failure { _ = try fixture.connect(options) }
        #expect(error?.message == "session is read-only")
        #expect(error?.isConnectionLost == true)
        // The URL has the last word.
        _ = try Connection(to: fixture.url + "&target_session_attrs=any", options)
    }
}

/// Listens, and never accepts a connection: the kernel does.
final class SilentListener {
    private let socket: Int32
    let port: UInt16

    init() throws {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket, address, size) == 0 && listen(socket, 16) == 0 && getsockname(socket, address, &size) == 0
            }
        }
        self.socket = socket
        port = UInt16(bigEndian: address.sin_port)
        try #require(isBound)
    }

    deinit {
        close(socket)
    }
}
