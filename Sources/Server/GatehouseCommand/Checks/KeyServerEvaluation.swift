import GatehouseServer

/// Evaluates the answer of a key server.
struct KeyServerEvaluation {
    let url: String
    /// The setting that decides about the address, for advice.
    let setting: String

    func evaluate(_ outcome: KeyServerProbe.Outcome) -> Finding {
        let get = "curl -v \(url.withoutQuery.shellQuoted)"
        return switch outcome {
        case .keys(let count): .ok("\(count) usable keys")
        case .noKeys: .fault("\(host) answers without a usable key", "correct \(setting); \(get)")
        case .metadata(let reason): .fault(reason, "correct \(setting); \(get)")
        case .status(let status): .fault("\(host) answers with the status \(status)", "correct \(setting); \(get)")
        case .noAddress(let reason):
            .fault("DNS has no address for \(host): \(reason)", "getent hosts \(host); check /etc/resolv.conf")
        case .unreachable(let reason):
            .fault("\(host) cannot be reached: \(reason)", "check ip route and firewalls; \(get)")
        case .late(let reason):
            .fault("\(host) does not answer in time: \(reason)", "check ip route and firewalls; \(get)")
        case .insecure(let reason):
            .fault(
                "no trusted TLS connection to \(host): \(reason)",
                "apt install ca-certificates; check the clock and proxies; \(get)")
        case .unusable(let reason): .fault("\(host) does not send a valid answer: \(reason)", get)
        }
    }

    private var host: String { String(url.host.prefix { $0 != ":" }) }
}
