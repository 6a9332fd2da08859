// Runs the sheets of passkeys with the stub of Apple's controller.
import AuthenticationServices
import Foundation
import FoundationNetworking
import GatehouseClient

/// Answers as the server does, and records the bodies by their paths.
actor Server: HTTPTransport {
    private(set) var bodies: [(path: String, body: [String: Any])] = []
    private var isExpiring = false
    private var refusal: (status: Int, body: String)?

    /// The next challenge is valid for a moment alone.
    func expireNext() { isExpiring = true }
    func refuse(_ status: Int, _ code: String, _ reason: String? = nil) {
        let reason = reason.map { #", "reason": "\#($0)""# } ?? ""
        refusal = (status, #"{"status": \#(status), "code": "\#(code)"\#(reason)}"#)
    }
    func accept() { refusal = nil }

    func text(_ path: String, _ names: String...) -> String? {
        let body = bodies.last { $0.path == path }?.body
        return names.dropLast().reduce(body) { $0?[$1] as? [String: Any] }?[names[names.count - 1]] as? String
    }

    func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let path = "\(request.httpMethod ?? "") \(request.url?.path.dropFirst(4) ?? "")"
        let body = request.httpBody.flatMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] }
        bodies.append((path, body ?? [:]))
        if let refusal, ["POST /auth/passkey", "POST /auth/passkey/signup", "POST /users/me/passkeys"].contains(path) {
            return answer(refusal.status, refusal.body, to: request)
        }
        return answer(path.hasPrefix("DELETE") ? 204 : 200, answer(to: path), to: request)
    }

    private func answer(_ status: Int, _ body: String, to request: URLRequest) -> (Data, HTTPURLResponse) {
        let response = HTTPURLResponse(url: request.url!, statusCode: status, httpVersion: nil, headerFields: nil)!
        return (Data(body.utf8), response)
    }

    private func answer(to path: String) -> String {
        let challenge = Data("c\(bodies.count)".utf8).base64EncodedString().replacingOccurrences(of: "=", with: "")
        let handle = #"{"id": "aGFuZGxl", "name": "ann@example.com", "displayName": "Ann"}"#
        let user = """
            {"id": "user_1", "email": null, "emailVerified": false, "nickname": null, "avatarUrl": null, "role": "USER",
             "status": "ACTIVE", "onboardingCompleted": false}
            """
        let passkey = """
            {"id": "passkey_1", "credentialId": "a2V5", "name": "Phone", "createdAt": "2026-11-27T09:00:00.000Z",
             "lastUsedAt": null}
            """
        switch path {
        case "POST /auth/passkey/options":
            let timeout = isExpiring ? 40 : 300_000
            isExpiring = false
            return """
                {"passkeyId": "p", "publicKey": {"challenge": "\(challenge)", "rpId": "app.example", "timeout": \(timeout),
                 "userVerification": "required"}}
                """
        case "POST /auth/passkey/signup/options", "POST /users/me/passkeys/options":
            return """
                {"passkeyId": "p", "publicKey": {"challenge": "\(challenge)", "rp": {"id": "app.example", "name": "App"},
                 "user": \(handle), "pubKeyCredParams": [{"type": "public-key", "alg": -7}],
                 "excludeCredentials": [{"type": "public-key", "id": "b3RoZXI", "transports": ["hybrid"]}],
                 "authenticatorSelection": {"userVerification": "discouraged"}}}
                """
        case "POST /users/me/passkeys": return passkey
        case "GET /users/me/passkeys":
            return #"{"rpId": "app.example", "user": \#(handle), "passkeys": [\#(passkey)]}"#
        case "POST /auth/apple/challenge": return #"{"nonce": "n", "expiresIn": 600}"#
        case "PATCH /users/me": return user
        default:
            return #"{"accessToken": "a", "refreshToken": "r", "expiresIn": 900, "isNewUser": true, "user": \#(user)}"#
        }
    }
}

@main
@MainActor
struct Program {
    typealias Assertion = ASAuthorizationPlatformPublicKeyCredentialAssertion
    typealias AssertionRequest = ASAuthorizationPlatformPublicKeyCredentialAssertionRequest
    typealias Registration = ASAuthorizationPlatformPublicKeyCredentialRegistration
    typealias RegistrationRequest = ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest
    typealias AccountRequest = ASAuthorizationAccountCreationPlatformPublicKeyCredentialRequest

    static let server = Server()
    static let client = GatehouseClient(
        URL(string: "https://api.example.com")!, store: MemorySessionStore(), transport: server)
    static let window = ASPresentationAnchor()
    static let apple = AppleSignIn(
        client, defaults: UserDefaults(suiteName: "gatehouse.stub.\(UUID().uuidString)")!)
    static var count = 0

    static func main() async throws {
        await signsIn()
        await withApple()
        await unknown()
        await refusedPasskeys()
        await signsUp()
        await prefersApple()
        await signsUpWithName()
        await adds()
        await lists()
        await suggestions()
        await ends()
    }

    /// Waits for the next presentation.
    static func next() async -> ASAuthorizationController {
        count += 1
        while ASAuthorizationController.stubStarted.count < count { await Task.yield() }
        return ASAuthorizationController.stubStarted[count - 1]
    }

    static func complete(_ sheet: ASAuthorizationController, _ credential: any ASAuthorizationCredential) {
        let authorization = ASAuthorization(stub: credential)
        sheet.delegate?.authorizationController(controller: sheet, didCompleteWithAuthorization: authorization)
    }

    static func fail(_ sheet: ASAuthorizationController, _ code: ASAuthorizationError.Code) {
        sheet.delegate?.authorizationController(controller: sheet, didCompleteWithError: ASAuthorizationError(code))
    }

    static func failure<Value: Sendable>(_ task: Task<Value, any Error>) async -> PasskeySignInError? {
        do { _ = try await task.value } catch { return error as? PasskeySignInError }
        return nil
    }

    static func signsIn() async {
        let login = Task { try await client.signInWithPasskey { window } }
        let sheet = await next()
        let request = sheet.authorizationRequests.first as? AssertionRequest
        expect(sheet.stubStyle == "sheet" && sheet.authorizationRequests.count == 1, "one sheet")
        expect(request?.relyingPartyIdentifier == "app.example" && request?.challenge == Data("c1".utf8), "the options")
        expect(request?.userVerificationPreference == .required, "the server's user verification")
        expect(sheet.presentationContextProvider?.presentationAnchor(for: sheet) === window, "the window")
        complete(sheet, Assertion(stubID: Data([0xFF, 0xEF])))
        expect((try? await login.value.user.id) == "user_1", "it signs in")
        expect(await client.loginProvider == .passkey, "by a passkey")
        let path = "POST /auth/passkey"
        expect(await server.text(path, "passkeyId") == "p", "the id of the challenge")
        expect(await server.text(path, "credential", "id") == "_-8", "the id in base64url without padding")
        expect(await server.text(path, "credential", "rawId") == "_-8", "rawId")
        expect(await server.text(path, "credential", "type") == "public-key", "the type")
        for (name, text) in [
            ("clientDataJSON", "Y2xpZW50"), ("authenticatorData", "ZGF0YQ"), ("signature", "c2lnbmF0dXJl"),
            ("userHandle", "dXNlcg"),
        ] { expect(await server.text(path, "credential", "response", name) == text, name) }

        let second = Task { try await client.signInWithPasskey(ifAvailable: true) }
        let other = await next()
        expect(other.stubStyle == "available" && other.presentationContextProvider == nil, "only what is there")
        fail(other, .canceled)
        expect(await failure(second) == .cancelled, "no passkey is no failure")
        let incomplete = Task { try await client.signInWithPasskey() }
        let assertion = Assertion(stubID: Data())
        assertion.signature = nil
        complete(await next(), assertion)
        expect(await failure(incomplete) == .apple(.invalidResponse), "an answer without a signature")
    }

    static func withApple() async {
        let login = Task { try await client.signInWithPasskey(or: apple) }
        let sheet = await next()
        expect(sheet.authorizationRequests.count == 2, "both requests")
        let request = sheet.authorizationRequests.last as? ASAuthorizationAppleIDRequest
        expect(request?.nonce?.count == 64 && request?.requestedScopes == [.fullName, .email], "Apple's request")
        let credential = ASAuthorizationAppleIDCredential(stubUser: "u")
        credential.identityToken = Data("token".utf8)
        complete(sheet, credential)
        expect((try? await login.value.user.id) == "user_1", "it signs in with Apple")
        expect(await client.loginProvider == .apple, "by Apple")
        expect(await server.text("POST /auth/apple", "nonce") == "n", "the nonce of the request")
    }

    static func unknown() async {
        for (reason, reports) in [("signature", []), ("unknown", ["unknown app.example key"])] {
            await server.refuse(401, "invalid_passkey", reason)
            let login = Task { try await client.signInWithPasskey() }
            complete(await next(), Assertion(stubID: Data("key".utf8)))
            guard case .gatehouse(.refused(let problem)) = await failure(login) else { return expect(false, reason) }
            expect(problem.code == .invalidPasskey && problem.reason?.rawValue == reason, "the refusal")
            expect(ASCredentialUpdater.stubReports == reports, "only an unknown passkey is reported")
        }
        await server.accept()
    }

    /// The device has a passkey then that the server may not have.
    static func refusedPasskeys() async {
        let report = ["unknown app.example key"]
        for (status, code, reports) in [
            (400, "invalid_request", report), (422, "invalid_passkey", report), (409, "too_many_passkeys", report),
            (409, "account_already_linked", []), (503, "storage_unavailable", []),
        ] {
            await server.refuse(status, code)
            ASCredentialUpdater.stubReports = []
            let addition = Task { try await client.addPasskey() }
            complete(await next(), Registration(stubID: Data("key".utf8)))
            guard case .gatehouse(.refused) = await failure(addition) else { return expect(false, code) }
            expect(ASCredentialUpdater.stubReports == reports, "an addition that is refused with \(code)")
            ASCredentialUpdater.stubReports = []
            let login = Task { try await client.signUpWithPasskey(nickname: "Ann") }
            complete(await next(), Registration(stubID: Data("key".utf8)))
            guard case .gatehouse(.refused) = await failure(login) else { return expect(false, code) }
            expect(ASCredentialUpdater.stubReports == reports, "a sign-up that is refused with \(code)")
        }
        await server.accept()
    }

    static func signsUp() async {
        let login = Task { try await client.signUpWithPasskey(asking: [.phone, .email]) }
        let sheet = await next()
        let request = sheet.authorizationRequests.first as? AccountRequest
        expect(request?.acceptedContactIdentifiers == [.phoneNumber, .email], "the contacts, in their order")
        expect(request?.userID == Data("handle".utf8) && request?.shouldRequestName == true, "the account's request")
        expect(request?.relyingPartyIdentifier == "app.example" && request?.challenge.isEmpty == false, "the options")
        var name = PersonNameComponents()
        (name.givenName, name.familyName) = ("Ann", "Lee")
        complete(
            sheet,
            ASAuthorizationAccountCreationPlatformPublicKeyCredential(
                stubEmail: "ann@example.com", name: name, id: Data("key".utf8)))
        expect((try? await login.value.isNewUser) == true, "it signs up")
        let path = "POST /auth/passkey/signup"
        expect(await server.text(path, "nickname") == "Ann Lee", "the name")
        expect(await server.text(path, "contact") == "ann@example.com", "the contact")
        expect(await server.text(path, "credential", "response", "attestationObject") == "YXR0ZXN0YXRpb24", "the key")
    }

    static func prefersApple() async {
        let refused = Task { try await client.signUpWithPasskey() }
        fail(await next(), .preferSignInWithApple)
        expect(await failure(refused) == .prefersApple, "the app is told")
        let login = Task { try await client.signUpWithPasskey(or: apple) }
        fail(await next(), .preferSignInWithApple)
        let sheet = await next()
        expect(sheet.authorizationRequests.first is ASAuthorizationAppleIDRequest, "Apple's sheet follows")
        fail(sheet, .canceled)
        expect(await failure(login) == .cancelled, "the user closed Apple's sheet")
        let unable = Task { try await client.signUpWithPasskey(or: apple) }
        fail(await next(), .deviceNotConfiguredForPasskeyCreation)
        expect(await failure(unable) == .notConfigured, "a device without a passcode")
    }

    static func signsUpWithName() async {
        let login = Task { try await client.signUpWithPasskey(nickname: "Ann", contact: "+4479") }
        let sheet = await next()
        let request = sheet.authorizationRequests.first as? RegistrationRequest
        expect(request?.name == "ann@example.com" && request?.displayName == "Ann", "the user's names")
        expect(request?.userVerificationPreference == .discouraged, "the server's user verification")
        complete(sheet, Registration(stubID: Data("key".utf8)))
        expect((try? await login.value.isNewUser) == true, "it signs up")
        expect(await server.text("POST /auth/passkey/signup/options", "contact") == "+4479", "the contact")
        expect(await server.text("POST /auth/passkey/signup", "contact") == nil, "the contact is sent once")
    }

    static func adds() async {
        let addition = Task { try await client.addPasskey(name: "Phone") }
        let sheet = await next()
        let request = sheet.authorizationRequests.first as? RegistrationRequest
        expect(request?.excludedCredentials?.map(\.credentialID) == [Data("other".utf8)], "what there is is excluded")
        complete(sheet, Registration(stubID: Data("key".utf8)))
        expect((try? await addition.value.id) == "passkey_1", "the new passkey")
        expect(await server.text("POST /users/me/passkeys", "name") == "Phone", "its name")
        let second = Task { try await client.addPasskey() }
        fail(await next(), .matchedExcludedCredential)
        expect(await failure(second) == .alreadyExists, "one of the user's passkeys is here")
    }

    static func lists() async {
        ASCredentialUpdater.stubReports = []
        guard let passkey = try? await client.passkeys().first else { return expect(false, "the list") }
        let accepted = ["accepted app.example handle key", "name app.example handle ann@example.com"]
        expect(ASCredentialUpdater.stubReports == accepted, "the list is reported")
        try? await client.delete(passkey: passkey)
        expect(ASCredentialUpdater.stubReports.last == "unknown app.example key", "a deletion is reported")
        ASCredentialUpdater.stubReports = []
        _ = try? await client.update(ProfileChange(nickname: .set("Ann")))
        while ASCredentialUpdater.stubReports.count < 2 { await Task.yield() }
        expect(ASCredentialUpdater.stubReports == accepted, "a new name is reported")
    }

    static func suggestions() async {
        await server.expireNext()
        let login = Task { try await client.signInWithSuggestedPasskey() }
        let first = await next()
        expect(first.stubStyle == "suggestions", "above the keyboard")
        let second = await next()
        expect(ASAuthorizationController.stubCancelled.last === first, "the first ends before its challenge does")
        let challenges = [first, second].map { ($0.authorizationRequests.first as? AssertionRequest)?.challenge }
        expect(challenges[0] != challenges[1], "a new challenge")
        complete(second, Assertion(stubID: Data("key".utf8)))
        expect((try? await login.value.user.id) == "user_1", "it signs in")
    }

    static func ends() async {
        let waiting = Task { try await client.signInWithSuggestedPasskey() }
        let suggested = await next()
        let sheet = Task { try await apple.authorize() }
        _ = await next()
        expect(await failure(waiting) == .cancelled, "a sheet ends the suggestions")
        expect(ASAuthorizationController.stubCancelled.contains { $0 === suggested }, "they are closed")
        let second = Task { try await client.signInWithPasskey() }
        _ = await next()
        do { _ = try await sheet.value } catch {
            expect(error as? AppleSignInError == .cancelled, "one sheet at a time")
        }
        second.cancel()
        expect(await failure(second) == .cancelled, "a cancelled task does not wait for the controller")
    }
    static func expect(_ condition: Bool, _ rule: String) {
        guard !condition else { return }
        print("failed: \(rule)")
        exit(1)
    }
}
