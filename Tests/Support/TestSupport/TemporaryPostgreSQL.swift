package import Foundation

/// A PostgreSQL server in a temporary folder, on a unix socket only. It ends with the test process, also if that is
/// killed: a shell stops the server and removes the folder when the other end of the shell's standard input is closed.
package final class TemporaryPostgreSQL: Sendable {
    /// One server for all tests of a process. A test that disturbs its server starts another one.
    package static let shared = Result { try TemporaryPostgreSQL() }

    /// The folder of the socket.
    package let folder: String
    /// The folder of the database.
    package let data: String
    /// The first process of the server (postmaster).
    package let identifier: pid_t
    package let port: String

    private let shell: pid_t
    private let guardInput: Int32
    private let names = Counter()

    /// - Parameters:
    ///   - settings: of postgresql.conf. By default a commit is not flushed to the disk.
    ///   - files: content by name, in the folder of the database. Only the server can read them.
    package convenience init(settings: [String: String] = [:], files: [String: String] = [:]) throws {
        let folder = try Self.makeFolder()
        let data = folder + "/data"
        try Shell.run(
            Self.asServer([
                Self.program("initdb"), "--no-sync", "--auth=trust", "--username=postgres", "--encoding=UTF8",
                "--locale=C.UTF-8", "--pgdata=" + data,
            ]))
        for (name, content) in files { try Self.write(content, to: data + "/" + name) }
        try self.init(folder: folder, data: data, settings: settings)
    }

    /// Starts a server in the folder of the database of one that has ended.
    package convenience init(data: String, settings: [String: String]) throws {
        try self.init(folder: Self.makeFolder(), data: data, settings: settings)
    }

    private init(folder: String, data: String, settings: [String: String]) throws {
        self.folder = folder
        self.data = data
        let all = Self.settings(folder).merging(settings) { $1 }
        port = all["port"] ?? ""
        let options = all.sorted { $0.key < $1.key }.flatMap { ["-c", "\($0.key)=\($0.value)"] }
        (shell, identifier, guardInput) = try Self.start(
            Self.asServer([Self.program("postgres"), "-D", data] + options), folder: folder)
        guard Eventually.holds(within: 60, { isReady }) else {
            throw Spawn.Failure(description: "PostgreSQL did not start: \(log)")
        }
    }

    /// Ends the server as its service manager does, and keeps its folders.
    package func stop() throws {
        kill(identifier, SIGINT)
        guard Eventually.holds(within: 60, { access(data + "/postmaster.pid", F_OK) != 0 }) else {
            throw Spawn.Failure(description: "PostgreSQL did not end: \(log)")
        }
    }

    deinit {
        close(guardInput)
        var raw: Int32 = 0
        waitpid(shell, &raw, 0)
    }

    /// Creates an empty database and returns its URL.
    package func database() throws -> String {
        let name = "test\(names.next())"
        try execute("CREATE DATABASE \(name)")
        return url(of: name)
    }

    package func url(of database: String, user: String = "postgres") -> String {
        "postgresql:///\(database)?host=\(folder)&port=\(port)&user=\(user)"
    }

    /// Executes SQL in the database of this URL, and returns its first column.
    @discardableResult
    package func execute(_ sql: String, in url: String? = nil) throws -> String {
        let output = try Shell.run([
            Self.program("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d",
            url ?? self.url(of: "postgres"),
            "-c", sql,
        ])
        return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    package var log: String { (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? "" }

    private static func write(_ content: String, to path: String) throws {
        try content.write(toFile: path, atomically: false, encoding: .utf8)
        chmod(path, 0o600)
        giveToServer(path)
    }

    private var isReady: Bool {
        (try? Shell.outcome(of: [Self.program("pg_isready"), "-q", "-h", folder, "-p", port]).status) == 0
    }
}

extension TemporaryPostgreSQL {
    private static func settings(_ folder: String) -> [String: String] {
        [
            "listen_addresses": "", "unix_socket_directories": folder, "port": "5432", "fsync": "off",
            "max_connections": "1000", "shared_buffers": "16MB", "autovacuum": "off", "max_wal_size": "256MB",
        ]
    }

    /// initdb and postgres refuse to run as root.
    package static func asServer(_ command: [String]) -> [String] {
        guard getuid() == 0 else { return command }
        return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"] + command
    }

    /// A short path, since the path of a socket has at most 107 bytes.
    private static func makeFolder() throws -> String {
        var template = Array((NSTemporaryDirectory() + "pg-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw Spawn.Failure(description: "mkdtemp: error \(errno)") }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        chmod(folder, 0o755)
        giveToServer(folder)
        return folder
    }

    package static func giveToServer(_ path: String) {
        if getuid() == 0, let user = getpwnam("postgres") { chown(path, user.pointee.pw_uid, user.pointee.pw_gid) }
    }

    /// The path of a program of the newest PostgreSQL, which Debian does not put into PATH.
    package static func program(_ name: String) -> String {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let newest = versions.compactMap { Int($0) }.max().map { "/usr/lib/postgresql/\($0)/bin/" } ?? ""
        return newest + name
    }

    private static let guardScript = """
        exec 3<&0; folder=$1; shift
        "$@" </dev/null >>"$folder/log" 2>&1 3<&- & child=$!
        echo $child; exec >&-
        read -r _ <&3
        # SIGINT ends all sessions, and SIGQUIT also without a last checkpoint.
        kill -CONT $child; kill -QUIT $child; wait $child
        rm -rf "$folder"
        """

    private static func start(_ command: [String], folder: String) throws -> (pid_t, pid_t, Int32) {
        let (input, output) = (try Spawn.pipe(), try Spawn.pipe())
        let shell = try Spawn.run(
            ["/bin/sh", "-c", guardScript, "guard", folder] + command, streams: (input.read, output.write, 2))
        close(input.read)
        close(output.write)
        let line = String(decoding: Spawn.readAll(output.read), as: UTF8.self)
        close(output.read)
        guard let server = pid_t(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw Spawn.Failure(description: "PostgreSQL did not start")
        }
        return (shell, server, input.write)
    }

    private final class Counter: @unchecked Sendable {
        private let lock = NSLock()
        private var last = 0

        func next() -> Int {
            lock.withLock {
                last += 1
                return last
            }
        }
    }
}
