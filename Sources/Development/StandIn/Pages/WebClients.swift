package import DevelopmentHTTP
package import JSON
import Synchronization

/// A client that may use a provider's page.
package struct WebClient: Equatable, Sendable {
    package let id: String
    package let secret: String
    /// Where the provider may send the browser back to.
    package let redirectURIs: [String]

    package init(id: String, secret: String, redirectURIs: [String] = []) {
        self.id = id
        self.secret = secret
        self.redirectURIs = redirectURIs
    }

    /// Reads a request that registers a client. A member that the request leaves out has the value of the usual client,
    /// except the secret of a client with another id. Refuses unknown members.
    ///
    /// - Parameter names: of the members for the id and the secret.
    package init(
        _ json: JSONObject, usual: WebClient, names: (id: String, secret: String)
    ) throws(HTTPRefusal) {
        var (id, secret, addresses) = (usual.id, usual.secret, [String]())
        for (name, value) in json.members {
            switch (name, value) {
            case (names.id, .string(let text)): id = text
            case (names.secret, .string(let text)): secret = text
            case ("redirectURIs", .array(let list)): addresses = try Self.addresses(list)
            default:
                throw .invalid(
                    "\(name): known are the texts \(names.id), \(names.secret) and the list redirectURIs of "
                        + "addresses that begin with https:// or http://")
            }
        }
        self.init(id: id, secret: secret, redirectURIs: addresses)
    }

    private static func addresses(_ list: [JSONValue]) throws(HTTPRefusal) -> [String] {
        let addresses = list.compactMap(\.string).filter(isAddress)
        guard addresses.count == list.count else {
            throw .invalid("redirectURIs: each must begin with https:// or http://, and have no fragment")
        }
        return addresses
    }

    /// Whether a provider lets a client register it.
    package static func isAddress(_ text: String) -> Bool {
        (text.hasPrefix("https://") || text.hasPrefix("http://")) && !text.contains("#")
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

/// The clients of a provider.
package final class WebClients: Sendable {
    private let clients: Mutex<[WebClient]>

    package init(_ clients: WebClient...) {
        self.clients = Mutex(clients)
    }

    package subscript(_ id: String) -> WebClient? { clients.withLock { $0.first { $0.id == id } } }

    package var ids: [String] { clients.withLock { $0.map(\.id) } }

    /// Adds a client, or addresses to a known one, whose secret it replaces.
    package func register(_ client: WebClient) {
        clients.withLock { clients in
            let known = clients.first { $0.id == client.id }?.redirectURIs ?? []
            clients.removeAll { $0.id == client.id }
            clients.append(
                WebClient(
                    id: client.id, secret: client.secret,
                    redirectURIs: known + client.redirectURIs.filter { !known.contains($0) }))
        }
    }
}
