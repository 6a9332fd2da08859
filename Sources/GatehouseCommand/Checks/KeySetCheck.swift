import AppleID
import Gatehouse
import GatehouseServer
import GatehouseStore
import POSIX

/// Apple's key set, without which nobody signs in with Apple.
struct KeySetCheck: Check {
    let subject = "Apple's keys"
    let url: String
    let path: String?
    /// Nil where the network is not to be asked.
    let probe: KeyServerProbe?

    func look() -> [Finding] {
        let name = KeySetArchive.name(for: url)
        let kept = path.flatMap { File.isReadable($0) ? try? SQLiteFile(path: $0).document(name) : nil }
        return [judge(probe?.outcome)] + [judge(keptSince: kept?.updatedAt, now: World.real.now())].compactMap { $0 }
    }

    func judge(_ outcome: KeyServerProbe.Outcome?) -> Finding {
        let get = "curl -v \(url.withoutQuery.shellQuoted)"
        return switch outcome {
        case nil: .note("not asked for: --offline")
        case .keys(let count): .ok("\(count) can be used")
        case .noKeys: .fault("\(host) answers without a usable key", "mend APPLE_JWKS_URL; \(get)")
        case .status(let status): .fault("\(host) answers with the status \(status)", "mend APPLE_JWKS_URL; \(get)")
        case .noAddress(let reason):
            .fault("no address is found for \(host): \(reason)", "getent hosts \(host); look at /etc/resolv.conf")
        case .unreachable(let reason):
            .fault("\(host) cannot be reached: \(reason)", "ip route; a firewall between? \(get)")
        case .late(let reason):
            .fault("\(host) does not answer in time: \(reason)", "ip route; a firewall between? \(get)")
        case .insecure(let reason):
            .fault(
                "no safe connection to \(host): \(reason)",
                "apt install ca-certificates; a wrong clock or a proxy between? \(get)")
        case .unusable(let reason): .fault("\(host) gives no usable answer: \(reason)", get)
        }
    }

    /// What logins have if Apple does not answer.
    func judge(keptSince kept: Timestamp?, now: Timestamp) -> Finding? {
        guard let kept else { return nil }
        let message = "the last good set was fetched at \(kept)"
        let isUseless = kept + KeySetPolicy().staleLimit < now
        return .note(isUseless ? message + ": too old to be believed" : message)
    }

    private var host: String { String(url.host.prefix { $0 != ":" }) }
}
