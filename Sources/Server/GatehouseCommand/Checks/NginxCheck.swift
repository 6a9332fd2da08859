import FileSystem
import GatehouseServer
import POSIX
import Processes

/// Whether nginx runs, accepts its configuration, and includes a site of Gatehouse.
struct NginxCheck: Check {
    struct Facts {
        var isInstalled = true
        var isRunning = true
        /// The result of `nginx -T`; nil if this user is not root and cannot run it.
        var test: Result<Subprocess.Outcome, POSIXError>?
    }

    let subject = "nginx"
    let facts: Facts
    let configuration: NginxConfiguration?
    /// False with `PUBLIC_URL=off`: another web server is in front.
    let isExpected: Bool

    private static let places = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx"]

    /// Runs `nginx -T` immediately, since root may be given up later.
    init(processes: NginxProcesses, isExpected: Bool) {
        let nginx = Subprocess(Self.places)
        let test =
            Privileges.isRoot
            ? nginx.map { nginx in Result { () throws(POSIXError) in try nginx.run(["-T"]) } } : nil
        self.init(
            facts: Facts(isInstalled: nginx != nil, isRunning: processes.isRunning, test: test), isExpected: isExpected)
    }

    init(facts: Facts, isExpected: Bool) {
        (self.facts, self.isExpected) = (facts, isExpected)
        configuration = (try? facts.test?.get()).flatMap { $0.status == 0 ? NginxConfiguration(dump: $0.output) : nil }
    }

    func run() -> [Finding] {
        let faults = evaluate()
        let message = configuration == nil ? "running" : "running, and its configuration includes a site of Gatehouse"
        let notes = facts.test == nil && facts.isInstalled ? [denial] : []
        return (faults.isEmpty ? [.ok(message)] : faults) + notes
    }

    private var denial: Finding {
        .note("its configuration was not checked: only root can read it", "sudo gatehouse check")
    }

    private func evaluate() -> [Finding] {
        guard facts.isInstalled else {
            return isExpected
                ? [.fault("nginx is not installed", "apt install nginx; gatehouse-nginx")]
                : [.note("nginx is not installed; PUBLIC_URL=off: another web server is in front")]
        }
        let stopped = Finding.fault(
            "nginx is not running", "nginx -t; systemctl start nginx; journalctl -u nginx -n 20")
        return (facts.isRunning ? [] : [isExpected ? stopped : .note(stopped.message, stopped.advice)])
            + (facts.test.flatMap(evaluate).map { [$0] } ?? [])
    }

    private func evaluate(_ test: Result<Subprocess.Outcome, POSIXError>) -> Finding? {
        let outcome: Subprocess.Outcome
        do throws(POSIXError) { outcome = try test.get() } catch {
            return graded("its configuration was not checked: \(error)", "nginx -t")
        }
        guard let configuration else {
            return .fault(
                "nginx rejects its configuration, and would not restart: \(Self.reason(in: outcome.errorOutput))",
                "correct it, then: nginx -t && systemctl reload-or-restart nginx")
        }
        let enable =
            "gatehouse-nginx; ls /etc/nginx/sites-enabled; nginx.conf must include conf.d/*.conf and sites-enabled/*"
        if !configuration.hasUpstream {
            return graded(
                "nginx's configuration has no upstream gatehouse: conf.d/gatehouse.conf is not included", enable)
        }
        guard configuration.hasSite else {
            return graded(
                "nginx's configuration has no site that passes /api/ to Gatehouse",
                "ln -s ../sites-available/gatehouse.conf /etc/nginx/sites-enabled/ && nginx -t && systemctl reload nginx; "
                    + "or gatehouse-nginx")
        }
        return nil
    }

    /// The text of the first `[emerg]` line, without the process id.
    private static func reason(in errorOutput: String) -> String {
        guard let match = errorOutput.firstMatch(of: /\[emerg\] (?:[0-9]+#[0-9]+: )?([^\n]+)/) else {
            return "see nginx -t"
        }
        return String(match.1)
    }

    private func graded(_ message: String, _ advice: String) -> Finding {
        isExpected ? .fault(message, advice) : .note(message, advice)
    }
}

/// The output of `nginx -T`: every included file of the configuration.
struct NginxConfiguration: Sendable {
    private struct File {
        let path: String
        let lines: [Substring]
    }

    private let files: [File]

    init(dump: String) {
        var files: [File] = []
        var (path, lines) = ("", [Substring]())
        for line in dump.split(separator: "\n") {
            guard line.hasPrefix(Self.fileHeading) else {
                let text = line.drop { $0 == " " || $0 == "\t" }
                if !text.hasPrefix("#") { lines.append(text) }
                continue
            }
            files.append(File(path: path, lines: lines))
            path = String(line.dropFirst(Self.fileHeading.utf8.count).prefix { $0 != ":" })
            lines = []
        }
        self.files = files + [File(path: path, lines: lines)]
    }

    /// Without comments and indentation, by file.
    var allLines: [[Substring]] { files.map(\.lines) }

    private static let fileHeading = "# configuration file "

    /// Whether `conf.d/gatehouse.conf` is included, which defines the upstream and the limits.
    var hasUpstream: Bool {
        files.contains { $0.lines.contains { Self.words(of: $0).prefix(2) == ["upstream", "gatehouse"] } }
    }

    /// Whether a site passes the API to Gatehouse.
    var hasSite: Bool { !sites.isEmpty }

    /// The paths of the certificates that these sites name.
    var certificates: [String] {
        sites.flatMap(\.lines).compactMap { line in
            let words = Self.words(of: line)
            return words.count == 2 && words[0] == "ssl_certificate" ? Self.absolute(words[1]) : nil
        }
    }

    /// Relative paths start at the folder of the configuration.
    private static func absolute(_ path: Substring) -> String {
        path.hasPrefix("/") ? String(path) : "/etc/nginx/" + path
    }

    /// The words of a directive, without punctuation and quotation marks.
    private static func words(of line: Substring) -> [Substring] {
        line.split { " \t;{\"'".contains($0) }
    }

    private var sites: [File] {
        files.filter { file in
            !file.path.contains("/snippets/") && !Self.sitesWithoutAPI.contains { file.path.hasSuffix($0) }
                && file.lines.contains(where: Self.includesAPI)
        }
    }

    /// Sites of Gatehouse that do not serve the API: the one for monitoring and the redirect.
    private static let sitesWithoutAPI = ["/gatehouse-local.conf", "/gatehouse-redirect.conf"]
    /// The snippets that pass requests of clients to Gatehouse.
    private static let snippetsWithAPI = ["api", "paths", "site"]

    private static func includesAPI(_ line: Substring) -> Bool {
        let words = words(of: line)
        guard words.count >= 2, words[0] == "include",
            let match = words[1].firstMatch(of: /snippets\/gatehouse-([a-z-]+)\.conf$/)
        else { return false }
        return snippetsWithAPI.contains(String(match.1))
    }
}

/// The nginx processes of this machine. The workers connect to the socket.
struct NginxProcesses: Sendable {
    static let pidFile = "/run/nginx.pid"

    let isRunning: Bool
    /// The accounts of the workers, without duplicates.
    let accounts: [Account]

    static func ofThisMachine(_ users: UserDatabase) -> NginxProcesses {
        let master = number(in: pidFile).flatMap { isNginx($0, "master") ? $0 : nil }
        guard let master else { return NginxProcesses(isRunning: false, accounts: []) }
        let processes = ((try? File.names(in: "/proc")) ?? []).compactMap { Int($0) }
        var accounts: [Account] = []
        for process in processes where isNginx(process, "worker") {
            guard let status = ProcessStatus(of: process), status.parent == master else { continue }
            let known = users.account(of: status.user)
            let account = Account(name: known.name, id: known.id, groups: status.groups)
            if !accounts.contains(account) { accounts.append(account) }
        }
        return NginxProcesses(isRunning: true, accounts: accounts)
    }

    /// Checks the process title, since the kernel may have reused the process id.
    private static func isNginx(_ process: Int, _ role: String) -> Bool {
        let title = (try? File.read("/proc/\(process)/cmdline")) ?? []
        return String(decoding: title, as: UTF8.self).hasPrefix("nginx: \(role) process")
    }

    private static func number(in file: String) -> Int? {
        guard let bytes = try? File.read(file, atMost: 64) else { return nil }
        return Int(String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self))
    }
}

/// The `status` file of a process (proc(5)).
struct ProcessStatus: Sendable, Equatable {
    let parent: Int
    let user: UInt32
    /// The effective group and the supplementary ones.
    let groups: Set<UInt32>

    init?(of process: Int) {
        guard let bytes = try? File.read("/proc/\(process)/status", atMost: 65_536) else { return nil }
        self.init(parsing: String(decoding: bytes, as: UTF8.self))
    }

    init?(parsing text: String) {
        func numbers(_ name: String) -> [UInt32] {
            let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            return (line?.split { $0 == "\t" || $0 == " " }.dropFirst() ?? []).compactMap { UInt32($0) }
        }
        // Real, effective, saved and file system id.
        let (users, groups) = (numbers("Uid"), numbers("Gid"))
        guard let parent = numbers("PPid").first, users.count == 4, groups.count == 4 else { return nil }
        self.parent = Int(parent)
        user = users[1]
        self.groups = Set([groups[1]] + numbers("Groups"))
    }
}
