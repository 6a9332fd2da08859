import Gatehouse
import JSON

/// A row of `auth.users`.
struct SupabaseUser {
    private let row: CSVTable.Row
    private let identities: [SupabaseIdentity]

    /// The columns that every version of Supabase Auth has.
    static let columns = ["id", "email"]

    /// `auth.identities.provider_id` is the subject that the provider gives.
    static let providers = ["apple": "apple", "google": "google"]

    init(_ row: CSVTable.Row, _ identities: [SupabaseIdentity]) {
        self.row = row
        self.identities = identities
    }

    private var isEmailVerified: Bool { row["email"] != nil && row["email_confirmed_at"] != nil }

    /// Whether Supabase counts the address as confirmed although no mail with a link was sent to it.
    var isConfirmedWithoutMail: Bool {
        isEmailVerified && row["confirmation_sent_at"] == nil && identities.contains { $0.provider == "email" }
    }

    func converted(_ names: ProviderNames, now: Timestamp) -> ConvertedUser {
        guard row["deleted_at"] == nil else {
            return ConvertedUser(reference: row["id"], line: nil, losses: [.deleted])
        }
        var builder = UserBuilder(reference: row["id"])
        builder.line.status = (isBanned(now) ? UserStatus.disabled : .active).rawValue
        builder.line.createdAt = time("created_at")
        builder.line.lastLoginAt = time("last_sign_in_at")
        let profile = row["raw_user_meta_data"].flatMap { try? JSONValue(parsing: $0).object } ?? [:]
        builder.setProfile(
            name: ["full_name", "name", "user_name"].lazy.compactMap { profile[$0]?.string.nonEmpty }.first,
            avatar: profile["avatar_url"]?.string ?? profile["picture"]?.string)
        builder.setEmail(row["email"], isVerified: isEmailVerified)
        for identity in identities { add(identity, names, to: &builder) }
        addPhone(to: &builder)
        addEmail(to: &builder)
        if row.isTrue("is_anonymous"), builder.line.identities.isEmpty { builder.lose(.anonymous) }
        return builder.finish()
    }

    private func add(_ identity: SupabaseIdentity, _ names: ProviderNames, to builder: inout UserBuilder) {
        if ["email", "phone"].contains(identity.provider) { return }
        if identity.provider.hasPrefix("sso:") { return builder.lose(.sso) }
        guard let provider = names.name(of: identity.provider), let subject = identity.subject else {
            return builder.lose(.provider(ProviderNames.reported(identity.provider)))
        }
        builder.add(
            provider: provider, subject: subject, email: identity.email, isVerified: identity.isEmailVerified)
    }

    /// Supabase stores numbers without the plus.
    private func addPhone(to builder: inout UserBuilder) {
        guard let number = row["phone"] else { return }
        guard row["phone_confirmed_at"] != nil else { return builder.lose(.phoneNotVerified) }
        builder.add(phone: number.hasPrefix("+") ? number : "+" + number)
    }

    /// A password or a link in a mail is replaced by codes, if the address is verified.
    private func addEmail(to builder: inout UserBuilder) {
        let signsInByMail = identities.contains { $0.provider == "email" }
        guard let email = row["email"], signsInByMail || identities.isEmpty else { return }
        guard !row.isTrue("is_sso_user") else { return builder.lose(.sso) }
        guard isEmailVerified else { return builder.lose(.passwordWithoutVerifiedEmail) }
        builder.add(verifiedEmail: email)
    }

    private func isBanned(_ now: Timestamp) -> Bool {
        guard let text = row["banned_until"] else { return false }
        return Timestamp(imported: text).map { $0 > now } ?? true
    }

    private func time(_ column: String) -> String? {
        row[column].flatMap(Timestamp.init(imported:))?.description
    }
}
