import Curl
package import Gatehouse
import JSON
import OpenSSL

/// One request to the public address, sent through a loopback address: neither DNS nor a firewall in front of the
/// machine takes part.
package struct PublicProbe: Sendable, Equatable {
    package enum Answer: Sendable, Equatable {
        /// 401 with the problem document of this server: the whole path to the server works.
        case ours
        /// A problem document with another code, such as nginx's own `bad_gateway`.
        case problem(status: Int, code: String)
        /// Another HTTP answer, without a problem document.
        case other(status: Int)
        case noConnection(String)
        case noTLS(String)
        case late(String)
        case unusable(String)
    }

    package let answer: Answer
    package let certificate: ServedCertificate?
}

extension PublicProbe {
    /// nginx may listen on IPv4 or IPv6 only.
    private static let loopbackAddresses = ["127.0.0.1", "[::1]"]
    private static let path = "/api/users/me"

    package init(asking address: PublicAddress) {
        let inspection = Self.inspect(address, verifying: false)
        answer =
            switch inspection.outcome {
            case .success(let answer): Self.answer(status: answer.status, body: answer.body)
            case .failure(let fault): Self.answer(for: fault)
            }
        certificate = inspection.certificate.flatMap { ServedCertificate(pem: $0, host: address.host) }
    }

    /// The reason why a client with the certificate authorities of this machine refuses the
    /// connection; nil if it accepts it.
    package static func rejection(of address: PublicAddress) -> String? {
        guard case .failure(let fault) = inspect(address, verifying: true).outcome, fault.stage == .security else {
            return nil
        }
        return fault.cause
    }

    private static func inspect(_ address: PublicAddress, verifying: Bool) -> HTTPInspection {
        let client = HTTPClient()
        var inspection = client.inspect(address.description + path, at: loopbackAddresses[0], verifying: verifying)
        if case .failure(let fault) = inspection.outcome, fault.stage == .connection {
            let other = client.inspect(address.description + path, at: loopbackAddresses[1], verifying: verifying)
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
        case .name, .connection: .noConnection(fault.cause)
        case .security: .noTLS(fault.cause)
        case .timeout: .late(fault.cause)
        case .answer: .unusable(fault.cause)
        }
    }
}

extension PublicProbe.Answer {
    /// Whether no fault is known on the path to the server. A rate limit of nginx (429) shows only that nginx answers:
    /// another client at a loopback address may have used up the limit.
    package var isReached: Bool {
        switch self {
        case .ours, .problem(status: 429, code: _): true
        default: false
        }
    }

    /// For the log and for reports.
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

/// The facts about a certificate that nginx presents, or that is in its file.
package struct ServedCertificate: Sendable, Equatable {
    package let notBefore: Timestamp
    package let notAfter: Timestamp
    package var coversHost = true
    package var isSelfSigned = false
    var fingerprint: [UInt8] = []
}

extension ServedCertificate {
    /// The first certificate of a PEM text; nil if there is none.
    package init?(pem: String, host: String) {
        guard let certificate = Certificate(pem: pem, host: host) else { return nil }
        self.init(
            notBefore: Timestamp(seconds: certificate.notBefore), notAfter: Timestamp(seconds: certificate.notAfter),
            coversHost: certificate.coversHost, isSelfSigned: certificate.isSelfSigned,
            fingerprint: certificate.fingerprint)
    }

    package func isSame(as other: ServedCertificate) -> Bool { fingerprint == other.fingerprint }
}

/// The answer to a request for a file that a server of another party reads, such as Apple's.
package enum FileProbe: Sendable, Equatable {
    case answered(status: Int, type: String?, body: [UInt8])
    case unreachable(String)
}

extension FileProbe {
    /// Apple's servers take no longer file.
    private static let largestFile = 131_072

    /// By the names of DNS, verifying the certificate, and without following a redirect.
    ///
    /// - Parameter authorities: a file of trusted certificates that replaces the system's.
    package init(asking url: String, authorities: String? = nil) {
        do throws(HTTPFault) {
            let answer = try HTTPClient(largestBody: Self.largestFile, authorities: authorities).get(url)
            self = .answered(status: answer.status, type: answer.contentType, body: answer.body)
        } catch { self = .unreachable(error.cause) }
    }
}
