import Gatehouse
import JSON

/// A user of Firebase Authentication.
struct FirebaseUser {
    struct Account {
        let provider: String
        let subject: String?
        let email: String?
    }

    var uid: String?
    var email: String?
    var isEmailVerified = false
    var hasPassword = false
    var name: String?
    var photo: String?
    /// Milliseconds since 1970.
    var createdAt: String?
    var lastLoginAt: String?
    var phone: String?
    var isDisabled = false
    var accounts: [Account] = []

    /// Apple and Google give the same subject to every program of a team, and Firebase passes it on.
    static let providers = ["apple.com": "apple", "google.com": "google"]

    func converted(_ names: ProviderNames) -> ConvertedUser {
        var builder = UserBuilder(reference: uid)
        builder.line.status = (isDisabled ? UserStatus.disabled : .active).rawValue
        builder.line.createdAt = Self.time(createdAt)
        builder.line.lastLoginAt = Self.time(lastLoginAt)
        builder.setProfile(name: name, avatar: photo)
        builder.setEmail(email, isVerified: isEmailVerified)
        for account in accounts { add(account, names, to: &builder) }
        if let phone { builder.add(phone: phone) }
        addEmail(to: &builder)
        return builder.finish()
    }

    private func add(_ account: Account, _ names: ProviderNames, to builder: inout UserBuilder) {
        if ["password", "phone"].contains(account.provider) { return }
        guard let provider = names.name(of: account.provider), let subject = account.subject else {
            return builder.lose(.provider(ProviderNames.reported(account.provider)))
        }
        // Firebase says only of the user's own address whether it is verified.
        let isVerified = isEmailVerified && account.email != nil && account.email == email
        builder.add(
            provider: provider, subject: subject, email: account.email, isVerified: isVerified ? true : nil)
    }

    /// A password is replaced by codes, if the address is verified. A user for whom the file has no other way in signed in by
    /// a link in a mail, or by a provider that the export leaves out.
    private func addEmail(to builder: inout UserBuilder) {
        let signedInByMail = hasPassword || accounts.contains { $0.provider == "password" }
        guard let email else { return accounts.isEmpty && phone == nil ? builder.lose(.anonymous) : () }
        guard signedInByMail || builder.line.identities.isEmpty else { return }
        guard isEmailVerified else { return builder.lose(.passwordWithoutVerifiedEmail) }
        builder.add(verifiedEmail: email)
    }

    private static func time(_ text: String?) -> String? {
        text.flatMap { Int64($0) }.map { Timestamp(milliseconds: $0).description }
    }
}
