import JSON

/// A set of verification keys by name (RFC 7517, section 5).
///
/// Such sets are published by others and grow members that we know nothing of, so a key that cannot be used is skipped
/// and the rest of the set stands. A set of which nothing is left is still a set; whether that will do is for the
/// caller to decide.
package struct JWKSet: Sendable {
    /// Why keys were left out, one line each; for a log.
    package let skipped: [String]

    private let keys: [String: VerificationKey]
    private let order: [String]

    /// - Parameters:
    ///   - algorithms: Keys for other algorithms are skipped.
    ///   - allowingSymmetric: Whether to believe secrets (`oct`), which a published set must not hold.
    package init(
        parsing bytes: [UInt8], usableFor algorithms: Set<Algorithm> = Set(Algorithm.allCases),
        allowingSymmetric: Bool = false
    ) throws(JOSEError) {
        guard let members = try? JSONValue(parsing: bytes).object?["keys"]?.array else {
            throw .malformed("not a JSON object with an array of keys")
        }
        var (keys, order, skipped): ([String: VerificationKey], [String], [String]) = ([:], [], [])
        for (index, member) in members.enumerated() {
            do throws(JOSEError) {
                let (keyID, key) = try Self.namedKey(member, algorithms, allowingSymmetric)
                guard keys[keyID] == nil else { throw .unusableKey("its kid is taken by an earlier key") }
                keys[keyID] = key
                order.append(keyID)
            } catch {
                skipped.append("key \(index): \(error)")
            }
        }
        self.keys = keys
        self.order = order
        self.skipped = skipped
    }

    package var count: Int { keys.count }

    package var isEmpty: Bool { keys.isEmpty }

    /// In the order of the set.
    package var keyIDs: [String] { order }

    /// The key of this name and never any other: there is no default key.
    package subscript(kid: String) -> VerificationKey? {
        keys[kid].flatMap { $0.keyID?.isIdentical(to: kid) == true ? $0 : nil }
    }

    private static func namedKey(
        _ member: JSONValue, _ algorithms: Set<Algorithm>, _ allowingSymmetric: Bool
    ) throws(JOSEError) -> (String, VerificationKey) {
        guard let jwk = member.object else { throw .malformed("not an object") }
        let key = try VerificationKey(jwk: jwk, allowingSymmetric: allowingSymmetric)
        guard let keyID = key.keyID else { throw .unusableKey("it has no kid") }
        guard algorithms.contains(key.algorithm) else { throw .unusableKey("not for an algorithm that is wanted") }
        return (keyID, key)
    }
}
