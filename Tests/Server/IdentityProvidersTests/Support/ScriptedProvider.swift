import Gatehouse
import IdentityProviders
import POSIX
import Synchronization

@testable import Curl

/// A provider with prepared answers. It records what happened, in order.
final class ScriptedProvider: Sendable {
    enum Answer: Sendable {
        case body(String)
        case status(Int, String)
        case fault(HTTPFault)

        static let timeout = Answer.fault(.transport(code: 28, name: "Timeout was reached"))
    }

    struct Request: Sendable {
        let url: String
        /// Of a GET, or the fields of a form.
        let query: [String: String]
        var headers: [String: String] = [:]
        let timeout: Duration
    }

    private struct State {
        var answers: [(path: String, answer: Answer)]
        var requests: [Request] = []
        var events: [String] = []
        var reports: [ProviderReport] = []
    }

    /// Limits one login at a time, so that tests see when it is inside.
    let gate: CallGate
    private let state: Mutex<State>

    /// - Parameter answers: by path. The answers of one path are given one after the other; without one, the connection fails.
    init(_ answers: [(String, Answer)], gate: CallGate = CallGate(limit: 1)) {
        state = Mutex(State(answers: answers.map { (path: $0.0, answer: $0.1) }))
        self.gate = gate
    }

    static let apiURL = "https://provider.example"

    var requests: [Request] { state.withLock { $0.requests } }
    /// `spend CODE`, and the paths of the requests; each followed by the number of logins in the gate.
    var events: [String] { state.withLock { $0.events } }
    var reports: [ProviderReport] { state.withLock { $0.reports } }
    var paths: [String] { requests.map { String($0.url.dropFirst(Self.apiURL.count)) } }

    var calls: ProviderCalls {
        ProviderCalls(
            gate: gate,
            get: { [self] (url, query, timeout) throws(HTTPFault) in
                try answer(Request(url: url, query: Dictionary(uniqueKeysWithValues: query), timeout: timeout))
            },
            post: { [self] (url, form, headers, timeout) throws(HTTPFault) in
                try answer(
                    Request(
                        url: url, query: Dictionary(uniqueKeysWithValues: form),
                        headers: Dictionary(uniqueKeysWithValues: headers), timeout: timeout))
            },
            report: { [self] report, _ in state.withLock { $0.reports.append(report) } })
    }

    func note(_ event: String) {
        let inside = gate.count
        state.withLock { $0.events.append("\(event) (\(inside) inside)") }
    }

    private func answer(_ request: Request) throws(HTTPFault) -> HTTPResponse {
        let path = String(request.url.dropFirst(Self.apiURL.count))
        note(path)
        let answer = state.withLock { state -> Answer? in
            state.requests.append(request)
            guard let index = state.answers.firstIndex(where: { $0.path == path }) else { return nil }
            return state.answers.remove(at: index).answer
        }
        switch answer {
        case .body(let text): return HTTPResponse(status: 200, body: Array(text.utf8))
        case .status(let status, let text): return HTTPResponse(status: status, body: Array(text.utf8))
        case .fault(let fault): throw fault
        case nil: throw .transport(code: 7, name: "Couldn't connect to server")
        }
    }
}

extension ScriptedProvider {
    static let weChat = Provider(rawValue: "WECHAT") ?? .dev
    static let qq = Provider(rawValue: "QQ") ?? .dev
    static let now = Timestamp(seconds: 1_790_000_000)
    static let weChatApp = WeChatApp(id: "wx0123456789abcdef", secret: "the-app-secret", apiURL: apiURL)
    static let qqApp = QQApp(id: "101234567", key: "the-app-key", apiURL: apiURL)

    var weChatProvider: WeChatProvider { WeChatProvider(name: Self.weChat, app: Self.weChatApp, calls: calls) }
    var qqProvider: QQProvider { QQProvider(name: Self.qq, app: Self.qqApp, calls: calls) }

    /// - Parameter refusal: what the spending of a code throws.
    func logIn(
        by provider: some IdentityProvider, with credential: IdentityCredential, spendRefuses refusal: Refusal? = nil
    ) -> Result<ProvenIdentity, Refusal> {
        Result { () throws(Refusal) in
            try provider.verify(credential, in: verification(now: Self.now, spendRefuses: refusal))
        }
    }

    /// Verifies what a provider sent to the callback.
    func signIn(
        by provider: some WebIdentityProvider, with answer: ProviderAnswer, to request: ProviderRequest,
        now: Timestamp = ScriptedProvider.now, spendRefuses refusal: Refusal? = nil
    ) -> Result<ProvenIdentity, Refusal> {
        Result { () throws(Refusal) in
            try provider.verify(answer, to: request, in: verification(now: now, spendRefuses: refusal))
        }
    }

    private func verification(now: Timestamp, spendRefuses refusal: Refusal?) -> Verification {
        let codes = AnyCode { [self] (code) throws(Refusal) in
            note("spend \(code)")
            if let refusal { throw refusal }
        }
        return Verification(now: now, requestID: "request", codes: codes)
    }

    func weChatLogin() -> Result<ProvenIdentity, Refusal> {
        logIn(by: weChatProvider, with: IdentityCredential(code: "the-code"))
    }

    func qqLogin(
        _ credential: IdentityCredential = IdentityCredential(code: "the-code", redirectURI: "https://app.example/qq")
    ) -> Result<ProvenIdentity, Refusal> {
        logIn(by: qqProvider, with: credential)
    }
}
