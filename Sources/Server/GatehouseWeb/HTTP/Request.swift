package import Gatehouse
import JSON
import Text

/// A request, independent of the protocol it came by.
package struct Request: Sendable {
    package let method: String
    /// Without the query, percent-decoded and without dot segments: the front has normalised it.
    package let path: ArraySlice<UInt8>
    /// The text in the place of `{id}`; empty when the endpoint's path has none.
    package internal(set) var pathArgument = ""
    package let body: [UInt8]
    package let bodyIsTooLarge: Bool
    /// The id in answers and in the log.
    package let id: String
    private let envelope: any Envelope

    package init(
        method: String, path: ArraySlice<UInt8>, envelope: any Envelope, body: [UInt8] = [],
        bodyIsTooLarge: Bool = false, id: String
    ) {
        self.method = method
        self.path = path
        self.envelope = envelope
        self.body = body
        self.bodyIsTooLarge = bodyIsTooLarge
        self.id = id
    }

    func bytes(of field: EnvelopeField) -> ArraySlice<UInt8>? { envelope[field] }

    /// The process at the other end of Gatehouse's own socket; nil over TCP.
    var peer: ServiceAccess.Peer? { envelope.peer }

    func text(of field: EnvelopeField) -> String? {
        envelope[field].map { String(decoding: $0, as: UTF8.self) }
    }
}

/// The header fields and parameters of a request. They are read on demand, because most requests need only a few.
package protocol Envelope: Sendable {
    /// The bytes of a field; nil when it was not sent.
    subscript(field: EnvelopeField) -> ArraySlice<UInt8>? { get }

    /// The process that sends the request over a unix socket; nil over TCP. It cannot be forged by a parameter.
    var peer: ServiceAccess.Peer? { get }

    /// Whether the client has sent more than one `DPoP` field.
    var hasSeveralProofs: Bool { get }
}

extension Envelope {
    package var peer: ServiceAccess.Peer? { nil }
    package var hasSeveralProofs: Bool { false }
}

package enum EnvelopeField: Sendable {
    case contentType
    case authorization
    /// The `DPoP` field: a proof.
    case proof
    /// What a proof must be about, by the front: the method, a space, and the URL of the client's request. Clients cannot
    /// set it.
    case proofTarget
    case ifNoneMatch
    case ifMatch
    /// The least role that nginx's configuration demands. Clients cannot set it.
    case demandedRole
    /// What nginx's configuration demands of the login: the most seconds since it, its `acr`, or both. Clients cannot set it.
    case demandedLogin
    /// `on` where nginx's configuration lets guests pass. Clients cannot set it.
    case admittedGuests
    /// The names of attributes whose headers nginx sets. Clients cannot set it.
    case attributeNames
    case userAgent
    /// The languages that the client prefers.
    case acceptLanguage
    case query
    case cookie
    /// The origin of the page that sends the request. Browsers write it themselves.
    case origin
    /// `Sec-Fetch-Site`: how far that page is from this server, which browsers write as well.
    case fetchSite
    /// The method of the request that a browser asks about (CORS).
    case preflightMethod
    /// The client's address.
    case address
    /// `traceparent` (W3C Trace Context): the trace that the request belongs to.
    case trace
}

/// The methods that endpoints have.
package enum Method: String, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"

    /// The methods of the requests that such an endpoint answers: HEAD is a GET without the body.
    var names: [String] { self == .get ? ["GET", "HEAD"] : [rawValue] }
}

// MARK: - Header fields

extension Request {
    /// The token of `Authorization: Bearer …` or `Authorization: DPoP …`; nil without such credentials. Tokens are read from
    /// this field only.
    var accessToken: SentAccessToken? {
        guard let credentials = bytes(of: .authorization) else { return nil }
        if let start = Self.startOfToken(in: credentials.span, after: Self.bearer) {
            return SentAccessToken(credentials.dropFirst(start))
        }
        if let start = Self.startOfToken(in: credentials.span, after: Self.dpop) {
            return SentAccessToken(credentials.dropFirst(start), scheme: .dpop)
        }
        return nil
    }

    /// The proof of the request; nil if it has none. Of several, none is right (RFC 9449, section 4.3).
    var proof: SentProof? {
        guard let proof = bytes(of: .proof) else { return nil }
        guard !envelope.hasSeveralProofs else { return SentProof([], method: method, url: .unreadable) }
        guard let target = text(of: .proofTarget) else {
            // A front that does not say the address leaves the path, and PUBLIC_URL has the origin.
            let url = ProofURL(.unknown, path: String(decoding: path, as: UTF8.self))
            return SentProof(proof, method: method, url: url)
        }
        let parts = target.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        let url = parts.count == 2 ? ProofURL(String(parts[1])) : nil
        return SentProof(proof, method: String(parts[0]), url: url ?? .unreadable)
    }

    /// The index after the scheme, in any case, and the spaces after it.
    private static func startOfToken(in credentials: Span<UInt8>, after scheme: String) -> Int? {
        let scheme = scheme.utf8.span
        guard credentials.count > scheme.count else { return nil }
        for index in scheme.indices where credentials[index] | 0x20 != scheme[index] { return nil }
        var start = scheme.count
        while start < credentials.count, credentials[start] == space { start += 1 }
        return start > scheme.count && start < credentials.count ? start : nil
    }

    // Two constants: a pair would be made at its first use, which each request would check.
    private static let bearer = "bearer"
    private static let dpop = "dpop"
    private static let space = UInt8(ascii: " ")

    /// The user agent is cut: its beginning is enough to tell devices apart.
    var device: Device {
        let agent = bytes(of: .userAgent)?.prefix(Self.longestAgent) ?? []
        return Device(
            userAgent: agent.isEmpty ? nil : String(decoding: agent, as: UTF8.self), address: text(of: .address))
    }

    private static let longestAgent = 256

    /// Whether `If-None-Match` contains this tag (RFC 9110, section 13.1.2).
    ///
    /// Tags are compared weakly, as the RFC demands for a GET. The list may be split at commas,
    /// because the tag contains none.
    func hasCopy(tagged tag: String) -> Bool {
        let wanted = "\"\(tag)\"".utf8
        return (bytes(of: .ifNoneMatch) ?? []).split(separator: UInt8(ascii: ",")).contains { entry in
            let known = entry.drop(while: Self.isSpace)
            let strong = known.starts(with: "W/".utf8) ? known.dropFirst(2) : known
            let bare = strong.prefix { !Self.isSpace($0) }
            return bare.elementsEqual("*".utf8) || bare.elementsEqual(wanted)
        }
    }

    /// The versions that `If-Match` permits (RFC 9110, section 13.1.1); nil for any. Tags of another form match none.
    func permittedVersions() throws(Problem) -> [Int64]? {
        guard let tags = text(of: .ifMatch)?.split(separator: ",").map({ $0.filter { $0 != " " && $0 != "\t" } }) else {
            throw .preconditionRequired
        }
        guard tags != ["*"] else { return nil }
        return tags.filter { $0.hasPrefix("\"") && $0.hasSuffix("\"") }
            .compactMap { Int64(digits: $0.dropFirst().dropLast()) }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == space || byte == UInt8(ascii: "\t") }
}

// MARK: - Body

/// The type of a request body.
package enum MediaType: String, Sendable {
    case json = "application/json"
    case form = "application/x-www-form-urlencoded"
}

extension Request {
    /// The body as the type of an endpoint. The error names all invalid members.
    func read<Body: RequestBody>(_: Body.Type) throws(Problem) -> Body {
        guard !body.isEmpty else { throw .invalidJSON(InvalidJSON.missingBody) }
        guard isJSON else { throw .unsupportedMediaType(.json) }
        return try Body(parsing: body)
    }

    /// The same for a body that may be missing.
    func readIfPresent<Body: RequestBody>(_: Body.Type) throws(Problem) -> Body? {
        body.isEmpty ? nil : try read(Body.self)
    }

    /// The body as a form. A body that is missing has no parameters.
    func form() throws(Problem) -> Form {
        guard body.isEmpty || hasForm else { throw .unsupportedMediaType(.form) }
        return try Form(body[...])
    }

    var hasForm: Bool { mediaType.elementsEqual(MediaType.form.rawValue.utf8) }

    func query(atMost limit: Int = Form.mostPairs) throws(Problem) -> Form {
        try Form(bytes(of: .query) ?? [], atMost: limit)
    }

    /// The type in lower case, without parameters.
    private var mediaType: some Sequence<UInt8> {
        (bytes(of: .contentType) ?? []).prefix { $0 != UInt8(ascii: ";") }.lazy
            .filter { $0 != UInt8(ascii: " ") }.map { $0.isUppercaseLetter ? $0 | 0x20 : $0 }
    }

    /// `application/json`, with no charset other than UTF-8.
    private var isJSON: Bool {
        let contentType = text(of: .contentType)
        // The spelling of nearly every client.
        if contentType == "application/json" { return true }
        guard let contentType, contentType.utf8.count <= FieldLimit.identifier else { return false }
        let parts = contentType.lowercased().split(separator: ";", omittingEmptySubsequences: false)
            .map { $0.filter { $0 != " " && $0 != "\t" } }
        guard parts[0] == "application/json" else { return false }
        return parts.allSatisfy { !$0.hasPrefix("charset=") || $0 == "charset=utf-8" || $0 == "charset=\"utf-8\"" }
    }
}

extension Request {
    /// The id of the trace in a `traceparent` of any version (W3C Trace Context); nil for any other text, because the log has no
    /// text of a client.
    package var traceID: String? {
        guard let header = bytes(of: .trace) else { return nil }
        let parts = header.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let isHexadecimal = parts.prefix(4).joined().allSatisfy { $0.isDigit || (0x61...0x66).contains($0) }
        guard parts.prefix(4).map(\.count) == [2, 32, 16, 2], isHexadecimal, !parts[0].elementsEqual("ff".utf8),
            parts.count == 4 || !parts[0].elementsEqual("00".utf8),
            parts[1...2].allSatisfy({ $0.contains { $0 != 0x30 } })
        else { return nil }
        return String(decoding: parts[1], as: UTF8.self)
    }
}
