import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a request is authorised by.
struct Credentials: Sendable {
    var token: Token?
    /// The name of the key that the session is bound to.
    var key: String?
}

/// Makes the proofs of bound sessions, and remembers what each server demands of them.
///
/// Its asynchronous methods run on no actor: a signature of the Secure Enclave takes some milliseconds.
final class Prover: Sendable {
    private struct State {
        /// The key that was used last.
        var key: (name: String, key: any DeviceKey)?
        var servers: [Origin: Server] = [:]
    }

    private struct Server {
        var nonce: String?
        var demandsProofs = false
        /// The server's clock minus the one of this device, once the server has refused a proof for its time.
        var offset: TimeInterval = 0
    }

    let bindsLogins: Bool
    private let keys: (any DeviceKeyStore)?
    private let clock: ClientClock
    private let state = Locked(State())

    init(_ binding: SessionBinding, store: any SessionStore, clock: ClientClock) {
        keys = binding.keys ?? store.deviceKeys
        bindsLogins = binding.bindsLogins && keys != nil
        self.clock = clock
    }

    // MARK: Keys

    /// Has a key of this name for a login: one that a login before did not use up, or a new one. It has signed once, so
    /// that a key that cannot sign keeps no user from signing in.
    @concurrent func prepareKey(_ name: String) async throws(StoreUnavailable) {
        let keys = try store()
        try state.withLock { state in
            Result { () throws(StoreUnavailable) in state.key = (name, try Self.usableKey(name, keys)) }
        }.get()
    }

    private static func usableKey(
        _ name: String, _ keys: any DeviceKeyStore
    ) throws(StoreUnavailable) -> any DeviceKey {
        do throws(StoreUnavailable) {
            if let key = try keys.key(name) {
                _ = try key.signature(for: Data())
                return key
            }
        } catch {
            guard error == .unreadable else { throw error }
            try keys.deleteKey(name)
        }
        let key = try keys.makeKey(name)
        _ = try key.signature(for: Data())
        return key
    }

    /// Throws ``StoreUnavailable/unreadable`` if there is no such key any more.
    @concurrent func findKey(_ name: String) async throws(StoreUnavailable) { _ = try await key(name) }

    func deleteKey(_ name: String) throws(StoreUnavailable) {
        try store().deleteKey(name)
        state.withLock { if $0.key?.name == name { $0.key = nil } }
    }

    private func key(_ name: String) async throws(StoreUnavailable) -> any DeviceKey {
        if let key = try storedKey(name) { return key }
        // A lost key ends the session, so a Keychain that does not find it once is asked again.
        do { try await clock.sleep(.seconds(1)) } catch { throw .failed("the key was not found at once") }
        guard let key = try storedKey(name) else { throw .unreadable }
        return key
    }

    private func storedKey(_ name: String) throws(StoreUnavailable) -> (any DeviceKey)? {
        let keys = try store()
        return try state.withLock { state in
            Result { () throws(StoreUnavailable) in
                if let known = state.key, known.name == name { return known.key }
                guard let key = try keys.key(name) else { return nil }
                state.key = (name, key)
                return key
            }
        }.get()
    }

    private func store() throws(StoreUnavailable) -> any DeviceKeyStore {
        guard let keys else { throw .failed("it is bound to a key, and the client has no device keys") }
        return keys
    }

    // MARK: Proofs

    /// The request with a proof of its own.
    @concurrent func authorise(
        _ request: URLRequest, _ key: String, _ token: Token?
    ) async throws(GatehouseError) -> URLRequest {
        do throws(StoreUnavailable) {
            let deviceKey = try await self.key(key)
            let server = request.url.flatMap(Origin.init).flatMap { origin in state.withLock { $0.servers[origin] } }
            let proof = DPoPProof(
                request,
                tokenHash: try token.map { token throws(StoreUnavailable) in
                    try store().sha256(Data(token.text.utf8))
                }, nonce: server?.nonce, date: clock.date().addingTimeInterval(server?.offset ?? 0))
            var request = request
            request.setValue(try proof.signed(with: deviceKey), forHTTPHeaderField: "DPoP")
            if let token { request.setValue("DPoP \(token.text)", forHTTPHeaderField: "Authorization") }
            return request
        } catch {
            throw .storeUnavailable(error)
        }
    }

    /// Keeps the nonce that the server demands in the next proof.
    func keepNonce(of answer: HTTPURLResponse) {
        guard let url = answer.url, let nonce = answer.value(forHTTPHeaderField: "DPoP-Nonce") else { return }
        keep(nonce: nonce, of: url)
    }

    func keep(nonce: String, of url: URL) {
        guard let origin = Origin(url) else { return }
        state.withLock { $0.servers[origin, default: Server()].nonce = nonce }
    }

    /// Whether this origin has demanded proofs.
    func isDemanded(by origin: Origin) -> Bool { state.withLock { $0.servers[origin]?.demandsProofs == true } }

    func demandProofs(of url: URL?) {
        guard let origin = url.flatMap(Origin.init) else { return }
        state.withLock { $0.servers[origin, default: Server()].demandsProofs = true }
    }

    /// Whether another proof may be accepted where this one was refused.
    func adapt(to refusal: ProofRefusal, _ answer: HTTPURLResponse) -> Bool {
        switch refusal.reason {
        case .nonce: answer.value(forHTTPHeaderField: "DPoP-Nonce") != nil
        case .expired, .notYetValid: setOffset(by: answer)
        case .replayed: true
        case nil:
            // Any of these may be the cause.
            setOffset(by: answer) || true
        default: false
        }
    }

    private func setOffset(by answer: HTTPURLResponse) -> Bool {
        guard let origin = answer.url.flatMap(Origin.init),
            let date = answer.value(forHTTPHeaderField: "Date").flatMap(Self.date)
        else { return false }
        let offset = date.timeIntervalSince(clock.date())
        state.withLock { $0.servers[origin, default: Server()].offset = offset }
        return true
    }

    /// The server refused a proof although it had the server's time.
    func forgetOffset(of answer: HTTPURLResponse) {
        guard let origin = answer.url.flatMap(Origin.init) else { return }
        state.withLock { $0.servers[origin]?.offset = 0 }
    }

    /// The time of a header (RFC 9110, section 5.6.7).
    private static func date(_ text: String) -> Date? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.date(from: text)
    }
}
