package import Gatehouse
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
        (self.row, self.identities) = (row, identities)
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
        builder.setAttributes(metadata)
        builder.setEmail(row["email"], isVerified: isEmailVerified)
        for identity in identities { add(identity, names, to: &builder) }
        addPhone(to: &builder)
        addEmail(to: &builder)
        if row.isTrue("is_anonymous"), builder.line.identities.isEmpty { builder.lose(.anonymous) }
        return builder.finish()
    }

    /// `app_metadata`, which only the operator's servers write, without the two members that Supabase writes itself.
    private var metadata: JSONObject {
        var metadata = row["raw_app_meta_data"].flatMap { try? JSONValue(parsing: $0).object } ?? [:]
        (metadata["provider"], metadata["providers"]) = (nil, nil)
        return metadata
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

/// A row of `auth.identities`.
struct SupabaseIdentity {
    let provider: String
    let subject: String?
    let email: String?
    let isEmailVerified: Bool?

    init?(_ row: CSVTable.Row) {
        guard let provider = row["provider"] else { return nil }
        let data = row["identity_data"].flatMap { try? JSONValue(parsing: $0).object } ?? [:]
        self.provider = provider
        // Before the column provider_id, the subject was the id of the row.
        subject = row["provider_id"] ?? data["sub"]?.string ?? row["id"]
        email = data["email"]?.string.nonEmpty ?? row["email"]
        isEmailVerified = data["email_verified"]?.bool
    }
}

/// Converts the tables `auth.users` and `auth.identities` of Supabase, each as CSV with the names of its columns.
///
/// The identities are read first and held in memory, about 400 bytes each, because the rows of a user lie anywhere in them.
package struct SupabaseConversion {
    private let names: ProviderNames
    private let now: Timestamp
    private var identities: [String: [SupabaseIdentity]] = [:]
    private var identityTable = CSVTable(requiring: ["user_id", "provider"])
    private var userTable = CSVTable(requiring: SupabaseUser.columns)
    private var identityReader = CSVReader()
    private var userReader = CSVReader()
    /// The number of addresses that count as confirmed although no mail was sent to them.
    package private(set) var confirmedWithoutMail = 0

    /// - Parameter given: the names of other providers, such as `azure`, at Gatehouse.
    package init(providerNames given: [String: String] = [:], now: Timestamp) {
        names = ProviderNames(known: SupabaseUser.providers, given: given)
        self.now = now
    }

    package mutating func addIdentities(_ chunk: [UInt8]) throws {
        for record in try identityReader.read(chunk) { try addIdentity(record) }
    }

    package mutating func finishIdentities() throws {
        for record in try identityReader.finish() { try addIdentity(record) }
        try identityTable.requireColumns()
    }

    package mutating func convert(_ chunk: [UInt8], _ body: (ConvertedUser) throws -> Void) throws {
        for record in try userReader.read(chunk) { try convert(record, body) }
    }

    package mutating func finish(_ body: (ConvertedUser) throws -> Void) throws {
        for record in try userReader.finish() { try convert(record, body) }
        try userTable.requireColumns()
    }

    private mutating func addIdentity(_ record: CSVReader.Record) throws {
        guard let row = try identityTable.row(record), let user = row["user_id"],
            let identity = SupabaseIdentity(row)
        else { return }
        identities[user, default: []].append(identity)
    }

    private mutating func convert(_ record: CSVReader.Record, _ body: (ConvertedUser) throws -> Void) throws {
        guard let row = try userTable.row(record), let id = row["id"] else { return }
        let user = SupabaseUser(row, identities.removeValue(forKey: id) ?? [])
        if user.isConfirmedWithoutMail { confirmedWithoutMail += 1 }
        try body(user.converted(names, now: now))
    }
}
