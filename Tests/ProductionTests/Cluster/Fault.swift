import Foundation
import TestSupport

/// A way in which parts of a cluster fail, and the limits for its effect on clients.
struct Fault: Sendable {
    let name: String
    /// Whether there is no primary for a while.
    var losesPrimary = false
    /// Whether clients may get answers without success.
    var isNoticed = true
    let strike: @Sendable (RunningCluster) throws -> Void

    static let all: [Fault] = [
        Fault(name: "kill -9 of a node", isNoticed: false) { try $0.kill("node") },
        Fault(name: "kill -9 of the primary's main process", losesPrimary: true) { try $0.kill("postmaster") },
        Fault(name: "kill -9 of the primary and its Patroni", losesPrimary: true) { try $0.kill("primary") },
        // PostgreSQL goes on as an old primary, beside the new one.
        Fault(name: "kill -9 of the primary's Patroni alone") { cluster in
            cluster.signal(SIGKILL, try Array(cluster.processes(of: "primary").prefix(1)))
            sleep(16)
        },
        Fault(name: "SIGSTOP of the primary's Patroni alone") { cluster in
            let patroni = try Array(cluster.processes(of: "primary").prefix(1))
            cluster.signal(SIGSTOP, patroni)
            sleep(24)
            cluster.signal(SIGCONT, patroni)
        },
        Fault(name: "kill -9 of the standby") { try $0.kill("standby") },
        Fault(name: "kill -9 of etcd") { try $0.kill("etcd") },
        Fault(name: "SIGSTOP of the primary and its Patroni", losesPrimary: true) { cluster in
            let processes = try cluster.processes(of: "primary")
            cluster.signal(SIGSTOP, processes)
            // Longer than the leader key lives.
            sleep(16)
            cluster.signal(SIGCONT, processes)
        },
        Fault(name: "the primary cut off from the network", losesPrimary: true) { cluster in
            try cluster.cut(cluster.primaryAddress())
            sleep(16)
            try cluster.heal()
        },
        Fault(name: "kill -9 of the standby and etcd") {
            try $0.kill("standby")
            try $0.kill("etcd")
        },
    ]
}
