import Gatehouse
import GatehouseStore
import GatehouseTokens

/// The database was used with another `JWT_REFRESH_SECRET`.
///
/// A server with the new secret would refuse every refresh token in use, and each client would sign its user out. The
/// operator would learn of it only then, so the server does not start.
package struct UnfittingSecret: Error, Sendable {
    /// The number of keys of the identity hashes that the secret should open.
    package let unopenedCount: Int

    /// Follows the name of the setting.
    var reason: String {
        "does not fit the database: it opens none of the \(unopenedCount) keys of identity hashes there, so it did not sign "
            + "the refresh tokens in use, and every user would have to sign in again"
    }

    /// What is wrong, and what to do.
    ///
    /// - Parameter file: the file that the operator keeps the secret in; nil if it is in no file.
    package func description(file: String?) -> String {
        let name = Settings.table.keys.refreshSecret.name
        return
            "\(name) \(reason): put the secret of this database into \(file ?? name), for example from a backup, and "
            + "start the server again; if it is lost, gatehouse keys reseal --lost-secret accepts this one, and every user "
            + "signs in again"
    }
}

extension SettingSource {
    /// The file in which an operator puts this secret, for messages: systemd passes a copy of it to the service. Nil if
    /// the secret is in no file.
    package func operatorsFile(of name: String) -> String? {
        switch try? secretPlace(of: name) {
        case .file(let path) where isSetByFile(name): path
        case .text: nil
        default: credentialsFolderOfOperators.map { $0 + "/" + name.lowercased() }
        }
    }

    package var refreshSecretFile: String? { operatorsFile(of: Settings.table.keys.refreshSecret.name) }
}

extension IdentityHashes {
    /// Nil if the secrets belong to the database, or if it was never used.
    static func unfittingSecret(
        _ ring: KeyRing, in documents: any ServerStore
    ) throws(StoreFailure) -> UnfittingSecret? {
        guard let document = try documents.document(DocumentName.identityHashKeys) else { return nil }
        let hashes = IdentityHashes(document: document.content, openedBy: ring)
        return hashes.fits ? nil : UnfittingSecret(unopenedCount: hashes.unopenedCount)
    }
}
