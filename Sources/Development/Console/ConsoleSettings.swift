/// The development server that the console belongs to.
package struct ConsoleSettings: Sendable {
    /// Where clients reach nginx, such as `https://localhost:8443`.
    package var origin: String
    /// Where sign-ins through a browser begin and end: the origin of Gatehouse's callbacks.
    package var webOrigin: String
    /// The origin at which browsers reach the pages of the fake Apple; nil if there is none.
    package var pagesOrigin: String?
    /// The addresses at which a sign-in through a browser may end.
    package var redirectURIs: [String]
    /// The socket at which nginx serves the API to this process.
    package var apiSocket: String
    /// The port of the fake Apple; nil if there is none.
    package var applePort: UInt16?
    /// The address of Apple's key set.
    package var keys: String
    package var bundleIDs: [String]
    /// The folder of the page's files.
    package var page: String
    /// The data folder of the server.
    package var data: String
    /// The program `gatehouse`.
    package var gatehouse: String
    /// Whether curl would ask a proxy for this machine's own addresses.
    package var hasProxy: Bool

    package init(
        origin: String, apiSocket: String, applePort: UInt16?, keys: String, bundleIDs: [String], page: String,
        data: String, gatehouse: String, hasProxy: Bool = false, webOrigin: String? = nil, pagesOrigin: String? = nil,
        redirectURIs: [String] = []
    ) {
        self.origin = origin
        self.webOrigin = webOrigin ?? origin
        self.pagesOrigin = pagesOrigin ?? applePort.map { "http://127.0.0.1:\($0)" }
        self.redirectURIs = redirectURIs
        self.apiSocket = apiSocket
        self.applePort = applePort
        self.keys = keys
        self.bundleIDs = bundleIDs
        self.page = page
        self.data = data
        self.gatehouse = gatehouse
        self.hasProxy = hasProxy
    }
}
