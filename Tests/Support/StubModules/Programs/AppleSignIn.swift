// Runs AppleSignIn with the stub of Apple's controller.
import AuthenticationServices
import Foundation
import FoundationNetworking
import GatehouseClient

/// Answers the challenge and the login, and records the requests.
actor Server: HTTPTransport {
    private(set) var requests: [URLRequest] = []

    func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        requests.append(request)
        let user = """
            {"id": "user_1", "email": null, "emailVerified": false, "nickname": null, "avatarUrl": null, "role": "USER",
             "status": "ACTIVE", "onboardingCompleted": false}
            """
        let body =
            switch request.url?.lastPathComponent {
            case "challenge": #"{"nonce": "n\#(requests.count)", "expiresIn": 600}"#
            case "me": user
            default:
                #"{"accessToken": "a", "refreshToken": "r", "expiresIn": 900, "isNewUser": true, "user": \#(user)}"#
            }
        return (
            Data(body.utf8),
            HTTPURLResponse(url: request.url!, statusCode: 200, httpVersion: nil, headerFields: nil)!
        )
    }
}

@main
@MainActor
struct Program {
    static let server = Server()
    static let client = GatehouseClient(
        URL(string: "https://api.example.com")!, store: MemorySessionStore(), transport: server)
    static let apple = AppleSignIn(
        client, defaults: UserDefaults(suiteName: "gatehouse.stub.\(UUID().uuidString)")!)

    static func main() async throws {
        await signsIn()
        await cancelledByUser()
        await secondCall()
        await cancelledTask()
        await button()
        await revoked()
    }

    /// Waits until Apple's sheet number `count` is open.
    static func sheet(_ count: Int) async -> ASAuthorizationController {
        while ASAuthorizationController.stubStarted.count < count { await Task.yield() }
        return ASAuthorizationController.stubStarted[count - 1]
    }

    static var answer: ASAuthorization {
        let credential = ASAuthorizationAppleIDCredential(stubUser: "revoked")
        credential.identityToken = Data("token".utf8)
        credential.authorizationCode = Data("code".utf8)
        credential.fullName = PersonNameComponents()
        return ASAuthorization(stub: credential)
    }

    static func complete(_ sheet: ASAuthorizationController) {
        sheet.delegate?.authorizationController(controller: sheet, didCompleteWithAuthorization: answer)
    }

    static func fail(_ sheet: ASAuthorizationController, _ code: ASAuthorizationError.Code) {
        sheet.delegate?.authorizationController(controller: sheet, didCompleteWithError: ASAuthorizationError(code))
    }

    static func failure(_ task: Task<AppleLogin, any Error>) async -> AppleSignInError? {
        do { _ = try await task.value } catch { return error as? AppleSignInError }
        return nil
    }

    static func signsIn() async {
        let login = Task { try await apple.signIn() }
        let sheet = await sheet(1)
        let request = sheet.authorizationRequests[0] as? ASAuthorizationAppleIDRequest
        let hash = (0..<32).map { String(format: "%02x", $0) }.joined()
        expect(request?.nonce == hash && request?.requestedScopes == [.fullName, .email], "nonce and scopes")
        complete(sheet)
        expect(try? await login.value.isNewUser, true, "it signs in")
        let body = await server.requests.last?.httpBody.flatMap {
            try? JSONDecoder().decode([String: Value].self, from: $0)
        }
        expect(
            body == [
                "identityToken": .text("token"), "authorizationCode": .text("code"), "nonce": .text("n1"),
                "userIdentifier": .text("revoked"), "realUserStatus": .number(2),
            ], "the login has what Apple gave, and no empty name")
    }

    static func cancelledByUser() async {
        let login = Task { try await apple.authorize() }
        fail(await sheet(2), .canceled)
        expect(await failure(login), .cancelled, "the user's cancellation is no failure")
        let second = Task { try await apple.authorize() }
        fail(await sheet(3), .failed)
        expect(await failure(second), .apple(.failed), "Apple's failure has its code")
    }

    static func secondCall() async {
        let first = Task { try await apple.authorize() }
        let old = await sheet(4)
        let second = Task { try await apple.authorize() }
        let new = await sheet(5)
        expect(await failure(first), .cancelled, "a second call ends the first")
        expect(ASAuthorizationController.stubCancelled.last === old, "the first sheet is closed")
        complete(old)
        complete(new)
        complete(new)
        expect(try? await second.value.identityToken, "token", "late and repeated answers change nothing")
    }

    static func cancelledTask() async {
        let task = Task { try await apple.authorize() }
        let sheet = await sheet(6)
        task.cancel()
        expect(await failure(task), .cancelled, "a cancelled task does not wait for a controller that never answers")
        complete(sheet)
    }

    static func button() async {
        expect(throws: .notPrepared, "an answer without a request") { try apple.login(from: .success(answer)) }
        var challenges = apple.challenges().makeAsyncIterator()
        guard let challenge = await challenges.next() else { return expect(false, "a challenge") }
        let request = ASAuthorizationAppleIDRequest()
        apple.prepare(request, with: challenge, scopes: [.email])
        expect(request.nonce?.count == 64 && request.requestedScopes == [.email], "the button's request")
        let login = try? apple.login(from: .success(answer))
        expect(login?.nonce == challenge.nonce, "the button's login")
        expect(throws: .notPrepared, "a nonce is for one login") { try apple.login(from: .success(answer)) }
        apple.prepare(request, with: challenge)
        expect(throws: .cancelled, "the button was cancelled") {
            try apple.login(from: .failure(ASAuthorizationError(.canceled)))
        }
    }

    static func revoked() async {
        expect(await asked == 0, "the user has not been asked for")
        await apple.checkCredential()
        expect(await asked == 1, "a revoked credential is asked about")
        await client.signOut()
        _ = try? await client.signIn(with: .qq(accessToken: "token"))
        await apple.checkCredential()
        expect(await asked == 1, "a session that another provider has opened goes on")
    }

    /// How often the server was asked for the user.
    static var asked: Int {
        get async { await server.requests.count { $0.url?.path == "/api/users/me" } }
    }

    enum Value: Decodable, Equatable {
        case text(String)
        case number(Int)
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            self = try (try? .number(container.decode(Int.self))) ?? .text(container.decode(String.self))
        }
    }

    static func expect<Result: Equatable>(_ result: Result?, _ expected: Result, _ rule: String) {
        expect(result == expected, "\(rule): \(String(describing: result))")
    }

    static func expect(throws error: AppleSignInError, _ rule: String, _ body: () throws -> AppleLogin) {
        do {
            _ = try body()
            expect(false, rule)
        } catch let thrown {
            expect(thrown as? AppleSignInError == error, rule)
        }
    }

    static func expect(_ condition: Bool, _ rule: String) {
        guard !condition else { return }
        print("failed: \(rule)")
        exit(1)
    }
}
