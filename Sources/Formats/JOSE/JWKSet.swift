import JSON

/// A set of verification keys by key id (RFC 7517, section 5).
///
/// Publishers add types of keys over time, so a key that cannot be used is skipped. The set may be empty; the caller
/// decides whether that is an error.
package struct JWKSet: Sendable {
    /// The reason for each skipped key, for the log.
    package let skipped: [String]

    /// The key ids in the order of the set.
    package let keyIDs: [String]

    private let keys: [String: VerificationKey]

    /// - Parameters:
    ///   - algorithms: Keys for other algorithms are skipped.
    ///   - allowingSymmetric: Whether to accept secrets (`oct`), which a published set must not contain.
    package init(
        parsing bytes: [UInt8], usableFor algorithms: Set<Algorithm> = Set(Algorithm.allCases),
        allowingSymmetric: Bool = false
    ) throws(JOSEError) {
        guard let members = try? JSONValue(parsing: bytes).object?["keys"]?.array else {
            throw .malformed("not a JSON object with an array of keys")
        }
        var (keys, keyIDs, skipped): ([String: VerificationKey], [String], [String]) = ([:], [], [])
        for (index, member) in members.enumerated() {
            do throws(JOSEError) {
                let (keyID, key) = try Self.namedKey(member, algorithms, allowingSymmetric)
                guard keys[keyID] == nil else { throw .unusableKey("an earlier key has the same kid") }
                keys[keyID] = key
                keyIDs.append(keyID)
            } catch {
                skipped.append("key \(index): \(error)")
            }
        }
        self.keys = keys
        self.keyIDs = keyIDs
        self.skipped = skipped
    }

    package var count: Int { keys.count }

    package var isEmpty: Bool { keys.isEmpty }

    /// The key with this id; nil if there is none. There is no default key.
    package subscript(kid: String) -> VerificationKey? {
        keys[kid].flatMap { $0.keyID?.isIdentical(to: kid) == true ? $0 : nil }
    }

    private static func namedKey(
        _ member: JSONValue, _ algorithms: Set<Algorithm>, _ allowingSymmetric: Bool
    ) throws(JOSEError) -> (String, VerificationKey) {
        guard let jwk = member.object else { throw .malformed("not an object") }
        let key = try VerificationKey(jwk: jwk, allowingSymmetric: allowingSymmetric)
        guard let keyID = key.keyID else { throw .unusableKey("it has no kid") }
        guard algorithms.contains(key.algorithm) else { throw .unusableKey("its algorithm is not accepted") }
        return (keyID, key)
    }
}
