import Foundation

#if canImport(AuthenticationServices) && !os(watchOS) && !os(tvOS)
    import AuthenticationServices
#endif

/// Tells the password managers of the device what the server knows of passkeys, from iOS 26 on. Elsewhere it does nothing.
///
/// They may ignore it, and a failure changes nothing that the app depends on, so it is not reported.
enum PasskeySignals {
    static var areSupported: Bool {
        #if canImport(AuthenticationServices) && !os(watchOS) && !os(tvOS)
            if #available(iOS 26.0, macOS 26.0, visionOS 26.0, *) { return true }
        #endif
        return false
    }

    /// - Parameter party: the id of the relying party.
    static func reportUnknown(_ credential: String, of party: String?) async {
        #if canImport(AuthenticationServices) && !os(watchOS) && !os(tvOS)
            guard #available(iOS 26.0, macOS 26.0, visionOS 26.0, *), let party, let id = Data(base64URL: credential)
            else { return }
            try? await ASCredentialUpdater().reportUnknownPublicKeyCredential(
                relyingPartyIdentifier: party, credentialID: id)
        #endif
    }

    /// The passkeys that the server accepts, and the user's name.
    static func report(_ list: PasskeyList) async {
        #if canImport(AuthenticationServices) && !os(watchOS) && !os(tvOS)
            guard #available(iOS 26.0, macOS 26.0, visionOS 26.0, *), let party = list.rpId, let user = list.user,
                let handle = Data(base64URL: user.id)
            else { return }
            // An id that cannot be read would be missing in the list, and its passkey would be hidden.
            let ids = list.passkeys.compactMap { Data(base64URL: $0.credentialId) }
            guard ids.count == list.passkeys.count else { return }
            let updater = ASCredentialUpdater()
            try? await updater.reportAllAcceptedPublicKeyCredentials(
                relyingPartyIdentifier: party, userHandle: handle, acceptedCredentialIDs: ids)
            try? await updater.reportPublicKeyCredentialUpdate(
                relyingPartyIdentifier: party, userHandle: handle, newName: user.name)
        #endif
    }
}
