package import JSON

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
