import Curl
package import Gatehouse
import JSON
import POSIX
import Synchronization
import Text

/// The https origin that clients use: `https://api.example.com`, without a path.
package struct PublicAddress: Sendable, Equatable, CustomStringConvertible {
    /// A name or an address in digits; an IPv6 address without its brackets.
    package let host: String
    package let port: UInt16
    private let isIPv6: Bool

    package init?(_ text: String) {
        guard text.hasPrefix("https://") else { return nil }
        var authority = text.dropFirst(8)
        if authority.hasSuffix("/") { authority.removeLast() }
        guard
            let match = authority.wholeMatch(
                of:
                    /(?:(?<name>[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)|\[(?<address>[0-9A-Fa-f:.]+)\])(?::(?<port>[0-9]{1,5}))?/
            ), let host = match.name ?? match.address,
            let port = match.port.map({ UInt16(digits: $0) }) ?? 443, port > 0
        else { return nil }
        isIPv6 = match.address != nil
        self.host = host.lowercased()
        self.port = port
    }

    package var description: String {
        "https://" + (isIPv6 ? "[\(host)]" : host) + (port == 443 ? "" : ":\(port)")
    }

    /// Whether clients reach their own machine at this address, as in development.
    package var isOfThisMachine: Bool {
        Loopback.contains(host) || host.hasSuffix(".localhost")
    }
}

/// The value of `PUBLIC_URL`.
package enum PublicAddressSetting: Sendable, Equatable {
    /// Another machine terminates TLS, or there are no clients outside this machine: the server sends no probes.
    case off
    /// Neither the setting nor the file that `gatehouse-nginx` writes has an address.
    case unknown
    case address(PublicAddress)

    init?(_ text: String) {
        if text == "off" {
            self = .off
        } else if let address = PublicAddress(text) {
            self = .address(address)
        } else {
            return nil
        }
    }

    /// The origin that proofs of bound sessions must be about; nil for the one that the request names. Behind a balancer that is
    /// the issuer's. Without a statement of the operator, an issuer need not be where clients come to.
    package func originOfProofs(_ web: WebPolicy) -> String? { self == .unknown ? nil : web.origin }

    package var address: PublicAddress? {
        if case .address(let address) = self { return address }
        return nil
    }
}

/// Probes the public address every minute, and every 15 seconds after a failure, and keeps the last result for the
/// metrics. A failure has no effect on the server itself.
final class PublicAddressMonitor: MetricSource {
    private struct State {
        var address: PublicAddress?
        var last: (probe: PublicProbe, moment: Timestamp)?
        var dueAt: MonotonicTime
        /// Number of consecutive failures.
        var failures = 0
    }

    private static let interval = Duration.seconds(60)
    /// The interval after a failure: at boot, nginx may start after the server.
    private static let retryInterval = Duration.seconds(15)
    /// The number of consecutive failures at which a warning is logged.
    private static let loggedFailure = 2

    private let state: Mutex<State>
    private let probe: @Sendable (PublicAddress) -> PublicProbe
    private let now: @Sendable () -> Timestamp
    private let log: Log

    init(
        _ address: PublicAddress?, now: @escaping @Sendable () -> Timestamp, log: Log,
        probe: @escaping @Sendable (PublicAddress) -> PublicProbe = { PublicProbe(asking: $0) }
    ) {
        state = Mutex(State(address: address, dueAt: .now))
        (self.probe, self.now, self.log) = (probe, now, log)
    }

    /// Probes a new address at once. Nil ends the probes and their metrics.
    func adopt(_ address: PublicAddress?) {
        state.withLock { state in
            guard state.address != address else { return }
            state = State(address: address, dueAt: .now)
        }
    }

    /// Called by one thread at any interval.
    func probeIfDue(at moment: MonotonicTime = .now) {
        guard let address = state.withLock({ $0.dueAt <= moment ? $0.address : nil }) else { return }
        let result = probe(address)
        let failures = state.withLock { state -> (before: Int, after: Int)? in
            // Another address was adopted during the probe.
            guard state.address == address else { return nil }
            let before = state.failures
            state.failures = result.answer.isReached ? 0 : before + 1
            state.last = (result, now())
            state.dueAt = moment + (state.failures == 0 ? Self.interval : Self.retryInterval)
            return (before, state.failures)
        }
        if let failures { logChange(result, at: address, failures) }
    }

    private func logChange(_ result: PublicProbe, at address: PublicAddress, _ failures: (before: Int, after: Int)) {
        let details: [(String, JSONValue)] = [
            ("address", .string(address.description)), ("result", .string(result.answer.summary)),
        ]
        if failures.after == Self.loggedFailure { log(.warning, "public_address", details) }
        if failures.after == 0, failures.before >= Self.loggedFailure { log(.info, "public_address", details) }
    }

    func write(to text: inout Exposition) {
        let (address, last) = state.withLock { ($0.address, $0.last) }
        guard address != nil else { return }
        text.write(
            "gatehouse_public_probe_success", .gauge,
            "1 if this machine reached the server at PUBLIC_URL, or a limit of nginx, 0 if not; NaN before the first probe.",
            last.map { $0.probe.answer.isReached ? 1.0 : 0 })
        text.write(
            "gatehouse_public_probe_timestamp_seconds", .gauge,
            "Time of the last probe of PUBLIC_URL, in seconds since 1970; NaN before the first one.",
            last.map { $0.moment.inSeconds })
        text.write(
            "gatehouse_public_certificate_not_after_seconds", .gauge,
            "Time until which the certificate at PUBLIC_URL is valid, in seconds since 1970; NaN without one.",
            last?.probe.certificate.map { $0.notAfter.inSeconds })
    }
}

extension Timestamp {
    fileprivate var inSeconds: Double { Double(milliseconds) / 1000 }
}
