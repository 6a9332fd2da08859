import Curl
package import Gatehouse
import JOSE

/// Asks Apple's key server once, as the server does, and tells more of how that went.
package struct KeyServerProbe: Sendable {
    package enum Outcome: Sendable, Equatable {
        case keys(usable: Int)
        /// What came is no set, or none with a usable key in it.
        case noKeys
        case status(Int)
        /// There was no answer, and why: no address for its name, no connection, none that is safe, or none in time.
        case noAddress(String)
        case unreachable(String)
        case insecure(String)
        case late(String)
        case unusable(String)
    }

    package let outcome: Outcome
    /// The time as that server has it, to the second.
    package let date: Timestamp?

    package init(asking url: String) {
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

    private static func outcome(of fault: HTTPFault) -> Outcome {
        switch fault.stage {
        case .name: .noAddress(fault.description)
        case .connection: .unreachable(fault.description)
        case .security: .insecure(fault.description)
        case .patience: .late(fault.description)
        case .answer: .unusable(fault.description)
        }
    }
}
