import GatehouseServer
import POSIX

/// The way of nginx's requests to the server.
struct SocketCheck: Check {
    struct Facts {
        var status: FileStatus?
        /// Every folder on the way.
        var parents: [(path: String, status: FileStatus)] = []
        var outcome = SocketProbe.Outcome.nobody
        /// As whom nginx connects: its workers, or whom Debian would have them be.
        var nginx: [Account] = []
    }

    let subject = "socket"
    let listen: ListenAddress
    let isDevelopment: Bool
    let accounts: AccountBook
    let processes: NginxProcesses

    func look() -> [Finding] {
        switch listen {
        case .tcp: [judge(SocketProbe.outcome(at: listen.socketAddress), at: listen.description)]
        case .unix(let path): look(at: path)
        }
    }

    private func look(at path: String) -> [Finding] {
        var facts = Facts()
        do throws(POSIXError) {
            for parent in Self.folders(to: path) where !File.isMissing(parent) {
                facts.parents.append((parent, try FileStatus(of: parent)))
            }
            facts.status = File.isMissing(path) ? nil : try FileStatus(of: path)
        } catch {
            return [.note("not looked at: \(accounts.current.name) may not (\(error))", "sudo gatehouse check")]
        }
        facts.outcome = SocketProbe.outcome(at: listen.socketAddress)
        let usual = ["www-data", "nginx"].lazy.compactMap(accounts.account(named:)).first
        facts.nginx = processes.accounts.isEmpty ? [usual].compactMap { $0 } : processes.accounts
        return judge(facts, at: path)
    }

    /// Every folder on the way to a path, from the root on.
    private static func folders(to path: String) -> [String] {
        var folders = [File.folder(of: path)]
        while let last = folders.last, last != "/", last != "." { folders.append(File.folder(of: last)) }
        return folders.reversed()
    }

    func judge(_ facts: Facts, at path: String) -> [Finding] {
        guard let status = facts.status else {
            return [
                .note("nobody listens: there is no \(path)", "systemctl start gatehouse; journalctl -u gatehouse -n 50")
            ]
        }
        guard status.kind == .socket else { return [.fault("\(path) is no socket", "mend LISTEN, or remove \(path)")] }
        let own = judge(facts.outcome, at: path)
        let access = facts.nginx.flatMap { judgeAccess(of: $0, status, facts.parents, at: path) }
        return own.grade == .ok && !access.isEmpty ? access : [own] + access
    }

    /// What keeps nginx out. Where one user runs all, as in development, it is not known to be nginx's.
    private func judgeAccess(
        of nginx: Account, _ socket: FileStatus, _ parents: [(path: String, status: FileStatus)], at path: String
    ) -> [Finding] {
        let closed = parents.filter { !$0.status.permits(.enter, to: nginx) }.map { folder, status in
            ("\(nginx.name) cannot reach it: \(folder) is \(accounts.ownership(of: status))", "chmod o+x \(folder)")
        }
        let shut =
            socket.permits(.write, to: nginx)
            ? []
            : [
                (
                    "\(nginx.name) may not connect: \(path) is \(accounts.ownership(of: socket))",
                    "under systemd: systemctl edit gatehouse.socket, SocketGroup=\(group(of: nginx)) in [Socket], then: systemctl "
                        + "restart gatehouse.socket gatehouse; else: chgrp \(group(of: nginx)) \(path) && chmod 660 \(path)"
                )
            ]
        return (closed + shut).map { isDevelopment ? .note($0.0) : .fault($0.0, $0.1) }
    }

    /// The group of that name, or the first that the account has.
    private func group(of account: Account) -> String {
        let names = account.groups.sorted().map(accounts.nameOfGroup)
        return names.contains(account.name) ? account.name : names.first ?? account.name
    }

    private func judge(_ outcome: SocketProbe.Outcome, at place: String) -> Finding {
        switch outcome {
        case .listening: return .ok("somebody listens at \(place)")
        case .nobody where place.hasPrefix("/"):
            return .fault(
                "\(place) is there, and nobody listens",
                "systemctl restart gatehouse.socket gatehouse; journalctl -u gatehouse -n 50")
        case .nobody:
            return .note("nobody listens at \(place)", "systemctl start gatehouse; journalctl -u gatehouse -n 50")
        case .failed(let error) where error.isDenied:
            return .note("not asked: \(accounts.current.name) may not connect to \(place)", "sudo gatehouse check")
        case .failed(let error): return .fault("\(place) cannot be connected to: \(error)", "ss -xlp | grep gatehouse")
        }
    }
}
