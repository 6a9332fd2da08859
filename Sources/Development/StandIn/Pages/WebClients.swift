import DevelopmentHTTP
import JSON
import Synchronization
import Text

/// A client that may use a provider's page.
package struct WebClient: Equatable, Sendable {
    let id: String
    let secret: String
    /// Where the provider may send the browser back to.
    var redirectURIs: [String] = []
}

extension WebClient {
    /// Reads a request that registers a client. A member that the request leaves out has the value of the usual client.
    ///
    /// - Parameter names: of the members for the id and the secret.
    init(
        _ json: JSONObject, usual: WebClient, names: (id: String, secret: String)
    ) throws(HTTPRefusal) {
        var order = OrderReader(json)
        self.init(
            id: order.text(names.id) ?? usual.id, secret: order.text(names.secret) ?? usual.secret,
            redirectURIs: try Self.addresses(order.take("redirectURIs", \.array) ?? []))
        try order.end(
            "known are the texts \(names.id), \(names.secret) and the list redirectURIs of addresses that begin with "
                + "https:// or http://")
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
            && text.utf8.allSatisfy(\.isVisible)
    }
}

/// The clients of a provider.
package final class WebClients: Sendable {
    private let clients: Mutex<[WebClient]>

    init(_ clients: WebClient...) {
        self.clients = Mutex(clients)
    }

    subscript(_ id: String) -> WebClient? { clients.withLock { $0.first { $0.id == id } } }

    /// Adds a client, or addresses to a known one, whose secret it replaces.
    func register(_ client: WebClient) {
        clients.withLock { clients in
            let known = clients.first { $0.id == client.id }?.redirectURIs ?? []
            clients.removeAll { $0.id == client.id }
            clients.append(
                WebClient(
                    id: client.id, secret: client.secret,
                    redirectURIs: known + client.redirectURIs.filter { !known.contains($0) }))
        }
    }

    /// Adds a client without a secret, such as a Services ID of Apple's, or addresses to a known one.
    package func register(_ id: String, redirectURIs: [String]) {
        register(WebClient(id: id, secret: "", redirectURIs: redirectURIs))
    }
}
