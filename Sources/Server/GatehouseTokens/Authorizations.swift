package import Gatehouse
import JOSE
import JSON
import OpenSSL

/// What sign-ins through a browser need: random texts, PKCE, and the encryption of what was proven until the app exchanges
/// its code.
///
/// The key of a proof is derived from a refresh secret and the code itself, of which the database has only the hash. So neither
/// the database nor the secret alone reveals a proof.
extension JWTTokenService {
    package func text(of random: [UInt8]) -> String { Base64URL.encode(random) }

    package func isCodeVerifier(_ verifier: String, of challenge: String) -> Bool {
        constantTimeEquals(Base64URL.encode(SHA256.hash(verifier)).utf8.span, challenge.utf8.span)
    }

    package func seal(_ proof: ProvenIdentity, withCode code: String) -> [UInt8] {
        proofKey(of: code, by: challengeKeys[0]).seal(proof.json, with: [])
    }

    package func open(_ sealed: [UInt8], withCode code: String) -> ProvenIdentity? {
        challengeKeys.lazy.compactMap { proofKey(of: code, by: $0).open(sealed, with: []) }.first
            .flatMap(ProvenIdentity.init(json:))
    }

    /// Domain separation: nothing else that is signed with a refresh secret begins with this text.
    private func proofKey(of code: String, by secret: SigningKey) -> AES256GCMKey {
        guard let bytes = try? secret.sign(Array("gatehouse authorization code \(code)".utf8)),
            let key = try? AES256GCMKey(bytes)
        else { preconditionFailure("HMAC-SHA-256 gives 32 bytes") }
        return key
    }
}

extension ProvenIdentity {
    fileprivate var json: [UInt8] {
        var json = JSONWriter(reserving: 512)
        json.object { json in
            json.member("provider", identity.provider.rawValue)
            json.member("sub", identity.subject)
            json.member("email", identity.email)
            json.member("email_verified", identity.emailVerified)
            json.member("is_private_email", identity.isPrivateEmail)
            if let status = identity.realUserStatus { json.member("real_user_status", status) }
            json.member("transfer_sub", identity.transferSubject)
            json.member("union_sub", identity.unionSubject)
            json.member("client_id", clientID)
            json.member("issued_at", issuedAt.milliseconds)
            json.member("nickname", nickname)
            json.member("later_code", laterCode)
        }
        return json.finish()
    }

    fileprivate init?(json: [UInt8]) {
        guard let object = (try? JSONValue(parsing: json))?.object,
            let provider = object["provider"]?.string.flatMap(Provider.init(rawValue:)),
            let subject = object["sub"]?.string, let clientID = object["client_id"]?.string,
            let issuedAt = object["issued_at"]?.integer
        else { return nil }
        self.init(
            identity: Identity(
                provider: provider, subject: subject, email: object["email"]?.string,
                emailVerified: object["email_verified"]?.bool, isPrivateEmail: object["is_private_email"]?.bool,
                realUserStatus: object["real_user_status"]?.integer.map { Int($0) },
                transferSubject: object["transfer_sub"]?.string, unionSubject: object["union_sub"]?.string),
            clientID: clientID, issuedAt: Timestamp(milliseconds: issuedAt), nickname: object["nickname"]?.string,
            laterCode: object["later_code"]?.string)
    }
}
