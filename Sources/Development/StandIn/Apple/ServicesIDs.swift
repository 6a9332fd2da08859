import DevelopmentHTTP
import JSON

/// The developer's Services IDs, which stand for websites and apps on other systems, each with its return URLs.
package struct ServicesIDs: Sendable {
    private let clients = WebClients()

    package init() {}

    /// Adds a Services ID, or return URLs to a known one. Apple's portal accepts neither `localhost` nor an IP address.
    package func register(_ id: String, redirectURIs: [String]) {
        clients.register(WebClient(id: id, secret: "", redirectURIs: redirectURIs))
    }

    /// Reads the body of `POST /services`.
    func register(_ json: JSONObject) throws(HTTPRefusal) {
        guard let id = json["id"]?.string, !id.isEmpty, json["redirectURIs"]?.array != nil,
            json.names.allSatisfy({ ["id", "redirectURIs"].contains($0) })
        else {
            throw .invalid("needed are the text id and the list redirectURIs")
        }
        clients.register(
            try WebClient(json, usual: WebClient(id: id, secret: ""), names: (id: "id", secret: "secret")))
    }

    func contains(_ id: String) -> Bool { clients[id] != nil }

    /// Nil for an unknown one.
    func redirectURIs(of id: String) -> [String]? { clients[id]?.redirectURIs }
}
