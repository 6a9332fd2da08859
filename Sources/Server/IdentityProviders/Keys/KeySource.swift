package import Curl

/// Returns the bytes of a provider's key set.
package typealias KeySource = @Sendable () throws(KeySetFault) -> [UInt8]

extension ProviderKeys {
    /// Fetches a document: `HTTPClient.get`, or a substitute in tests.
    package typealias Get = @Sendable (_ url: String) throws(HTTPFault) -> HTTPResponse

    /// The key set at a URL, fetched with the limits that `HTTPClient` sets.
    ///
    /// - Parameter onDate: takes the Date header of each answer, which tells the server's clock.
    package static func source(
        at url: String, onDate: @escaping @Sendable (String) -> Void = { _ in }
    ) -> KeySource {
        let client = HTTPClient()
        return { () throws(KeySetFault) in
            try document(at: url, onDate: onDate) { (url) throws(HTTPFault) in try client.get(url) }
        }
    }

    /// The longest time for each of the two requests. Together they take less than nginx waits.
    fileprivate static let timeout = Duration.seconds(3)

    /// The key set of an OpenID provider. Its addresses come from the settings and from the issuer's metadata, never from a
    /// token.
    package static func source(of address: KeySetAddress) -> KeySource {
        source(of: address) { (url) throws(HTTPFault) in try address.get(url, by: HTTPClient(timeout: timeout)) }
    }

    package static func source(of address: KeySetAddress, get: @escaping Get) -> KeySource {
        { () throws(KeySetFault) in
            switch address {
            case .keySet(let url): return try document(at: url, get: get)
            case .discovery(let issuer):
                let address = try ProviderMetadata.address(of: issuer)
                let metadata: [UInt8]
                do { metadata = try document(at: address, get: get) } catch {
                    throw KeySetFault("the metadata of the issuer: \(error)")
                }
                return try document(at: ProviderMetadata(metadata, of: issuer).address("jwks_uri"), get: get)
            }
        }
    }

    static func document(
        at url: String, onDate: (String) -> Void = { _ in }, get: Get
    ) throws(KeySetFault) -> [UInt8] {
        let answer: HTTPResponse
        do throws(HTTPFault) { answer = try get(url) } catch { throw KeySetFault(error.description) }
        if let date = answer.date { onDate(date) }
        guard answer.status == 200 else { throw KeySetFault("status \(answer.status)") }
        return answer.body
    }
}

/// Where an OpenID provider publishes its keys.
package enum KeySetAddress: Sendable, Equatable {
    /// In the metadata of the issuer.
    case discovery(issuer: String)
    case keySet(url: String)

    /// Fetches a document of the key set: the metadata of the issuer, or the keys at an address that the metadata name.
    package func get(_ url: String, by client: HTTPClient) throws(HTTPFault) -> HTTPResponse {
        guard case .discovery(let issuer) = self, url != (try? ProviderMetadata.address(of: issuer)) else {
            return try client.get(url)
        }
        return try client.sending(toAddressNamedBy: issuer) { (client) throws(HTTPFault) in try client.get(url) }
    }
}
