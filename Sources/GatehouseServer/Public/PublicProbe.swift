import Curl
import JSON
import OpenSSL

/// Asks this machine once what clients ask at the public address: through a loopback address, so that neither DNS nor a
/// firewall in front of the machine takes part.
package struct PublicProbe: Sendable, Equatable {
    package enum Answer: Sendable, Equatable {
        /// 401 with our problem document: all the way to the server works.
        case ours
        /// A problem document with another code, such as nginx's own `bad_gateway`.
        case problem(status: Int, code: String)
        /// Something else that speaks HTTP.
        case other(status: Int)
        case noConnection(String)
        case noTLS(String)
        case late(String)
        case unusable(String)
    }

    package let answer: Answer
    package let certificate: ServedCertificate?

    package init(answer: Answer, certificate: ServedCertificate?) {
        self.answer = answer
        self.certificate = certificate
    }

    /// nginx may listen at addresses of one kind alone.
    private static let places = ["127.0.0.1", "[::1]"]
    private static let path = "/api/users/me"

    package init(asking address: PublicAddress) {
        let inspection = Self.inspect(address, believing: false)
        answer =
            switch inspection.outcome {
            case .success(let answer): Self.answer(status: answer.status, body: answer.body)
            case .failure(let fault): Self.answer(for: fault)
            }
        certificate = inspection.certificate.flatMap { ServedCertificate(pem: $0, host: address.host) }
    }

    /// Why a client that believes what this machine believes refuses the connection; nil where it does not.
    package static func disbelief(of address: PublicAddress) -> String? {
        guard case .failure(let fault) = inspect(address, believing: true).outcome, fault.stage == .security else {
            return nil
        }
        return fault.description
    }

    private static func inspect(_ address: PublicAddress, believing: Bool) -> HTTPInspection {
        let client = HTTPClient()
        var inspection = client.inspect(address.description + path, at: places[0], believing: believing)
        if case .failure(let fault) = inspection.outcome, fault.stage == .connection {
            let other = client.inspect(address.description + path, at: places[1], believing: believing)
            if case .failure(let next) = other.outcome, next.stage == .connection { return inspection }
            inspection = other
        }
        return inspection
    }

    static func answer(status: Int, body: [UInt8]) -> Answer {
        guard let code = (try? JSONValue(parsing: body))?.object?["code"]?.string,
            code.wholeMatch(of: /[a-z_]{1,64}/) != nil
        else { return .other(status: status) }
        return status == 401 && code == "invalid_access_token" ? .ours : .problem(status: status, code: code)
    }

    private static func answer(for fault: HTTPFault) -> Answer {
        switch fault.stage {
        case .name, .connection: .noConnection(fault.description)
        case .security: .noTLS(fault.description)
        case .patience: .late(fault.description)
        case .answer: .unusable(fault.description)
        }
    }
}

extension PublicProbe.Answer {
    /// Whether nothing is known to be broken on the way. A limit of nginx (429) shows that nginx is reached and leaves the
    /// rest open: another client at a loopback address may have used it up.
    package var isReached: Bool {
        switch self {
        case .ours, .problem(status: 429, code: _): true
        default: false
        }
    }

    /// In a few words, for a log and a report.
    package var summary: String {
        switch self {
        case .ours: "answered by this server"
        case .problem(let status, let code): "answered with \(status) \(code)"
        case .other(let status): "answered with \(status), and not by Gatehouse"
        case .noConnection(let reason): "no connection: \(reason)"
        case .noTLS(let reason): "no TLS: \(reason)"
        case .late(let reason): "no answer in time: \(reason)"
        case .unusable(let reason): "no usable answer: \(reason)"
        }
    }
}
