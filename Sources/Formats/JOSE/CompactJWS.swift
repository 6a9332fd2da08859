package import JSON
import OpenSSL

/// A signed token in compact serialisation (RFC 7515), parsed but not yet verified.
///
/// The header and the payload must not be trusted before ``verify(with:)`` has returned.
package struct CompactJWS: Sendable {
    package static let defaultMaximumBytes = 8192

    /// The `alg` of the header, as text because it can have any value.
    package let algorithmName: String
    package let keyID: String?
    package let type: String?
    package let payload: [UInt8]

    /// Empty for an unsigned token, which can be parsed but never verified.
    package let signature: [UInt8]

    /// The SHA-256 hash of ``signingInput``, which most algorithms sign. It also identifies the token.
    package let signingHash: [UInt8]

    private let token: String
    private let signingByteCount: Int
    private let headerMembers: JSONObjectReader

    package init(_ token: String, maximumBytes: Int = CompactJWS.defaultMaximumBytes) throws(MalformedJWS) {
        let bytes = token.utf8.span
        guard bytes.count <= maximumBytes else { throw .tooLong(limit: maximumBytes) }
        let dot = UInt8(ascii: ".")
        guard let first = bytes.firstIndex(of: dot), let last = bytes.lastIndex(of: dot), first < last else {
            throw .parts
        }
        // If there were a fourth part, the payload would contain a dot, which is not base64url.
        let header = try JWSHeader(encoded: bytes.extracting(..<first))
        guard let payload = Base64URL.decode(bytes.extracting((first + 1)..<last)) else {
            throw Self.hasFourthPart(bytes) ? .parts : .encoding(.payload)
        }
        guard let signature = Base64URL.decode(bytes.extracting((last + 1)...)) else {
            throw .encoding(.signature)
        }
        headerMembers = header.members
        algorithmName = header.algorithmName
        keyID = header.keyID
        type = header.type
        (self.payload, self.signature) = (payload, signature)
        signingHash = SHA256.hash(bytes.extracting(..<last))
        self.token = token
        signingByteCount = last
    }

    package var header: JSONObject { headerMembers.object }

    private static func hasFourthPart(_ token: Span<UInt8>) -> Bool {
        let dot = UInt8(ascii: ".")
        return token.indices.count { token[$0] == dot } > 2
    }

    /// The signed bytes: the encoded header, a dot and the encoded payload.
    package var signingInput: [UInt8] { Array(copying: token.utf8.span.extracting(first: signingByteCount)) }

    /// Throws if the token is not signed with `key`.
    package func verify(with key: VerificationKey) throws(JOSEError) {
        guard algorithmName.isIdentical(to: key.algorithm.rawValue) else { throw .algorithm }
        if let named = keyID, let known = key.keyID, !named.isIdentical(to: known) { throw .unknownKey }
        let input = token.utf8.span.extracting(first: signingByteCount)
        guard !signature.isEmpty, key.isValid(signature: signature, for: input, hashedAs: signingHash) else {
            throw .signature
        }
    }

    /// The payload of a JSON Web Token: an object without duplicate members.
    package func claims() throws(MalformedJWS) -> JSONObject { try claimReader().object }

    /// As `claims`, for reading only some of the members.
    package func claimReader() throws(MalformedJWS) -> JSONObjectReader {
        try JSONObjectReader(payload, of: .payload)
    }
}

extension CompactJWS {
    /// Signs a payload. The header contains `alg`, and `kid` and `typ` if they are set.
    package static func sign(
        payload: [UInt8], type: String? = nil, with key: SigningKey
    ) throws(JOSEError) -> String {
        var header: JSONObject = [:]
        header["kid"] = key.keyID.map { .string($0) }
        header["typ"] = type.map { .string($0) }
        return try sign(payload: payload, header: header, with: key)
    }

    /// Signs a payload with a custom header, to which `alg` is added.
    package static func sign(
        payload: [UInt8], header: JSONObject, with key: SigningKey
    ) throws(JOSEError) -> String {
        let header = JSONObject([("alg", .string(key.algorithm.rawValue))] + header.members.map { ($0.name, $0.value) })
        return try sign(payload: payload, head: head(header), with: key)
    }

    /// The encoded header, followed by a dot.
    static func head(_ header: JSONObject) -> [UInt8] {
        var head: [UInt8] = []
        Base64URL.append(header.bytes.span, to: &head)
        head.append(UInt8(ascii: "."))
        return head
    }

    static func sign(payload: [UInt8], head: [UInt8], with key: SigningKey) throws(JOSEError) -> String {
        var token: [UInt8] = []
        token.reserveCapacity(head.count + payload.count * 4 / 3 + expectedSignatureLength)
        token += head
        Base64URL.append(payload.span, to: &token)
        let signature = try key.sign(token)
        token.append(UInt8(ascii: "."))
        Base64URL.append(signature.span, to: &token)
        return String(decoding: token, as: UTF8.self)
    }

    /// The length of a dot and an HMAC-SHA-256 signature.
    private static let expectedSignatureLength = 44
}

/// The header of a token, validated before a key is selected.
struct JWSHeader {
    let members: JSONObjectReader
    let algorithmName: String
    let keyID: String?
    let type: String?

    /// Members that change what is signed, or that a reader must understand. None of them is supported, so a token
    /// with one is rejected. Members that contain or name a key (`jwk`, `jku`, `x5u`, `x5c`) are ignored: keys
    /// come from the configuration.
    private static let refusedMembers = ["crit", "b64", "zip"]

    init(encoded: Span<UInt8>) throws(MalformedJWS) {
        guard let bytes = Base64URL.decode(encoded) else { throw .encoding(.header) }
        let members = try JSONObjectReader(bytes, of: .header)
        for name in Self.refusedMembers where members[name] != nil { throw .unsupported(member: name) }
        guard let algorithmName = members["alg"]?.string else { throw .header(member: "alg") }
        (self.members, self.algorithmName) = (members, algorithmName)
        keyID = try Self.text("kid", in: members)
        type = try Self.text("typ", in: members)
        if let keyID, !KeyID.isAcceptable(keyID) { throw .header(member: "kid") }
    }

    private static func text(_ name: String, in members: JSONObjectReader) throws(MalformedJWS) -> String? {
        guard let member = members[name] else { return nil }
        guard let text = member.string else { throw .header(member: name) }
        return text
    }
}

extension JSONObjectReader {
    /// The members of a part of a token.
    init(_ bytes: [UInt8], of part: MalformedJWS.Part) throws(MalformedJWS) {
        let reader: JSONObjectReader?
        do { reader = try JSONObjectReader(parsing: bytes) } catch { throw .content(part, error) }
        guard let reader else { throw .content(part, nil) }
        self = reader
    }
}

/// Why a text is not a token in compact serialisation (RFC 7515), or its payload not a set of claims.
package enum MalformedJWS: Error, Equatable, Sendable {
    case tooLong(limit: Int)
    /// Not three parts that are separated by dots.
    case parts
    /// Not base64url without padding.
    case encoding(Part)
    /// Not JSON; nil for JSON that is not an object.
    case content(Part, JSONError?)
    /// The header has a member that changes what is signed, or that a reader must understand.
    case unsupported(member: String)
    /// A member of the header is missing or has an unusable value.
    case header(member: String)

    package enum Part: String, Sendable {
        case header
        case payload
        case signature
    }
}

extension MalformedJWS: CustomStringConvertible {
    /// Contains no part of the token.
    package var description: String {
        switch self {
        case .tooLong(let limit): "longer than \(limit) bytes"
        case .parts: "not three parts"
        case .encoding(let part): "\(part.rawValue) is not base64url"
        case .content(let part, nil): "\(part.rawValue) is not a JSON object"
        case .content(let part, .duplicateMember): "\(part.rawValue) has two members with the same name"
        case .content(let part, let error?): "\(part.rawValue) is \(error)"
        case .unsupported(let member): "header has \(member)"
        case .header("alg"): "header has no alg that is a string"
        case .header(let member): "\(member) is not acceptable"
        }
    }
}

/// Why a token, a key or a set of keys was rejected. The messages contain no part of the rejected input.
package enum JOSEError: Error, Equatable, Sendable {
    /// The input does not have the form that the RFC requires.
    case malformed(String)
    /// The header names another algorithm than the key's.
    case algorithm
    /// The signature is missing or wrong.
    case signature
    /// The header names another key.
    case unknownKey
    /// The key is valid but must not be used, or not for this purpose.
    case unusableKey(String)
    /// OpenSSL could not sign.
    case signing(String)
}

extension JOSEError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .malformed(let reason): "malformed: \(reason)"
        case .algorithm: "the token and the key have different algorithms"
        case .signature: "the signature is not valid"
        case .unknownKey: "the token names another key"
        case .unusableKey(let reason): "unusable key: \(reason)"
        case .signing(let reason): "signing failed: \(reason)"
        }
    }

    /// Converts errors of the OpenSSL target.
    static func unusable<Key>(_ key: () throws(KeyError) -> Key) throws(JOSEError) -> Key {
        do {
            return try key()
        } catch {
            throw .unusableKey(error.description)
        }
    }
}
