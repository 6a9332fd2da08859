import FileSystem

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
