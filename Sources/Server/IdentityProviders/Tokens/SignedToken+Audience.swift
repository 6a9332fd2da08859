import Gatehouse
import JSON

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
