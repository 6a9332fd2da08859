/// Fetches small documents over HTTPS and posts small forms, on the thread that asks, within fixed bounds.
///
/// Redirects are not followed: the addresses are configured, and where they lead elsewhere an operator should know.
package struct HTTPClient: Sendable {
    package var timeout: Duration
    package var largestBody: Int
    /// A file of certificates to believe in place of the system's.
    package var authorities: String?

    package init(timeout: Duration = .seconds(5), largestBody: Int = 65_536, authorities: String? = nil) {
        self.timeout = timeout
        self.largestBody = largestBody
        self.authorities = authorities
    }

    package func get(_ url: String) throws(HTTPFault) -> HTTPAnswer {
        try send(nil, to: url)
    }

    /// Posts a form (`application/x-www-form-urlencoded`).
    package func post(_ url: String, form: [(String, String)]) throws(HTTPFault) -> HTTPAnswer {
        try send(HTTPBody(contentType: FormEncoding.contentType, bytes: FormEncoding.encode(form)), to: url)
    }

    package func post(_ url: String, json: [UInt8]) throws(HTTPFault) -> HTTPAnswer {
        try send(HTTPBody(contentType: "application/json", bytes: json), to: url)
    }

    /// Asks this machine itself, at a loopback address, for what the URL's host would be asked for.
    ///
    /// - Parameter believing: whether the certificate has to be one that clients accept. Else any is, to be looked at.
    package func inspect(_ url: String, at host: String, believing: Bool = false) -> HTTPInspection {
        do throws(HTTPFault) {
            let transfer = try Transfer(largestBody: largestBody)
            try transfer.address(url, timeout: timeout, authorities: authorities)
            try transfer.connect(to: host)
            if !believing { try transfer.acceptAnyCertificate() }
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

    private func send(_ body: HTTPBody?, to url: String) throws(HTTPFault) -> HTTPAnswer {
        let transfer = try Transfer(largestBody: largestBody)
        try transfer.address(url, timeout: timeout, authorities: authorities)
        if let body { try transfer.carry(body) }
        return try transfer.perform()
    }
}
