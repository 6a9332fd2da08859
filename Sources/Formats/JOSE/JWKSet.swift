package import JSON
import OpenSSL

/// A set of verification keys (RFC 7517, section 5).
///
/// Publishers add types of keys over time, so a key that cannot be used is skipped. The set may be empty; the caller
/// decides whether that is an error.
package struct JWKSet: Sendable {
    /// Whether a key needs an id that no other key of the set has.
    package enum Naming: Sendable {
        /// A key without an id, or with the id of an earlier key, is skipped.
        case unique
        /// Such keys are kept: RFC 7517, sections 4.5 and 5, permits them, and some providers publish them.
        case any
    }

    /// The reason for each skipped key, for the log.
    package let skipped: [String]

    private let all: [VerificationKey]

    /// The keys by id. Ids that are canonically equivalent share an entry.
    private let named: [String: [VerificationKey]]

    /// - Parameters:
    ///   - algorithms: Keys for other algorithms are skipped.
    ///   - allowingSymmetric: Whether to accept secrets (`oct`), which a published set must not contain.
    package init(
        parsing bytes: [UInt8], usableFor algorithms: Set<Algorithm> = Set(Algorithm.allCases),
        naming: Naming = .unique, allowingSymmetric: Bool = false
    ) throws(JOSEError) {
        guard let members = try? JSONValue(parsing: bytes).object?["keys"]?.array else {
            throw .malformed("not a JSON object with an array of keys")
        }
        var (all, named, skipped): ([VerificationKey], [String: [VerificationKey]], [String]) = ([], [:], [])
        for (index, member) in members.enumerated() {
            do throws(JOSEError) {
                let key = try Self.key(member, algorithms, allowingSymmetric)
                if naming == .unique { try Self.requireUniqueName(of: key, in: named) }
                all.append(key)
                if let keyID = key.keyID { named[keyID, default: []].append(key) }
            } catch {
                skipped.append("key \(index): \(error)")
            }
        }
        (self.all, self.named, self.skipped) = (all, named, skipped)
    }

    package var count: Int { all.count }

    package var isEmpty: Bool { all.isEmpty }

    /// The key ids in the order of the set.
    package var keyIDs: [String] { all.compactMap(\.keyID) }

    /// The first key with this id; nil if there is none, and for a token without an id. There is no default key.
    package subscript(kid: String?) -> VerificationKey? {
        kid.flatMap { keys(withID: $0).first }
    }

    /// The keys with this id: at most one in a set with unique ids.
    package func keys(withID keyID: String) -> [VerificationKey] {
        guard let found = named[keyID] else { return [] }
        if found.count == 1, found[0].keyID?.isIdentical(to: keyID) == true { return found }
        return found.filter { $0.keyID?.isIdentical(to: keyID) == true }
    }

    /// The keys for an algorithm, in the order of the set.
    package func keys(for algorithm: Algorithm) -> [VerificationKey] {
        all.filter { $0.algorithm == algorithm }
    }

    private static func key(
        _ member: JSONValue, _ algorithms: Set<Algorithm>, _ allowingSymmetric: Bool
    ) throws(JOSEError) -> VerificationKey {
        guard let jwk = member.object else { throw .malformed("not an object") }
        let key = try VerificationKey(jwk: jwk, allowingSymmetric: allowingSymmetric)
        guard algorithms.contains(key.algorithm) else { throw .unusableKey("its algorithm is not accepted") }
        return key
    }

    private static func requireUniqueName(
        of key: VerificationKey, in named: [String: [VerificationKey]]
    ) throws(JOSEError) {
        guard let keyID = key.keyID else { throw .unusableKey("it has no kid") }
        guard named[keyID] == nil else { throw .unusableKey("an earlier key has the same kid") }
    }
}

/// A key id that is computed from the key itself (RFC 7638).
package enum JWKThumbprint {
    /// The base64url SHA-256 hash of the required members of the key, in lexicographic order.
    package static func compute(of jwk: JSONObject) throws(JOSEError) -> String {
        var canonical = JSONObject()
        for name in try requiredMembers(of: jwk) {
            guard let value = jwk[name]?.string else { throw .unusableKey("member \(name) is missing") }
            canonical[name] = .string(value)
        }
        return Base64URL.encode(SHA256.hash(canonical.bytes))
    }

    /// RFC 7638, section 3.2, and RFC 8037, section 2; each list is in lexicographic order.
    private static func requiredMembers(of jwk: JSONObject) throws(JOSEError) -> [String] {
        switch jwk["kty"]?.string {
        case "EC": ["crv", "kty", "x", "y"]
        case "OKP": ["crv", "kty", "x"]
        case "RSA": ["e", "kty", "n"]
        case "oct": ["k", "kty"]
        default: throw .unusableKey("its kty has no thumbprint")
        }
    }
}

/// The accepted form of a `kid`. It is checked before the `kid` is used for a lookup or logged.
enum KeyID {
    static let acceptedLengths = 1...256

    static func isAcceptable(_ keyID: String) -> Bool {
        var length = 0
        for scalar in keyID.unicodeScalars {
            guard !isControl(scalar) else { return false }
            length += 1
        }
        return acceptedLengths.contains(length)
    }

    /// The control characters C0, C1 and DEL. Reading the Unicode property takes ten times as long.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }
}
