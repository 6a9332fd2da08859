import Curl
package import Gatehouse
package import IdentityProviders
import JOSE
import Synchronization

/// One fetch from the key server of Apple or of an OpenID provider, with the details that `gatehouse check` reports.
package struct KeyServerProbe: Sendable {
    package enum Outcome: Sendable, Equatable {
        case keys(usable: Int)
        /// The answer is not a key set, or has no usable key.
        case noKeys
        /// The metadata of the issuer cannot be used.
        case metadata(String)
        case status(Int)
        /// There was no answer. The reason: no address for the name, no connection, no valid TLS, or a timeout.
        case noAddress(String)
        case unreachable(String)
        case insecure(String)
        case late(String)
        case unusable(String)
    }

    package let outcome: Outcome
    /// The server's clock, to the second.
    package let date: Timestamp?
    /// The address of the last request.
    package let url: String

    init(outcome: Outcome, date: Timestamp?, url: String) {
        (self.outcome, self.date, self.url) = (outcome, date, url)
    }

    package init(asking url: String) {
        self.url = url
        do throws(HTTPFault) {
            let answer = try HTTPClient().get(url)
            date = answer.date.flatMap(Timestamp.init(httpDate:))
            guard answer.status == 200 else {
                outcome = .status(answer.status)
                return
            }
            let usable = (try? JWKSet(parsing: answer.body, usableFor: [.RS256]))?.count ?? 0
            outcome = usable > 0 ? .keys(usable: usable) : .noKeys
        } catch {
            outcome = Self.outcome(of: error)
            date = nil
        }
    }

    static func outcome(of fault: HTTPFault) -> Outcome {
        switch fault.stage {
        case .name: .noAddress(fault.description)
        case .connection: .unreachable(fault.description)
        case .security: .insecure(fault.description)
        case .timeout: .late(fault.description)
        case .answer: .unusable(fault.description)
        }
    }
}

extension KeyServerProbe {
    /// The longest time for each of the two requests, as at a login.
    package static let timeLimit = Duration.seconds(3)

    /// Asks an OpenID provider as the server does: for the metadata of its issuer, if they name the address of the keys, and
    /// then for the keys.
    package init(
        asking address: KeySetAddress, by rules: TokenRules, timeLimit: Duration = Self.timeLimit
    ) {
        let requests = ProbeRequests()
        let client = HTTPClient(timeout: timeLimit)
        let source = ProviderKeys.source(of: address) { (url) throws(HTTPFault) in
            try requests.record(url) { () throws(HTTPFault) in try address.get(url, by: client) }
        }
        let outcome: Outcome
        do throws(KeySetFault) {
            let (policy, bytes) = (KeySetPolicy(for: rules), try source())
            let keys = try? JWKSet(parsing: bytes, usableFor: policy.algorithms, naming: policy.naming)
            outcome = (keys?.count).map { $0 > 0 ? .keys(usable: $0) : .noKeys } ?? .noKeys
        } catch {
            outcome = requests.last?.fault ?? .metadata(error.description)
        }
        self.init(outcome: outcome, date: requests.date, url: requests.last?.url ?? address.url)
    }
}

/// The requests of a probe, for the place of a fault and the provider's clock.
private final class ProbeRequests: Sendable {
    struct Request {
        let url: String
        /// Nil if the answer has the status 200.
        let fault: KeyServerProbe.Outcome?
        let date: Timestamp?
    }

    private let requests = Mutex<[Request]>([])

    var last: Request? { requests.withLock { $0.last } }

    /// The provider's clock, as the last answer tells it.
    var date: Timestamp? { requests.withLock { $0.last { $0.date != nil }?.date } }

    func record(
        _ url: String, _ send: () throws(HTTPFault) -> HTTPResponse
    ) throws(HTTPFault) -> HTTPResponse {
        do throws(HTTPFault) {
            let answer = try send()
            let fault: KeyServerProbe.Outcome? = answer.status == 200 ? nil : .status(answer.status)
            add(Request(url: url, fault: fault, date: answer.date.flatMap { Timestamp(httpDate: $0, age: answer.age) }))
            return answer
        } catch {
            add(Request(url: url, fault: KeyServerProbe.outcome(of: error), date: nil))
            throw error
        }
    }

    private func add(_ request: Request) { requests.withLock { $0.append(request) } }
}

extension Timestamp {
    /// The largest value of an Age header (RFC 9111, section 1.2.2).
    private static let longestAge = Int64(Int32.max)

    /// The clock of the server that sends an answer: its date is that of its origin, and a cache adds for how long it has
    /// kept the answer.
    init?(httpDate date: String, age: String?) {
        guard let made = Timestamp(httpDate: date) else { return nil }
        let seconds = age.flatMap(Int64.init) ?? 0
        self = made + .seconds(min(max(0, seconds), Self.longestAge))
    }
}

extension KeySetAddress {
    fileprivate var url: String {
        switch self {
        case .discovery(let issuer): issuer
        case .keySet(let url): url
        }
    }
}
