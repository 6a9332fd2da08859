import Foundation
import GatehouseClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The fake Apple of `deploy/run`. In an app, `AppleSignIn` asks Apple.
struct FakeApple {
    let url: URL

    /// What Apple would give to the app for this nonce. It is always the same user.
    func login(nonce: String) async throws(Failure) -> AppleLogin {
        var request = URLRequest(url: url.appendingPathComponent("mint"))
        request.httpMethod = "POST"
        request.httpBody = try? JSONEncoder().encode([
            "sub": "gatehouse-example", "email": "example@example.com", "givenName": "Ann", "familyName": "Example",
            "nonce": nonce,
        ])
        let data: Data
        do {
            data = try await URLSessionTransport().send(request).0
        } catch {
            throw Failure((error as? URLError)?.code ?? .unknown, from: url)
        }
        guard let minted = try? JSONDecoder().decode(Minted.self, from: data) else {
            throw Failure(.failed, "\(url.absoluteString) is not the fake Apple: give --apple-url")
        }
        return minted.login(nonce: nonce)
    }

    private struct Minted: Decodable {
        struct Name: Decodable { let givenName, familyName: String? }

        let identityToken: String
        let authorizationCode: String?
        let userIdentifier: String?
        let fullName: Name?

        func login(nonce: String) -> AppleLogin {
            var login = AppleLogin(identityToken: identityToken, nonce: nonce, authorizationCode: authorizationCode)
            login.userIdentifier = userIdentifier
            login.fullName = fullName.map { AppleLogin.Name(givenName: $0.givenName, familyName: $0.familyName) }
            return login
        }
    }
}
