import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The key of a session, from the login to its end.
///
/// The session store names each key, so a process may be killed at any point:
///
/// 1. Before a login, `nextKey` is saved; then the key is made; then the request is sent. A process that is killed here
///    leaves a key that the next login uses.
/// 2. The answer of the login is saved in one step with the key's name as the session's, and without `nextKey`.
/// 3. A session that ends, or a logout that has been delivered, is saved in one step with the key's name in `oldKeys`;
///    then the key is deleted; then the name is. The next process repeats what has not been done.
///
/// A guest signs in by the key alone. So guests have one key, with a name of its own, which is never deleted.
extension GatehouseClient {
    /// The name of the key for a login. Nil where the login is not to be bound, or where no key can be kept now: a
    /// broken Keychain keeps no user from signing in.
    func keyForLogin(by provider: Provider) async -> String? {
        guard connection.prover.bindsLogins else { return nil }
        if provider == .guest { return await preparedKey(Record.guestKey) }
        // A key whose name is not saved would be left over if this process were killed.
        guard (try? readStore()) != nil else { return nil }
        if cache.record?.nextKey == nil { changeStore { $0.nextKey = UUID().uuidString } }
        guard let name = cache.record?.nextKey, !cache.isUnsaved else { return nil }
        return await preparedKey(name)
    }

    private func preparedKey(_ name: String) async -> String? {
        do {
            try await connection.prover.prepareKey(name)
            return name
        } catch {
            report(error)
            return nil
        }
    }

    /// Signs out if the session's key is gone, for example because the session was restored from a backup of another
    /// device.
    func checkKey() async {
        guard let session = cache.session, let key = session.key else { return }
        do throws(StoreUnavailable) {
            try await connection.prover.findKey(key)
        } catch {
            if error == .unreadable { _ = loseKey(of: session) }
        }
    }

    /// Another process may have ended the session and deleted its key, which is no loss.
    func loseKey(of session: StoredSession) -> GatehouseError {
        do { try readStore() } catch { return .storeUnavailable(error) }
        guard let present = cache.session, present.login == session.login else {
            return cache.session == nil ? .signedOut(signOutReason) : .superseded
        }
        signOutReason = .deviceKeyLost
        endRenewal(.failure(.signedOut(.deviceKeyLost)))
        changeStore { $0.session = nil }
        publish()
        return .signedOut(.deviceKeyLost)
    }

    /// Deletes the keys that nothing needs any more. A login under way may still need one of them.
    func deleteOldKeys() {
        guard !cache.isUnsaved, loginsUnderWay == 0, let names = cache.record?.oldKeys else { return }
        do throws(StoreUnavailable) {
            for name in names { try connection.prover.deleteKey(name) }
            try cache.change { record in
                record.oldKeys?.removeAll(where: names.contains)
                if record.oldKeys?.isEmpty == true { record.oldKeys = nil }
            }
        } catch {
            // The names stay, and the next change of the store tries again.
        }
    }
}

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The check that a proof failed, with ``ProblemCode/invalidDPoPProof``. Servers may add values.
public struct ProofReason: RawRepresentable, Codable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let missing = ProofReason(rawValue: "missing")
    public static let malformed = ProofReason(rawValue: "malformed")
    public static let algorithm = ProofReason(rawValue: "algorithm")
    public static let signature = ProofReason(rawValue: "signature")
    public static let method = ProofReason(rawValue: "method")
    public static let url = ProofReason(rawValue: "url")
    public static let expired = ProofReason(rawValue: "expired")
    public static let notYetValid = ProofReason(rawValue: "not_yet_valid")
    public static let replayed = ProofReason(rawValue: "replayed")
    public static let nonce = ProofReason(rawValue: "nonce")
    public static let accessToken = ProofReason(rawValue: "access_token")
    public static let key = ProofReason(rawValue: "key")

    /// Whether the clock of the device may be wrong.
    var isOfTime: Bool { self == .expired || self == .notYetValid }

    /// Whether the server would refuse every other proof as well: it has another address than the app knows, or does
    /// not understand the proofs of this library. That keeps no user from signing in.
    var isOfEveryProof: Bool { [.url, .method, .malformed, .algorithm, .signature].contains(self) }
}

extension Problem {
    /// With ``ProblemCode/invalidDPoPProof``.
    public var proofReason: ProofReason? {
        code == .invalidDPoPProof ? reason.map { ProofReason(rawValue: $0.rawValue) } : nil
    }
}

/// An answer 401 that refuses the proof.
struct ProofRefusal {
    /// Nil if the answer does not say it, such as one of a service that verifies proofs itself.
    let reason: ProofReason?

    /// Whether a request without a proof was refused because it had none.
    static func demandsProof(_ answer: (data: Data, response: HTTPURLResponse)) -> Bool {
        guard answer.response.statusCode == 401 else { return false }
        return isDemand(answer.response.value(forHTTPHeaderField: "WWW-Authenticate"))
            || Problem(answer.data, status: 401, retryAfter: nil)?.code == .invalidDPoPProof
    }

    /// - Parameter challenge: the header `WWW-Authenticate`.
    static func isDemand(_ challenge: String?) -> Bool { challenge?.lowercased().hasPrefix("dpop") == true }

    init?(_ answer: (data: Data, response: HTTPURLResponse)) {
        guard answer.response.statusCode == 401 else { return nil }
        let challenge = answer.response.value(forHTTPHeaderField: "WWW-Authenticate") ?? ""
        if let problem = Problem(answer.data, status: 401, retryAfter: nil), problem.code == .invalidDPoPProof,
            let reason = problem.proofReason
        {
            self.reason = reason
        } else if challenge.contains("use_dpop_nonce") {
            reason = .nonce
        } else if challenge.contains("invalid_dpop_proof") {
            reason = nil
        } else {
            return nil
        }
    }
}

extension GatehouseError {
    /// Whether the key of a session can never prove anything again, or the server has refused it for ever.
    ///
    /// - Parameter key: the one that was used. A server that misses a proof has bound the session; a version of this
    ///   library that knows no keys has saved it since.
    func isOfLostKey(_ key: String?) -> Bool {
        switch self {
        case .storeUnavailable(.unreadable): key != nil
        case .refused(let problem) where problem.status == 401:
            problem.proofReason == .key || (problem.proofReason == .missing && key == nil)
        default: false
        }
    }
}
