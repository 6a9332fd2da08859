import FileSystem
import GatehouseServer
import POSIX
import Sockets

/// Whether nginx can connect to the socket of the server.
struct SocketCheck: Check {
    struct Facts {
        var status: FileStatus?
        /// Every folder on the path.
        var parents: [(path: String, status: FileStatus)] = []
        var outcome = SocketProbe.Outcome.refused
        /// The users of nginx's workers; the usual user of Debian if nginx does not run.
        var nginx: [Account] = []
    }

    let subject = "socket"
    let listen: ListenAddress
    let isDevelopment: Bool
    let accounts: UserDatabase
    let processes: NginxProcesses

    func run() -> [Finding] {
        switch listen {
        case .tcp: [evaluate(SocketProbe.outcome(at: listen.socketAddress), at: listen.description)]
        case .unix(let path): findings(at: path)
        }
    }

    private func findings(at path: String) -> [Finding] {
        var facts = Facts()
        do throws(POSIXError) {
            for parent in Self.folders(to: path) where !File.isMissing(parent) {
                facts.parents.append((parent, try FileStatus(of: parent)))
            }
            facts.status = File.isMissing(path) ? nil : try FileStatus(of: path)
        } catch {
            return [
                .note("not checked: \(accounts.current.name) lacks the permission (\(error))", "sudo gatehouse check")
            ]
        }
        facts.outcome = SocketProbe.outcome(at: listen.socketAddress)
        let usual = ["www-data", "nginx"].lazy.compactMap(accounts.account(named:)).first
        facts.nginx = processes.accounts.isEmpty ? [usual].compactMap { $0 } : processes.accounts
        return evaluate(facts, at: path)
    }

    /// Every folder on the path, from the root.
    private static func folders(to path: String) -> [String] {
        var folders = [File.folder(of: path)]
        while let last = folders.last, last != "/", last != "." { folders.append(File.folder(of: last)) }
        return folders.reversed()
    }

    func evaluate(_ facts: Facts, at path: String) -> [Finding] {
        guard let status = facts.status else {
            return [
                .note(
                    "no server listens: \(path) does not exist",
                    "systemctl start gatehouse; journalctl -u gatehouse -n 50")
            ]
        }
        guard status.kind == .socket else {
            return [.fault("\(path) is not a socket", "correct LISTEN, or remove \(path)")]
        }
        let own = evaluate(facts.outcome, at: path)
        let access = facts.nginx.flatMap { evaluateAccess(of: $0, status, facts.parents, at: path) }
        return own.grade == .ok && !access.isEmpty ? access : [own] + access
    }

    /// The permissions that prevent nginx from connecting. They are only notes in development, where one
    /// user may run everything.
    private func evaluateAccess(
        of nginx: Account, _ socket: FileStatus, _ parents: [(path: String, status: FileStatus)], at path: String
    ) -> [Finding] {
        let folders = parents.filter { !$0.status.permits(.enter, to: nginx) }.map { folder, status in
            ("\(nginx.name) cannot reach it: \(folder) is \(accounts.ownership(of: status))", "chmod o+x \(folder)")
        }
        let file =
            socket.permits(.write, to: nginx)
            ? []
            : [
                (
                    "\(nginx.name) may not connect: \(path) is \(accounts.ownership(of: socket))",
                    "under systemd: systemctl edit gatehouse.socket, SocketGroup=\(group(of: nginx)) in [Socket], then: systemctl "
                        + "restart gatehouse.socket gatehouse; else: chgrp \(group(of: nginx)) \(path) && chmod 660 \(path)"
                )
            ]
        return (folders + file).map { isDevelopment ? .note($0.0) : .fault($0.0, $0.1) }
    }

    /// The group with the name of the account, or else its first group.
    private func group(of account: Account) -> String {
        let names = account.groups.sorted().map(accounts.nameOfGroup)
        return names.contains(account.name) ? account.name : names.first ?? account.name
    }

    private func evaluate(_ outcome: SocketProbe.Outcome, at place: String) -> Finding {
        switch outcome {
        case .listening: return .ok("a server listens at \(place)")
        case .refused where place.hasPrefix("/"):
            return .fault(
                "\(place) exists, but no server listens",
                "systemctl restart gatehouse.socket gatehouse; journalctl -u gatehouse -n 50")
        case .refused:
            return .note("no server listens at \(place)", "systemctl start gatehouse; journalctl -u gatehouse -n 50")
        case .failed(let error) where error.isDenied:
            return .note("not checked: \(accounts.current.name) may not connect to \(place)", "sudo gatehouse check")
        case .failed(let error): return .fault("cannot connect to \(place): \(error)", "ss -xlp | grep gatehouse")
        }
    }
}
