package import Curl
import Gatehouse
package import POSIX

/// How logins call their provider: with a limit on the number of waiting logins, and on the time that each may take.
package struct ProviderCalls: Sendable {
    /// Sends a GET and returns the answer, with any status: `network`, or a substitute in tests.
    package typealias Get =
        @Sendable (_ url: String, _ query: [(String, String)], _ timeout: Duration) throws(HTTPFault) -> HTTPResponse

    /// Sends a form in a POST and returns the answer, with any status: `networkPost`, or a substitute in tests.
    package typealias Post =
        @Sendable (
            _ url: String, _ form: [(String, String)], _ headers: [(String, String)], _ timeout: Duration
        ) throws(HTTPFault) -> HTTPResponse

    /// The longest time that all calls of one login take together.
    package static let timeLimit = Duration.seconds(5)

    private let gate: CallGate
    private let timeLimit: Duration
    private let now: @Sendable () -> MonotonicTime
    private let get: Get
    private let post: Post
    private let report: ProviderReport.Handler

    /// - Parameter report: called once for each login that the provider was asked about, or that the gate refused.
    package init(
        gate: CallGate, timeLimit: Duration = Self.timeLimit, now: @escaping @Sendable () -> MonotonicTime = { .now },
        get: @escaping Get = Self.network, post: @escaping Post = Self.networkPost,
        report: @escaping ProviderReport.Handler = { _, _ in }
    ) {
        self.gate = gate
        self.timeLimit = timeLimit
        self.now = now
        self.get = get
        self.post = post
        self.report = report
    }

    /// Redirects are not followed, so a provider cannot pass a secret on to another host.
    package static let network: Get = { (url, query, timeout) throws(HTTPFault) in
        try HTTPClient(timeout: timeout, largestBody: LenientAnswer.largest).get(url, query: query)
    }

    /// The same for a form.
    package static let networkPost: Post = { (url, form, headers, timeout) throws(HTTPFault) in
        try HTTPClient(timeout: timeout).post(url, form: form, headers: headers)
    }

    /// The same for a form to an address that an issuer's metadata name.
    package static func networkPost(toAddressNamedBy issuer: String) -> Post {
        { (url, form, headers, timeout) throws(HTTPFault) in
            try HTTPClient(timeout: timeout).sending(toAddressNamedBy: issuer) { (client) throws(HTTPFault) in
                try client.post(url, form: form, headers: headers)
            }
        }
    }

    /// Runs the calls of one login.
    ///
    /// - Parameter code: marked as used when the gate is passed, so that a login which has to be repeated for the gate keeps
    ///   its code, and before the time of the calls begins.
    func run<Outcome>(
        at apiURL: String, for provider: Provider, in request: Verification, spending code: String?,
        asking login: (CallSeries) throws(CallFault) -> Outcome
    ) throws(Refusal) -> Outcome {
        let result = try gate.pass { () throws(Refusal) in
            if let code { try request.spend(code, of: provider) }
            return Result { () throws(CallFault) in try login(series(at: apiURL)) }
        }
        switch result ?? .failure(.crowded) {
        case .success(let outcome):
            report(.answered, request.requestID)
            return outcome
        case .failure(let fault):
            report(fault.report, request.requestID)
            throw fault.refusal(by: provider)
        }
    }

    /// Makes one call that belongs to no login, and reports nothing.
    func probe(at apiURL: String, _ call: (CallSeries) throws(CallFault) -> ProviderCheck) -> ProviderCheck {
        do throws(CallFault) {
            guard let check = try gate.pass({ () throws(CallFault) in try call(series(at: apiURL)) }) else {
                throw .crowded
            }
            return check
        } catch {
            return ProviderCheck(error)
        }
    }

    private func series(at apiURL: String) -> CallSeries {
        CallSeries(apiURL: apiURL, deadline: now() + timeLimit, now: now, get: get, post: post)
    }
}

extension CallFault {
    fileprivate var report: ProviderReport {
        switch self {
        case .credential: .answered
        case .misconfigured(let code): .misconfigured(code: code)
        case .unavailable(let text): .unavailable(text)
        case .crowded: .crowded
        }
    }

    fileprivate func refusal(by provider: Provider) -> Refusal {
        switch self {
        case .credential(let fault): .identity(fault, by: provider)
        case .misconfigured: .providerMisconfigured(provider)
        case .unavailable, .crowded: .providerUnavailable(provider)
        }
    }
}

/// The calls of one login. They share one time limit: each gets what the calls before it have left.
struct CallSeries {
    let apiURL: String
    let deadline: MonotonicTime
    let now: @Sendable () -> MonotonicTime
    let get: ProviderCalls.Get
    let post: ProviderCalls.Post

    /// - Parameter path: with its leading slash. Faults name it instead of the address, whose query has secrets.
    func get(_ path: String, _ query: [(String, String)]) throws(CallFault) -> LenientAnswer {
        let (url, timeout) = (apiURL + path, try timeLeft(for: path))
        let response = try sending(path) { () throws(HTTPFault) in try get(url, query, timeout) }
        guard response.status == 200 else { throw .unavailable("\(path): status \(response.status)") }
        guard let answer = LenientAnswer(response.body) else { throw .unreadable(path) }
        return answer
    }

    /// Sends a form and returns the answer, with any status.
    ///
    /// - Parameter name: of the endpoint, for faults.
    func post(
        _ url: String, named name: String, _ form: [(String, String)], _ headers: [(String, String)]
    ) throws(CallFault) -> HTTPResponse {
        let timeout = try timeLeft(for: name)
        return try sending(name) { () throws(HTTPFault) in try post(url, form, headers, timeout) }
    }

    /// Posts JSON to the address of the series, and returns the answer, with any status. No answer of this kind is long.
    func post(json body: [UInt8], _ headers: [(String, String)]) throws(CallFault) -> HTTPResponse {
        let client = HTTPClient(timeout: try timeLeft(for: "the receiver"), largestBody: 4096)
        return try sending("the receiver") { () throws(HTTPFault) in
            try client.post(apiURL, json: body, headers: headers)
        }
    }

    private func timeLeft(for name: String) throws(CallFault) -> Duration {
        let left = deadline.milliseconds - now().milliseconds
        // libcurl takes a timeout of zero for none.
        guard left > 0 else { throw .unavailable("\(name): no time is left; look at \(HTTPFault.silence)") }
        return .milliseconds(left)
    }

    private func sending(
        _ name: String, _ request: () throws(HTTPFault) -> HTTPResponse
    ) throws(CallFault) -> HTTPResponse {
        do throws(HTTPFault) { return try BlockingSection.run(request) } catch {
            throw .unavailable("\(name): \(error)")
        }
    }
}

/// What an operator has to know about a call to a provider. It contains no secret, no code and no address with one.
package enum ProviderReport: Sendable, Equatable {
    /// Takes a report, and the id of the request that caused it.
    package typealias Handler = @Sendable (_ report: ProviderReport, _ requestID: String?) -> Void

    /// The provider answered, whatever it said about the client's credential.
    case answered
    /// The provider refuses the operator's id or secret, with its own error code.
    case misconfigured(code: String)
    /// No answer, or one that cannot be read.
    case unavailable(String)
    /// The limit of waiting requests was reached, so the provider was not asked.
    case crowded
}
