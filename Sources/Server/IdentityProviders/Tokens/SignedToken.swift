import Gatehouse
package import JOSE
import JSON

/// A token signed by a provider: what identity tokens and notifications have in common. Its format, issuer and audience
/// can be checked without the provider's key.
///
/// A class, because it has many fields and is passed on several times.
final class SignedToken: Sendable {
    static let maximumByteCount = 8192

    /// A set may have many keys without an id, and each of them costs a verification.
    private static let mostKeys = 8

    let claims: JSONObjectReader
    /// The key that the header names.
    let key: KeyReference
    private let jws: CompactJWS

    /// - Parameter passed: called after each check that passed, for a report on a refused token.
    init(
        _ text: String, rules: TokenRules, passed: IdentityTokenCheck.Observer = { _ in }
    ) throws(IdentityFault) {
        do { jws = try CompactJWS(text, maximumBytes: Self.maximumByteCount) } catch {
            throw .malformed(MalformedToken(error, of: text))
        }
        passed(.form)
        guard let algorithm = rules.algorithm(named: jws.algorithmName) else { throw .algorithm }
        passed(.algorithm)
        guard jws.keyID != nil || !rules.demandsKeyID else { throw .malformed(.unusable(.header, member: "kid")) }
        key = KeyReference(keyID: jws.keyID, algorithm: algorithm)
        passed(.keyID)
        guard rules.accepts(type: jws.type) else { throw .malformed(.otherType) }
        passed(.type)
        do { claims = try jws.claimReader() } catch { throw .malformed(MalformedToken(error, of: text)) }
    }

    /// SHA-256 of the signed part. The signature is not included: an ES256 signature can be changed into another valid one
    /// without the key.
    var hash: [UInt8] { jws.signingHash }

    /// Whether it names an accepted issuer. The token only selects among them.
    func isIssued(by rules: TokenRules) -> Bool {
        rules.issuers.contains { claims.has("iss", $0) }
    }

    /// Throws if the token is signed with none of these keys. The key determines the algorithm, and the header has to name
    /// the same one.
    func verify(with keys: [VerificationKey]) throws(IdentityFault) {
        var left = Self.mostKeys
        for candidate in keys where candidate.algorithm == key.algorithm && left > 0 {
            left -= 1
            if (try? jws.verify(with: candidate)) != nil { return }
        }
        throw left == Self.mostKeys ? .algorithm : .signature
    }
}

/// The key that signed a token, as its header names it.
package struct KeyReference: Sendable, Equatable {
    /// Nil for a token that names no key: then each key for the algorithm may be the one.
    package let keyID: String?
    package let algorithm: Algorithm

    package init(keyID: String?, algorithm: Algorithm) {
        (self.keyID, self.algorithm) = (keyID, algorithm)
    }
}

extension SignedToken {
    /// The app for which an accepted issuer made this token.
    func audience(
        _ rules: TokenRules, passed: IdentityTokenCheck.Observer = { _ in }
    ) throws(IdentityFault) -> String {
        guard isIssued(by: rules) else { throw .issuer }
        passed(.issuer)
        guard let audience = try acceptedAudience(rules, passed) else { throw .audience(namedAudience) }
        if case .trusted = rules.audienceList { passed(.authorizedParty) } else { passed(.audience) }
        return audience
    }

    private func acceptedAudience(
        _ rules: TokenRules, _ passed: IdentityTokenCheck.Observer
    ) throws(IdentityFault) -> String? {
        guard let single = rules.audiences.first(where: { claims.has("aud", $0) }) else {
            return try listedAudience(rules, passed)
        }
        if case .trusted(let parties) = rules.audienceList {
            passed(.audience)
            _ = try authorizedParty(rules.audiences + parties)
        }
        return single
    }

    /// The accepted audience in a list.
    private func listedAudience(
        _ rules: TokenRules, _ passed: IdentityTokenCheck.Observer
    ) throws(IdentityFault) -> String? {
        guard let elements = claims["aud"]?.array else { return nil }
        let names = elements.compactMap(\.string)
        guard names.count == elements.count,
            let audience = rules.audiences.first(where: { accepted in names.contains(where: accepted.isIdentical) })
        else { return nil }
        switch rules.audienceList {
        case .single: return names.count == 1 ? audience : nil
        case .any: return audience
        case .trusted(let parties):
            passed(.audience)
            let party = try authorizedParty(rules.audiences + parties)
            let isForUsAlone = names.allSatisfy { name in rules.audiences.contains(where: name.isIdentical) }
            return isForUsAlone || party != nil ? audience : nil
        }
    }

    /// The client to which the token was issued; nil if it does not say.
    private func authorizedParty(_ accepted: [String]) throws(IdentityFault) -> String? {
        guard let claim = claims["azp"], !claim.isNull else { return nil }
        guard let party = accepted.first(where: { claims.has("azp", $0) }) else {
            throw .client(claim.string.flatMap(PlainName.init))
        }
        return party
    }

    /// What `aud` names, for the answer. The signature is not verified yet, so it can be any text.
    private var namedAudience: PlainName? {
        guard let array = claims["aud"]?.array else { return claims["aud"]?.string.flatMap(PlainName.init) }
        return array.count == 1 ? array[0].string.flatMap(PlainName.init) : nil
    }
}

extension MalformedToken {
    /// - Parameter text: the token, which shows some mistakes of an app.
    init(_ fault: MalformedJWS, of text: String) {
        switch fault {
        case .tooLong(let limit): self = .tooLong(limit: limit)
        case .parts: self = Self.isEncodedAgain(text) ? .encodedAgain : .notThreeParts
        case .encoding(let part): self = .notBase64URL(Part(part))
        case .content(let part, nil): self = .notAnObject(Part(part))
        case .content(let part, .duplicateMember(let name)):
            self = .duplicateMember(Part(part), PlainName(name))
        case .content(let part, _?): self = .notJSON(Part(part))
        case .unsupported(let member): self = .unsupportedHeader(member: member)
        case .header(let member): self = .unusable(.header, member: member)
        }
    }

    /// Whether the text is the base64 of a token. Apple's framework returns the token as `Data`, whose bytes are the
    /// text that the app has to send.
    private static func isEncodedAgain(_ text: String) -> Bool {
        let parts = Base64Text.decode(text)?.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts?.count == 3 && parts?.allSatisfy { Base64URL.decode(Array($0)) != nil } == true
    }
}

extension MalformedToken.Part {
    fileprivate init(_ part: MalformedJWS.Part) {
        switch part {
        case .header: self = .header
        case .payload: self = .claims
        case .signature: self = .signature
        }
    }
}

/// Base64 of any kind, as apps write it: with either alphabet, with padding or without, and with line breaks.
enum Base64Text {
    static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: "-"))
            case UInt8(ascii: "/"): bytes.append(UInt8(ascii: "_"))
            case UInt8(ascii: "="), UInt8(ascii: "\r"), UInt8(ascii: "\n"): continue
            default: bytes.append(byte)
            }
        }
        return Base64URL.decode(bytes)
    }
}
