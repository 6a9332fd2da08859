import Foundation
import OpenSSL
import TestSupport

/// A browser: it keeps cookies for Gatehouse, and goes to where it is sent, one step at a time.
final class TestBrowser {
    /// An address at which the browser arrives.
    struct Arrival {
        let address: String
        /// Of the query, or of a form that a page posts.
        let parameters: [String: String]
        /// Nil for a GET.
        var form: String?

        /// Without the origin.
        var path: String {
            let afterScheme = address.firstRange(of: "://").map { address[$0.upperBound...] } ?? address[...]
            return String(afterScheme.drop { $0 != "/" })
        }
    }

    private let server: any TestServer
    var cookies: [String: String] = [:]

    init(_ server: any TestServer) {
        self.server = server
    }

    // MARK: At Gatehouse

    /// Sends a request with the browser's cookies, and keeps those that the answer sets.
    func send(_ request: TestRequest) throws -> TestResponse {
        var request = request
        let field = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        if !field.isEmpty { request.headers.append(("Cookie", field)) }
        let answer = try server.send(request)
        for header in answer.headers where header.name == "set-cookie" {
            let pair = header.value.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            let isRemoved = header.value.contains("Max-Age=0")
            cookies[String(pair[0])] = isRemoved ? nil : pair.count == 2 ? String(pair[1]) : ""
        }
        return answer
    }

    /// - Parameter isReachable: whether the server can reach the provider. On a busy machine the stand-in may answer too late for
    ///   it, and the user tries again.
    func start(
        _ provider: String, _ flow: AppFlow = AppFlow(), isReachable: Bool = true
    ) throws -> TestResponse {
        let request = TestRequest.get("/api/auth/\(provider)/start?\(flow.query)")
        var answer = try send(request)
        func isUnavailable() -> Bool {
            answer.header("location")?.contains("error=temporarily_unavailable") == true
        }
        if isReachable {
            _ = try Eventually.holds(every: 0.5) {
                if isUnavailable() { answer = try send(request) }
                return !isUnavailable()
            }
        }
        return answer
    }

    /// Goes to Gatehouse's callback.
    func callBack(_ arrival: Arrival) throws -> TestResponse {
        guard let form = arrival.form else { return try send(.get(arrival.path)) }
        return try send(.form(arrival.path, form))
    }

    /// The whole way, to the address of the app. It is shorter where the server cannot reach the provider.
    func signIn(
        _ provider: String, as user: String, _ flow: AppFlow = AppFlow(), cancelling: Bool = false,
        _ more: [String: String] = [:]
    ) throws -> Arrival {
        let page = try start(provider, flow).header("location") ?? ""
        if let app = flow.redirectURI, page.hasPrefix(app) { return Self.arrival(at: page) }
        let answer = try callBack(choose(user, at: page, cancelling: cancelling, more))
        return Self.arrival(at: answer.header("location") ?? "")
    }

    // MARK: At a provider

    /// Sends the form of the provider's page, and returns where the provider sends the browser.
    func choose(
        _ user: String, at page: String, cancelling: Bool = false, _ more: [String: String] = [:]
    ) throws -> Arrival {
        let fields = ["user": user, "action": cancelling ? "cancel" : "continue"].merging(more) { $1 }
        let answer = try Self.post(page, Self.form(fields))
        if let location = answer.header("location") { return Self.arrival(at: location) }
        return try Self.arrival(byFormIn: String(decoding: answer.body, as: UTF8.self))
    }

    /// From the start at Gatehouse to the callback, which is not sent yet.
    func arrive(_ provider: String = "acme", as user: String) throws -> Arrival {
        try choose(user, at: start(provider).header("location") ?? "")
    }

    static func arrival(at address: String) -> Arrival {
        let query = address.firstIndex(of: "?").map { address[address.index(after: $0)...] } ?? ""
        return Arrival(address: address, parameters: parameters(in: query.prefix { $0 != "#" }))
    }

    private static func arrival(byFormIn html: String) throws -> Arrival {
        guard let action = html.firstMatch(of: /action="([^"]*)"/)?.1 else { throw UnexpectedReturn(address: html) }
        let inputs = html.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/).map {
            (unescaped($0.1), unescaped($0.2))
        }
        let fields = Dictionary(inputs) { $1 }
        return Arrival(address: unescaped(action), parameters: fields, form: form(fields))
    }

    /// With curl, which follows no redirect and needs no Content-Security-Policy.
    private static func post(_ url: String, _ form: String) throws -> TestResponse {
        let url = String(url.prefix { $0 != "#" })
        let command = ["curl", "-sS", "--max-time", "60", "-i", "-d", form, url]
        return TestResponse(parsing: try Shell.run(command))
    }

    // MARK: Texts

    static func form(_ fields: [String: String]) -> String {
        fields.sorted { $0.key < $1.key }.map { "\(encoded($0.key))=\(encoded($0.value))" }.joined(separator: "&")
    }

    static func encoded(_ text: String) -> String {
        let plain = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }

    static func challenge(of verifier: String) -> String {
        Data(SHA256.hash(verifier)).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    private static func parameters(in query: Substring) -> [String: String] {
        let pairs = query.split(separator: "&").map { pair in
            pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.replacing("+", with: " ").removingPercentEncoding ?? String($0) }
        }
        return Dictionary(pairs.map { ($0[0], $0.count == 2 ? $0[1] : "") }) { $1 }
    }

    private static func unescaped(_ text: Substring) -> String {
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
            .reduce(String(text)) { $0.replacing($1.0, with: $1.1) }
    }
}
