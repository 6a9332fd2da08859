package import Gatehouse
import JOSE
import JSON
import OpenSSL

/// Ceremonies of passkeys as the client has them: encrypted, since they may contain a name and an address, with a key that is
/// derived from a refresh secret.
extension JWTTokenService {
    package func seal(_ ceremony: PasskeyCeremony) -> String {
        Base64URL.encode(Self.ceremonyKey(by: challengeKeys[0]).seal(ceremony.json, with: []))
    }

    package func openCeremony(_ text: String) -> PasskeyCeremony? {
        guard let sealed = Base64URL.decode(text) else { return nil }
        return challengeKeys.lazy.compactMap { Self.ceremonyKey(by: $0).open(sealed, with: []) }.first
            .flatMap(PasskeyCeremony.init(json:))
    }

    package func passkeyHandle(of user: UserID) -> String {
        Base64URL.encode(Self.derived("passkey handle \(user.text)", by: challengeKeys[0]))
    }

    private static func ceremonyKey(by secret: SigningKey) -> AES256GCMKey {
        guard let key = try? AES256GCMKey(derived("passkey ceremonies", by: secret)) else {
            preconditionFailure("HMAC-SHA-256 gives 32 bytes")
        }
        return key
    }

    /// Domain separation: nothing else that is signed with a refresh secret begins with this text.
    private static func derived(_ purpose: String, by secret: SigningKey) -> [UInt8] {
        guard let bytes = try? secret.sign(Array("gatehouse \(purpose)".utf8)) else {
            preconditionFailure("HMAC cannot fail")
        }
        return bytes
    }
}

extension PasskeyCeremony {
    fileprivate var json: [UInt8] {
        var json = JSONWriter(reserving: 256)
        json.object { json in
            json.member("challenge", Base64URL.encode(challenge))
            json.member("exp", expiresAt.milliseconds)
            switch purpose {
            case .login: json.member("for", "login")
            case .signUp(let signUp):
                json.member("for", "sign-up")
                json.member("handle", signUp.handle)
                json.member("nickname", signUp.nickname)
                json.member("contact", signUp.contact)
            case .register(let user, let handle):
                json.member("for", "register")
                json.member("handle", handle)
                json.member("sub", user.text)
            }
        }
        return json.finish()
    }

    fileprivate init?(json: [UInt8]) {
        guard let object = (try? JSONValue(parsing: json))?.object,
            let challenge = object["challenge"]?.string.flatMap({ Base64URL.decode($0) }),
            let expiresAt = object["exp"]?.integer
        else { return nil }
        let purpose: Purpose
        switch (object["for"]?.string, object["handle"]?.string, object["sub"]?.string) {
        case ("login", nil, nil): purpose = .login
        case ("sign-up", let handle?, nil):
            purpose = .signUp(
                SignUp(handle: handle, nickname: object["nickname"]?.string, contact: object["contact"]?.string))
        case ("register", let handle?, let user?): purpose = .register(UserID(user), handle: handle)
        default: return nil
        }
        self.init(purpose, challenge: challenge, expiresAt: Timestamp(milliseconds: expiresAt))
    }
}
