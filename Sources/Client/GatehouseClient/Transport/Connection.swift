import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends the client's own requests, and turns each answer into a value or a ``GatehouseError``.
struct Connection: Sendable {
    let url: URL
    /// Where access tokens may be sent, beside the server itself.
    let trustedOrigins: Set<Origin>
    let transport: any HTTPTransport
    let clock: ClientClock
    let prover: Prover

    /// How long a request of the client may take as a whole. A login waits for Apple's keys for 5 s.
    static let timeout = 15

    func request(_ method: String, _ path: String, body: Data? = nil) -> URLRequest {
        var request = URLRequest(url: url(of: path))
        request.httpMethod = method
        request.timeoutInterval = TimeInterval(Self.timeout)
        if let body {
            request.httpBody = body
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        return request
    }

    /// - Parameter path: percent-encoded; see ``segment(_:)``.
    func url(of path: String) -> URL {
        guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url }
        if components.percentEncodedPath.hasSuffix("/") { components.percentEncodedPath.removeLast() }
        components.percentEncodedPath += "/api/" + path
        return components.url ?? url
    }

    /// An id as one segment of a path, whatever it contains.
    ///
    /// Servers decode a path once and then resolve `..` in it, so dots are encoded twice where a segment has nothing
    /// else: the server then knows no such id.
    static func segment(_ id: String) -> String {
        let parts = id.split(separator: "/", omittingEmptySubsequences: false).map { part in
            part.allSatisfy { $0 == "." }
                ? String(repeating: "%252E", count: part.count)
                : part.addingPercentEncoding(withAllowedCharacters: .unreserved) ?? ""
        }
        return parts.joined(separator: "%2F")
    }

    /// - Returns: the body of a success.
    func post(
        _ path: String, _ body: (some Encodable)?, as credentials: Credentials = Credentials(),
        expecting status: Int = 200
    ) async throws(GatehouseError) -> Data {
        try await post(
            path, encoded: body.flatMap { try? JSONEncoder().encode($0) }, as: credentials, expecting: status)
    }

    func post(
        _ path: String, encoded body: Data?, as credentials: Credentials, expecting status: Int = 200
    ) async throws(GatehouseError) -> Data {
        let request = request("POST", path, body: body)
        let (data, response) = try await send(request, as: credentials, sendWithDeadline)
        return try Self.success(data, response, status)
    }

    /// - Parameter expected: the status of a success. A page of a captive portal has 200, and must not be taken for
    ///   the 204 of a logout.
    static func success(
        _ data: Data, _ response: HTTPURLResponse, _ expected: Int = 200
    ) throws(GatehouseError) -> Data {
        let status = response.statusCode
        if status == expected { return data }
        let retryAfter = retryAfter(response)
        if let problem = Problem(data, status: status, retryAfter: retryAfter) { throw .refused(problem) }
        throw .unexpectedAnswer(status: status, retryAfter: retryAfter)
    }

    /// At most a day, even if the answer asks for more: a limit of codes may last as long.
    static func retryAfter(_ response: HTTPURLResponse) -> Duration? {
        response.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) }
            .map { .seconds(min(max($0, 0), 86_400)) }
    }

    static func decode<Answer: Decodable>(
        _ type: Answer.Type, from data: Data, status: Int = 200
    ) throws(GatehouseError) -> Answer {
        do {
            return try JSONDecoder.ofAnswers.decode(type, from: data)
        } catch {
            throw .unexpectedAnswer(status: status, retryAfter: nil)
        }
    }

    // MARK: Sending

    typealias Sending = @Sendable (URLRequest) async throws(GatehouseError) -> (Data, HTTPURLResponse)

    /// Sends the request with a proof. After a refusal for a reason that a new proof can remedy, sends the request
    /// again with a new proof, once for each reason. A body that is a stream cannot be sent again.
    func send(
        _ request: URLRequest, as credentials: Credentials, _ sending: Sending
    ) async throws(GatehouseError) -> (Data, HTTPURLResponse) {
        guard credentials.key != nil else { return try await sending(authorised(request, credentials)) }
        var request = request
        var reasons: Set<ProofReason?> = []
        while true {
            let authorised = try await authorised(request, credentials)
            let answer = try await sending(authorised)
            prover.keepNonce(of: answer.1)
            if !proves(to: authorised.url) {
                guard ProofRefusal.demandsProof(answer) else { return answer }
                prover.demandProofs(of: authorised.url)
                if request.httpBodyStream == nil { continue }
                return answer
            }
            guard let refusal = ProofRefusal(answer), request.httpBodyStream == nil else { return answer }
            guard reasons.insert(refusal.reason).inserted else {
                if refusal.reason?.isOfTime == true { prover.forgetOffset(of: answer.1) }
                return answer
            }
            if refusal.reason == .url, let target = Self.redirection(of: request, answer.1) {
                request.url = target
            } else if !prover.adapt(to: refusal, answer.1) {
                return answer
            }
        }
    }

    func authorised(_ request: URLRequest, _ credentials: Credentials) async throws(GatehouseError) -> URLRequest {
        if let key = credentials.key, proves(to: request.url) {
            return try await prover.authorise(request, key, credentials.token)
        }
        guard let token = credentials.token else { return request }
        var request = request
        request.setValue("Bearer \(token.text)", forHTTPHeaderField: "Authorization")
        return request
    }

    /// A trusted service that verifies tokens itself may know `Bearer` only, so it gets proofs once it demands them.
    func proves(to target: URL?) -> Bool {
        let origin = target.flatMap(Origin.init)
        return origin == Origin(url) || origin.map(prover.isDemanded(by:)) == true
    }

    /// Where the transport has followed a redirect: the proof was for the address before it.
    private static func redirection(of request: URLRequest, _ answer: HTTPURLResponse) -> URL? {
        guard let target = answer.url, DPoPProof.target(target) != DPoPProof.target(request.url),
            Origin(target) == request.url.flatMap(Origin.init), ["GET", "HEAD"].contains(request.httpMethod ?? "GET")
        else { return nil }
        return target
    }

    func send(_ request: URLRequest) async throws(GatehouseError) -> (Data, HTTPURLResponse) {
        try requireTrust(in: request.url)
        do {
            return try await transport.send(request)
        } catch {
            throw Task.isCancelled ? .cancelled : GatehouseError(ofTransport: error)
        }
    }

    /// The time limit of `URLRequest` starts again with each byte, and another transport may not keep it.
    func sendWithDeadline(_ request: URLRequest) async throws(GatehouseError) -> (Data, HTTPURLResponse) {
        let (outcomes, continuation) = AsyncStream.makeStream(of: Outcome.self)
        let sending = Task {
            continuation.yield(await Result { () async throws(GatehouseError) in try await send(request) })
        }
        let waiting = Task {
            try await clock.sleep(.seconds(Self.timeout))
            continuation.yield(.failure(.noAnswer(.timedOut)))
        }
        defer {
            sending.cancel()
            waiting.cancel()
        }
        // Ends without an outcome if this task is cancelled.
        for await outcome in outcomes { return try outcome.get() }
        throw .cancelled
    }

    private typealias Outcome = Result<(Data, HTTPURLResponse), GatehouseError>

    func requireTrust(in target: URL?) throws(GatehouseError) {
        let origin = target.flatMap(Origin.init)
        guard let origin, origin.isSafe, origin == Origin(url) || trustedOrigins.contains(origin) else {
            throw .untrustedOrigin(origin?.description ?? "a URL without a host")
        }
    }
}

extension CharacterSet {
    /// What no URL has to encode (RFC 3986, section 2.3).
    static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}

extension Result {
    /// Like the initializer of the standard library, for an asynchronous body.
    fileprivate init(_ body: () async throws(Failure) -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

extension GatehouseError {
    /// Keeps only the code of a transport's error: its other contents may include the request.
    init(ofTransport error: any Error) {
        switch error {
        // The system cancelled the request; the task itself continues.
        case is CancellationError: self = .noAnswer(.cancelled)
        case let error as URLError: self = .noAnswer(error.code)
        default: self = .noAnswer(.unknown)
        }
    }
}

extension JSONDecoder {
    /// With the server's times, such as `2026-11-21T09:00:00.000Z`.
    static let ofAnswers: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            let formats = [true, false].map { Date.ISO8601FormatStyle(includingFractionalSeconds: $0) }
            guard let date = formats.lazy.compactMap({ try? $0.parse(text) }).first else {
                throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not a time"))
            }
            return date
        }
        return decoder
    }()
}
