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
extension GatehouseClient {
    /// The name of the key for a login. Nil where the login is not to be bound, or where no key can be kept now: a
    /// broken Keychain keeps no user from signing in.
    func keyForLogin() async -> String? {
        guard connection.prover.bindsLogins else { return nil }
        // A key whose name is not saved would be left over if this process were killed.
        guard (try? readStore()) != nil else { return nil }
        if cache.record?.nextKey == nil { changeStore { $0.nextKey = UUID().uuidString } }
        guard let name = cache.record?.nextKey, !cache.isUnsaved else { return nil }
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
