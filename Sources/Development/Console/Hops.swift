import DevelopmentHTTP
import JSON
import POSIX
import Sockets

/// Sends single requests of a sign-in through a browser: scripts in a page see neither redirects nor cookies, and cannot set
/// `Origin`.
///
/// An address selects one of two servers of this machine, the API or the fake Apple, and no other host is ever asked.
struct Hops: Sendable {
    private let api: FaultyAPI
    private let pages: HTTPUpstream?
    private let apiOrigins: Set<String>
    private let pagesOrigins: Set<String>

    init(
        _ settings: ConsoleSettings, faults: Faults<APIFault>, report: @escaping @Sendable (JSONObject) -> Void
    ) throws {
        api = FaultyAPI(
            server: HTTPUpstream(
                try SocketAddress(path: settings.apiSocket), passing: HopOrder.names, version: "1.0"),
            faults: faults, report: report)
        pages = try settings.applePort.map {
            HTTPUpstream(
                try SocketAddress(host: "127.0.0.1", port: $0), passing: HopOrder.names.subtracting(["cookie"]),
                version: "1.0")
        }
        apiOrigins = [settings.origin, settings.webOrigin]
        pagesOrigins = Set(
            [settings.pagesOrigin, settings.applePort.map { "http://127.0.0.1:\($0)" }].compactMap(\.self))
    }

    func answer(_ request: HTTPRequest) throws(HTTPRefusal) -> HTTPAction {
        let order = try HopOrder(try request.object())
        let action = try send(order, step: request["x-console-step"])
        switch action {
        case .pass(let bytes): return .reply(.ok(try HopAnswer(bytes).json).forBrowsers)
        // Of a fault: nginx closes the connection, so that the page has no answer.
        case .reply(let reply, _) where reply.fields.contains { $0.name == "X-Accel-Redirect" }: return action
        case .reply(let reply, _): return .reply(.ok(try HopAnswer(reply.bytes).json).forBrowsers)
        case .silence, .waiting: return action
        }
    }

    private func send(_ order: HopOrder, step: String?) throws(HTTPRefusal) -> HTTPAction {
        var request = HTTPRequest(method: order.method, target: "", fields: order.fields, body: order.body)
        if let target = target(of: order.url, at: apiOrigins) {
            guard ["/api/", "/.well-known/"].contains(where: target.hasPrefix) else { throw Self.refusal }
            // The browser that the page plays is on this machine.
            request.fields.append(.init(name: "x-forwarded-for", value: "127.0.0.1"))
            if let step { request.fields.append(.init(name: "x-console-step", value: step)) }
            return api.answer(request, to: target)
        }
        guard let pages, let target = target(of: order.url, at: pagesOrigins), Self.isPage(target) else {
            throw Self.refusal
        }
        do throws(POSIXError) { return .pass(try pages.answer(to: request, target: target)) } catch {
            throw .failed("the fake Apple does not answer: \(error)")
        }
    }

    /// The path and the query of an address of these origins; nil for another one.
    private func target(of url: String, at origins: Set<String>) -> String? {
        origins.first { url.hasPrefix($0 + "/") }.map { String(url.dropFirst($0.count)) }
    }

    /// Whether it is a page at which users sign in.
    private static func isPage(_ target: String) -> Bool {
        let page =
            #/\/auth\/authorize|\/openid\/[a-z][a-z0-9_-]*\/authorize|\/wechat\/connect\/qrconnect|\/qq\/oauth2\.0\/authorize/#
        return target.prefix { $0 != "?" }.wholeMatch(of: page) != nil
    }

    private static let refusal = HTTPRefusal(
        "403 Forbidden", "a hop goes to the API or to a sign-in page of the fake Apple only, and not to this address")
}

/// One request of a browser or of a client, as the page orders it.
struct HopOrder {
    /// What a browser sends and a script in a page cannot set. `HTTPUpstream` writes the host, the length and the connection.
    static let names: Set<String> = [
        "accept", "accept-language", "content-type", "cookie", "origin", "sec-fetch-site", "user-agent",
    ]

    let method: String
    let url: String
    private(set) var fields: [HTTPRequest.Field] = []
    private(set) var body: [UInt8] = []

    init(_ json: JSONObject) throws(HTTPRefusal) {
        for name in json.names where !["method", "url", "headers", "body"].contains(name) {
            throw .invalid("\(name): known are method, url, headers and body")
        }
        guard let method = json["method"]?.string, ["GET", "POST"].contains(method) else {
            throw .invalid("method must be GET or POST")
        }
        guard let url = json["url"]?.string, url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !url.contains("#")
        else {
            throw .invalid("url must be an address of visible ASCII characters without a fragment")
        }
        (self.method, self.url) = (method, url)
        guard let headers = (json["headers"] ?? [:]).object, let text = (json["body"] ?? "").string else {
            throw .invalid("headers must be an object, and body a text")
        }
        for (name, value) in headers.members { fields.append(try Self.field(name, value)) }
        body = Array(text.utf8)
    }

    /// A line break in a value would begin another header field or another request.
    private static func field(_ name: String, _ value: JSONValue) throws(HTTPRefusal) -> HTTPRequest.Field {
        guard names.contains(name.lowercased()) else {
            throw .invalid("header \(name): known are \(names.sorted().joined(separator: ", "))")
        }
        guard let text = value.string, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw .invalid("header \(name): its value must be a text of printable ASCII characters")
        }
        return HTTPRequest.Field(name: name.lowercased(), value: text)
    }
}
