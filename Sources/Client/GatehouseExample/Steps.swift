import Foundation
import GatehouseClient

/// The steps of the example. It prints no token.
struct Steps {
    private let options: Options
    private let network: Network
    private let client: GatehouseClient

    init(_ options: Options) {
        self.options = options
        network = Network(certificates: options.certificates)
        let store: any SessionStore =
            options.store.map { FileSessionStore(file: URL(fileURLWithPath: $0)) } ?? MemorySessionStore()
        client = GatehouseClient(options.url, store: store, transport: network)
    }

    func run() async throws(Failure) {
        let failures = Task { [client] in
            for await failure in client.storeFailures { print("   the session is not saved. \(failure)") }
        }
        defer { failures.cancel() }
        do {
            if try await isRestored() == false { try await signIn() }
            try await showUser()
            try await loseAnswer()
            try await end()
        } catch let error as GatehouseError {
            throw Failure(error, from: options.url)
        } catch WebSignInError.gatehouse(let error) {
            throw Failure(error, from: options.url)
        } catch let error as WebSignInError {
            throw Failure(.refused, error.description)
        } catch {
            throw error as? Failure ?? Failure(.failed, "\(error)")
        }
    }

    private func isRestored() async throws -> Bool {
        print("1. Restore the session from \(options.store ?? "memory")")
        switch try await client.restore() {
        case .signedIn(let session):
            print("   \(session.user.id) is still signed in: no login is needed, and no request was sent")
            return true
        case .signedOut:
            print("   no user is signed in")
            return false
        case .unknown(let reason): throw GatehouseError.storeUnavailable(reason)
        }
    }

    private func signIn() async throws {
        if let provider = options.web { return try await signIn(onTheWeb: provider) }
        print("2. Sign in with Apple: get a nonce, have the fake Apple put it into an identity token, send the token")
        let challenge = try await client.challenge()
        let login = try await FakeApple(url: options.appleURL).login(nonce: challenge.nonce)
        show(try await client.signIn(apple: login))
    }

    /// As a program on the user's computer does it, which waits at a loopback address for the browser.
    private func signIn(onTheWeb provider: String) async throws {
        let listener = try LoopbackListener()
        let webSignIn = try client.webSignIn(with: Provider(provider), redirectURI: listener.redirectURI)
        print("2. Sign in in a browser. Open this address:\n   \(webSignIn.url.absoluteString)")
        // Otherwise it is not seen where the output is not a terminal.
        fflush(nil)
        while true {
            do {
                return show(try await client.signIn(completing: webSignIn, with: listener.next()))
            } catch WebSignInError.invalidAnswer {
                print("   another page has opened \(listener.redirectURI); the answer is still awaited")
            }
        }
    }

    private func show(_ session: Session) {
        print("   signed in as \(session.user.id), \(session.isNewUser ? "a new user" : "who has signed in before")")
    }

    private func showUser() async throws {
        print("3. Show the user")
        let user = try await client.user()
        print("   \(user.nickname ?? "no nickname"), \(user.email ?? "no email address"), \(user.role.rawValue)")
    }

    private func loseAnswer() async throws {
        print("4. Refresh the tokens, and lose the answer: the client repeats the request")
        let old = try await client.accessToken()
        await network.loseNextAnswer()
        let new = try await client.accessToken(replacing: old)
        guard new != old else { throw Failure(.failed, "the access token was not replaced") }
        print("5. Show the user with the new access token: the lost answer did not end the session")
        _ = try await client.user()
    }

    private func end() async throws {
        if options.keep {
            guard let store = options.store, try FileSessionStore(file: URL(fileURLWithPath: store)).load() != nil
            else {
                throw Failure(.failed, "the session could not be saved: choose another --store")
            }
            return print("6. Stay signed in: the next run with the same --store goes on from here")
        }
        print("6. Sign out")
        switch await client.signOut() {
        case .delivered: print("   the server has ended the session")
        case .queued: print("   signed out here; the server does not answer and is told later")
        }
    }
}
