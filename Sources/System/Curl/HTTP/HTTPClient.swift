internal import Glibc
import Text

/// A blocking HTTP client for small documents and forms, with limits on time and size.
///
/// Redirects are not followed: the URLs are configured, and the operator should know if one has moved.
package struct HTTPClient: Sendable {
    package var timeout: Duration
    package var largestBody: Int
    /// Whether a longer body is cut off instead of being a fault: for answers of which the status alone counts.
    package var cutsLongBodies = false
    /// With any other policy than the default, requests are direct: a proxy from the environment is ignored.
    package var addresses = AddressPolicy.any
    /// A file of trusted certificates that replaces the system's.
    package var authorities: String?

    package init(timeout: Duration = .seconds(5), largestBody: Int = 65_536, authorities: String? = nil) {
        (self.timeout, self.largestBody, self.authorities) = (timeout, largestBody, authorities)
    }

    package func get(_ url: String) throws(HTTPFault) -> HTTPResponse {
        try send(nil, to: url)
    }

    /// - Parameters:
    ///   - url: without a query.
    ///   - query: each name and value is percent-encoded.
    package func get(_ url: String, query: [(String, String)]) throws(HTTPFault) -> HTTPResponse {
        try get(url + "?" + FormEncoding.encode(query))
    }

    /// Posts a form (`application/x-www-form-urlencoded`).
    ///
    /// - Parameter headers: further header fields. They are sent as they are, so none may come from a client.
    package func post(
        _ url: String, form: [(String, String)], headers: [(String, String)] = []
    ) throws(HTTPFault) -> HTTPResponse {
        let body = Array(FormEncoding.encode(form).utf8)
        return try send(HTTPBody(contentType: FormEncoding.contentType, headers: headers, bytes: body), to: url)
    }

    /// - Parameter headers: as above.
    package func post(
        _ url: String, json: [UInt8], headers: [(String, String)] = []
    ) throws(HTTPFault) -> HTTPResponse {
        try send(HTTPBody(contentType: "application/json", headers: headers, bytes: json), to: url)
    }

    /// Establishes a connection, verifies the certificate of an https URL, and closes the connection without a request.
    package func connect(_ url: String) throws(HTTPFault) {
        let transfer = try transfer(to: url)
        try transfer.connectOnly()
        _ = try transfer.perform()
    }

    /// Sends a request for the URL to another host, such as a loopback address of this machine.
    ///
    /// - Parameter verifying: whether the certificate has to be valid. Otherwise every certificate is accepted, for
    ///   inspection.
    package func inspect(_ url: String, at host: String, verifying: Bool = false) -> HTTPInspection {
        do throws(HTTPFault) {
            let transfer = try transfer(to: url)
            try transfer.connect(to: host)
            if !verifying { try transfer.acceptAnyCertificate() }
            do throws(HTTPFault) {
                let answer = try transfer.perform()
                return HTTPInspection(outcome: .success(answer), certificate: transfer.certificate)
            } catch {
                return HTTPInspection(outcome: .failure(error), certificate: transfer.certificate)
            }
        } catch {
            return HTTPInspection(outcome: .failure(error), certificate: nil)
        }
    }

    private func send(_ body: HTTPBody?, to url: String) throws(HTTPFault) -> HTTPResponse {
        let transfer = try transfer(to: url)
        if let body { try transfer.setBody(body) }
        return try transfer.perform()
    }

    private func transfer(to url: String) throws(HTTPFault) -> HTTPTransfer {
        let transfer = try HTTPTransfer(
            received: BodyBuffer(limit: largestBody, isCut: cutsLongBodies), addresses: addresses)
        try transfer.configure(url: url, timeout: timeout, authorities: authorities)
        return transfer
    }
}

/// Requests to an address that another server has chosen, such as the issuer of tokens in its metadata.
extension HTTPClient {
    /// Sends a request with a client that connects to public addresses only: the other server must not make this machine send
    /// requests into the operator's network. One that has a private address itself may name others: it is the operator's.
    ///
    /// A proxy from the environment has its own rules, and hides the address.
    package func sending<Answer>(
        toAddressNamedBy server: String, _ send: (HTTPClient) throws(HTTPFault) -> Answer
    ) throws(HTTPFault) -> Answer {
        if Self.hasProxy || Loopback.isHost(of: server) { return try send(self) }
        var client = self
        client.addresses = .publicOnly
        do throws(HTTPFault) { return try send(client) } catch {
            // Nothing was sent. With a valid certificate, the private address is really the other server's.
            client.addresses = .privateOnly
            guard error == .privateAddress, (try? client.connect(server)) != nil else { throw error }
            return try send(self)
        }
    }

    private static var hasProxy: Bool {
        let names: [String] = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        return names.contains { unsafe getenv($0) != nil }
    }
}

extension IPAddress {
    /// Whether the host of a URL is this machine, or a private address in digits. A name may still have a private address.
    package static func isPrivateHost(of url: String) -> Bool {
        let rest = url.ranges(of: "://").first.map { url[$0.upperBound...] } ?? url[...]
        let authority = rest.prefix { !"/?#\\".contains($0) }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        if host.hasPrefix("[") { return IPAddress(String(host.dropFirst().prefix { $0 != "]" }))?.isPrivate ?? true }
        let name = host.prefix { $0 != ":" }.lowercased().split(separator: ".").joined(separator: ".")
        return name == "localhost" || name.hasSuffix(".localhost") || IPAddress(name)?.isPrivate == true
    }
}

/// The body of a request.
struct HTTPBody {
    let contentType: String
    /// Further header fields of the request.
    var headers: [(String, String)] = []
    let bytes: [UInt8]
}

/// The response of a server, with any status.
package struct HTTPResponse: Sendable {
    package let status: Int
    /// The Date header, which tells the server's clock.
    package var date: String?
    /// The Age header: for how many seconds a cache has kept the response, whose date is that of its origin.
    package var age: String?
    /// The Retry-After header: seconds, or a date.
    package var retryAfter: String?
    package var contentType: String?
    package let body: [UInt8]
}

/// The response to one request, and the certificate that the server presented.
package struct HTTPInspection: Sendable {
    package let outcome: Result<HTTPResponse, HTTPFault>
    /// In PEM; nil without TLS, or if the connection failed earlier.
    package let certificate: String?
}
