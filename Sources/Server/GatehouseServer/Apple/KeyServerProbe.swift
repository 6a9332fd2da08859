import Curl
package import Gatehouse
import IdentityProviders
import JOSE

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
        self.outcome = outcome
        self.date = date
        self.url = url
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
