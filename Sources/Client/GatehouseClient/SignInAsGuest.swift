import Foundation

/// Guests: users without an account, for an app that lets people try before they sign in.
extension GatehouseClient {
    /// Signs in as a guest, without asking the user for anything.
    ///
    /// Where the device has keys, the guest has one that stays on it, also when the session ends and, where the Keychain does,
    /// when the app is installed again: the next call signs in as the same guest. When the guest has become a user, the next
    /// call makes a new one.
    ///
    /// To sign a guest in, link an account to the guest: ``link(_:onTaken:)``, ``link(code:for:onTaken:replacing:)`` or a
    /// passkey. The guest becomes a user with the same id. ``signIn(with:)`` signs in as another user instead.
    ///
    /// - Throws: ``ProblemCode/unknownProvider`` if the server has no guests.
    @discardableResult
    public func continueAsGuest(nickname: String? = nil) async throws(GatehouseError) -> Session {
        struct Body: Encodable { let nickname: String? }
        let body = try? JSONEncoder().encode(Body(nickname: nickname))
        return try await signIn(LoginRequest(path: "auth/guest", body: body, provider: .guest, code: nil))
    }

    /// Lets the user sign in with this account at the provider as well, or signs the other user in who has it.
    ///
    /// - Parameter onTaken: what becomes of an account of another user. Only a guest joins that user.
    @discardableResult
    public func link(
        _ login: ProviderLogin, onTaken: TakenAddress
    ) async throws(GatehouseError) -> LinkResult {
        let origin: CodeOrigin? = login.isUsedOnce ? .provider : nil
        return try await link(login.linkBody, login.provider, onTaken: onTaken, codeOrigin: origin)
    }
}
