import GatehouseServer
import POSIX

/// The socket of `serve`, which root opens before it gives up root where only root can.
struct ServedSocket {
    /// Ports below this one are root's to give (ip(7)).
    private static let firstOrdinaryPort: UInt16 = 1024

    let address: ListenAddress

    /// Nil where the owner of the database is to open it, or where it is handed over by systemd.
    func openAsRoot(before owner: DatabaseOwner) throws(CommandFault) -> Listener? {
        guard owner.replacesRoot, ProcessEnvironment.variables()["LISTEN_FDS"] == nil else { return nil }
        do throws(ListenerError) {
            switch address {
            case .tcp(let host, let port):
                return port < Self.firstOrdinaryPort ? try Listener.tcp(host: host, port: port) : nil
            case .unix(let path):
                // In a folder of another user, that user decides what is at the path.
                guard (try? PathOwner.ofPlace(at: path))?.isRoot == true else { return nil }
                let socketOwner = owner.account.id
                return try Listener.unix(path: path, owner: socketOwner)
            }
        } catch {
            throw CommandFault(.failed, "\(error)")
        }
    }
}
