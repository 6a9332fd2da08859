package import Gatehouse
import JOSE
package import JSON
import Text

extension Endpoints {
    /// Begins a sign-in by a passkey.
    func passkeyLoginOptions(_ request: Request, in context: inout RequestContext) throws -> Response {
        .ok(PasskeyOptionsBody(options: try auth.passkeyLoginOptions()))
    }

    /// Logs in by a passkey.
    func logInByPasskey(
        _ request: Request, _ body: PasskeyLoginBody, in context: inout RequestContext
    ) throws -> Response {
        // First, so that the challenge is not used up.
        if body.keepsSessionInCookie { try request.requirePageOfThisSite(by: auth.web) }
        let result = try auth.logIn(
            by: body.presented, boundBy: request.proof, from: request.device, in: &context)
        return .login(result, inCookie: body.keepsSessionInCookie)
    }

    /// Begins the sign-up of a new user by a passkey.
    func passkeySignUpOptions(
        _ request: Request, _ body: PasskeyProfileBody?, in context: inout RequestContext
    ) throws -> Response {
        let options = try auth.passkeySignUpOptions(nickname: body?.nickname, contact: body?.contact)
        return .ok(PasskeyOptionsBody(options: options))
    }

    /// Creates a user with a passkey.
    func signUpByPasskey(
        _ request: Request, _ body: PasskeySignUpBody, in context: inout RequestContext
    ) throws -> Response {
        if body.login.keepsSessionInCookie { try request.requirePageOfThisSite(by: auth.web) }
        let result = try auth.signUp(
            by: body.login.presented, (body.profile.nickname, body.profile.contact), boundBy: request.proof,
            from: request.device, in: &context)
        return .login(result, inCookie: body.login.keepsSessionInCookie)
    }

    /// Lists the caller's passkeys.
    func passkeys(_ request: Request, of caller: Caller, in context: inout RequestContext) throws -> Response {
        let (rpID, user, passkeys) = try auth.passkeys(of: caller)
        return .ok(PasskeyListBody(rpID: rpID, user: user, passkeys: passkeys))
    }

    /// Begins to add a passkey to the caller.
    func passkeyRegistrationOptions(
        _ request: Request, for caller: Caller, in context: inout RequestContext
    ) throws -> Response {
        .ok(PasskeyOptionsBody(options: try auth.passkeyRegistrationOptions(for: caller)))
    }

    /// Adds a passkey to the caller.
    func addPasskey(
        _ request: Request, to caller: Caller, _ body: PasskeyRegistrationBody, in context: inout RequestContext
    ) throws -> Response {
        .ok(
            try auth.addPasskey(
                body.presented, named: body.name, to: caller, from: request.device, requestID: request.id))
    }

    /// Renames the caller's passkey.
    func renamePasskey(
        _ request: Request, of caller: Caller, _ body: PasskeyNameBody, in context: inout RequestContext
    ) throws -> Response {
        .ok(try auth.renamePasskey(request.pathArgument, to: body.name, of: caller))
    }

    /// Deletes the caller's passkey.
    func removePasskey(_ request: Request, of caller: Caller, in context: inout RequestContext) throws -> Response {
        try auth.removePasskey(request.pathArgument, of: caller, on: request.device, requestID: request.id)
        return .noContent
    }
}

// MARK: - Request bodies

struct PasskeyLoginBody: RequestBody {
    let presented: PresentedPasskey
    let keepsSessionInCookie: Bool

    init(reading fields: inout FieldReader) {
        presented = PresentedPasskey(reading: &fields)
        keepsSessionInCookie = fields.sessionPlace() == .cookie
    }
}

struct PasskeySignUpBody: RequestBody {
    let login: PasskeyLoginBody
    let profile: PasskeyProfileBody

    init(reading fields: inout FieldReader) {
        login = PasskeyLoginBody(reading: &fields)
        profile = PasskeyProfileBody(reading: &fields)
    }
}

/// What a new user says of themself.
struct PasskeyProfileBody: RequestBody {
    let nickname: String?
    let contact: String?

    init(reading fields: inout FieldReader) {
        nickname = fields.optionalName("nickname")
        contact = fields.optional("contact", atMost: FieldLimit.identifier)?.trimmedOrNil
    }
}

struct PasskeyRegistrationBody: RequestBody {
    let presented: PresentedPasskey
    let name: String?

    init(reading fields: inout FieldReader) {
        presented = PresentedPasskey(reading: &fields)
        name = fields.optionalName("name")
    }
}

/// `null` removes the name.
struct PasskeyNameBody: RequestBody {
    let name: String?

    init(reading fields: inout FieldReader) {
        if !fields.has("name") { fields.reject("name", "is required") }
        name = fields.optionalName("name")
    }
}

extension PresentedPasskey {
    /// What is in the credential is for its verifier to say.
    fileprivate init(reading fields: inout FieldReader) {
        let id = fields.required("passkeyId", atMost: FieldLimit.url)
        let credential = fields["credential"]
        if credential?.object == nil { fields.reject("credential", "is required: an object as toJSON makes it") }
        self.init(id: id, credential: credential?.bytes ?? [])
    }
}

// MARK: - Response bodies

private struct PasskeyOptionsBody: ResponseBody {
    let options: PasskeyOptions

    func write(to json: inout JSONObjectWriter) {
        json.member("passkeyId", options.id)
        json.member(
            "publicKey",
            object: { key in
                key.member("challenge", Base64URL.encode(options.challenge))
                key.member("timeout", PasskeyCeremony.lifetime.wholeSeconds * 1000)
                guard let creation = options.creation else {
                    key.member("rpId", options.rules.rpID)
                    key.member("userVerification", options.rules.userVerification.rawValue)
                    return
                }
                write(creation, to: &key)
            })
    }

    private func write(_ creation: PasskeyOptions.Creation, to key: inout JSONObjectWriter) {
        let rules = options.rules
        key.member(
            "rp",
            object: {
                $0.member("id", rules.rpID)
                $0.member("name", rules.rpID)
            })
        key.member("user", object: creation.user.write)
        key.member("pubKeyCredParams", .array(Self.algorithms.map { ["type": "public-key", "alg": .integer($0)] }))
        key.member(
            "excludeCredentials",
            .array(
                creation.excluded.map { passkey in
                    [
                        "type": "public-key", "id": .string(passkey.credentialText),
                        "transports": .array(passkey.reachableTransports.map(JSONValue.string)),
                    ]
                }))
        key.member(
            "authenticatorSelection",
            [
                "residentKey": "required", "requireResidentKey": true,
                "userVerification": .string(rules.userVerification.rawValue),
            ])
        key.member("attestation", "none")
    }

    /// ES256, EdDSA and RS256, by their numbers at COSE; the first one is preferred.
    private static let algorithms: [Int64] = [-7, -8, -257]
}

extension Passkey {
    fileprivate var credentialText: String { Base64URL.encode(credentialID) }

    /// With `internal` alone, an iPhone that does not have the passkey shows no way to use another device's.
    fileprivate var reachableTransports: [String] {
        transports == ["internal"] ? ["hybrid", "internal"] : transports
    }
}

extension [LinkedAccount] {
    /// What the user said at a sign-up by passkey, as long as no account proves it.
    func unprovenContact(of account: LinkedAccount) -> String? {
        guard account.provider == .passkey, let contact = account.emailHint else { return nil }
        return contains { $0.provider.isProvenByCode && $0.subject == contact } ? nil : contact
    }
}

extension PasskeyUser {
    fileprivate func write(to json: inout JSONObjectWriter) {
        json.member("id", handle)
        json.member("name", name)
        json.member("displayName", displayName)
    }
}

private struct PasskeyListBody: ResponseBody {
    let rpID: String
    let user: PasskeyUser?
    let passkeys: [Passkey]

    func write(to json: inout JSONObjectWriter) {
        json.member("rpId", rpID)
        if let user { json.member("user", object: user.write) } else { json.member("user", .null) }
        json.member("passkeys", objects: passkeys) { $0.write(to: &$1) }
    }
}

extension Passkey: ResponseBody {
    package func write(to json: inout JSONObjectWriter) {
        json.member("id", id)
        json.member("credentialId", credentialText)
        json.member("name", name)
        json.member("createdAt", createdAt.description)
        json.member("lastUsedAt", lastUsedAt?.description)
        json.member("backedUp", isBackedUp)
    }
}

/// All that is kept about a passkey.
struct ExportedPasskeyBody: ResponseBody {
    let passkey: Passkey

    func write(to json: inout JSONObjectWriter) {
        passkey.write(to: &json)
        json.member("publicKey", Base64URL.encode(passkey.publicKey))
        json.member("algorithm", passkey.algorithm)
        json.member("signCount", passkey.signCount)
        json.member("transports", .array(passkey.transports.map(JSONValue.string)))
        json.member("backupEligible", passkey.isBackupEligible)
        json.member("aaguid", Hexadecimal.text(passkey.aaguid))
    }
}
