import GatehouseServer
import POSIX

/// Whether the running server can do all of its work, in its own words.
struct ServerCheck: Check {
    static let patience = ServerQuery.Patience.readiness

    let subject = "server"
    let listen: ListenAddress

    func look() -> [Finding] {
        guard SocketProbe.outcome(at: listen.socketAddress) == .listening else {
            return [.note("not asked: nobody to be asked at \(listen)")]
        }
        do throws(ServerQuery.Fault) {
            return judge(ServerReport(document: try ServerQuery(at: listen).readiness(within: Self.patience)))
        } catch {
            return [.fault("\(error)", "systemctl status gatehouse; journalctl -u gatehouse -n 50")]
        }
    }

    func judge(_ report: ServerReport) -> [Finding] {
        let faults = report.parts.filter { !$0.isReady }
            .map { Finding.fault($0.detail, "journalctl -u gatehouse -p warning -n 50") }
        guard faults.isEmpty else { return faults }
        return report.isReady
            ? [.ok("it says that it is ready")]
            : [.fault("it says that it is not ready, and not why", "journalctl -u gatehouse -n 50")]
    }
}
