package import DevelopmentHTTP
package import JSON
package import Sockets

/// Serves the page at `/console/`, and what the page needs in addition to the API. Copies share their state.
package struct ConsoleService: Sendable {
    private static let root = "/console/"

    private let settings: ConsoleSettings
    private let page: PageFiles
    private let faults: Faults<APIFault>
    private let api: FaultyAPI
    private let apple: AppleControl?
    private let hops: Hops
    private let log: LogTail
    private let providers: ProviderList
    private let check: TokenCheck
    private let proofCheck: ProofCheck

    /// - Parameter report: is called with a line about each answer that a fault has changed.
    package init(
        _ settings: ConsoleSettings, report: @escaping @Sendable (JSONObject) -> Void = { _ in }
    ) throws {
        self.settings = settings
        page = PageFiles(folder: settings.page)
        faults = Faults<APIFault>()
        // The session of a page is in a cookie, which the API takes from a page of its own origin.
        let ofPages: Set<String> = ["cookie", "origin", "sec-fetch-site"]
        api = FaultyAPI(
            server: HTTPUpstream(try SocketAddress(path: settings.apiSocket), passing: ofPages), faults: faults,
            report: report)
        apple = try settings.applePort.map {
            AppleControl(server: HTTPUpstream(try SocketAddress(host: "127.0.0.1", port: $0)))
        }
        hops = try Hops(settings, faults: faults, report: report)
        log = LogTail(data: settings.data)
        providers = ProviderList(settings)
        check = try TokenCheck(settings)
        proofCheck = try ProofCheck(settings)
    }

    package func server(on listener: consuming Listener) -> HTTPServer {
        HTTPServer("console", on: listener, advice: "open \(settings.origin)\(Self.root)", answer: answer)
    }

    package func answer(_ request: HTTPRequest) -> HTTPAction {
        guard request.path.hasPrefix(Self.root) else { return .reply(Self.notFound.reply) }
        let path = String(request.path.dropFirst(Self.root.count))
        if path.hasPrefix("faulty/") {
            // Open to other origins as the API is: like there, only a token permits anything.
            return api.answer(request, to: String(request.target.dropFirst(Self.root.count + "faulty".count)))
        }
        if request.method == "GET", let file = page.reply(to: path) { return .reply(file.forBrowsers) }
        guard request.isFromSameOrigin(.https) else { return .reply(Self.crossOrigin.forBrowsers) }
        return control(request, path)
    }

    private func control(_ request: HTTPRequest, _ path: String) -> HTTPAction {
        if let name = path.suffix(behind: "apple/") {
            return apple?.answer(request, to: "/" + name) ?? .reply(Self.noFakeApple.forBrowsers)
        }
        do throws(HTTPRefusal) {
            if request.method == "POST", path == "hop" { return try hops.answer(request) }
            return .reply(HTTPReply.ok(try result(request, path)).forBrowsers)
        } catch {
            return .reply(error.reply.forBrowsers)
        }
    }

    private func result(_ request: HTTPRequest, _ path: String) throws(HTTPRefusal) -> JSONObject {
        if request.method == "GET", let cursor = path.suffix(behind: "log/") {
            guard let cursor = LogCursor(String(cursor)) else { throw Self.notFound }
            return log.next(after: cursor).json
        }
        switch (request.method, path) {
        case ("GET", "settings"): return settings.json
        case ("GET", "providers"): return try providers.json()
        case ("POST", "verify"): return try check.verify(request.body)
        case ("POST", "verify-proof"): return try proofCheck.verify(try request.object())
        case ("GET", "faults"): break
        case ("POST", "faults"): faults.add(try Fault(try request.object()))
        case ("DELETE", "faults"): faults.clear()
        default: throw Self.notFound
        }
        return faults.json
    }

    private static let notFound = HTTPRefusal("404 Not Found", "the console has no such path")

    private static let crossOrigin = HTTPReply.refusal(
        "403 Forbidden", "the request comes from a page of another origin: open the console's own page")

    private static let noFakeApple = HTTPReply.refusal(
        "404 Not Found", "there is no fake Apple: the server runs with --real-apple")
}

extension ConsoleSettings {
    /// What the page shows.
    var json: JSONObject {
        [
            "origin": .string(origin), "fakeApple": applePort.map { .integer(Int64($0)) } ?? .null,
            "webOrigin": .string(webOrigin), "pagesOrigin": pagesOrigin.map(JSONValue.string) ?? .null,
            "redirectURIs": .array(redirectURIs.map(JSONValue.string)),
            "bundleIDs": .array(bundleIDs.map(JSONValue.string)),
            "certificate": .string(data + "/nginx/certificate.pem"), "hasProxy": .bool(hasProxy),
        ]
    }
}

extension String {
    /// The rest behind a prefix; nil without it.
    fileprivate func suffix(behind prefix: String) -> Substring? {
        hasPrefix(prefix) ? dropFirst(prefix.count) : nil
    }
}
