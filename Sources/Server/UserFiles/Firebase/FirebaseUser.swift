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
    /// Custom claims. They are in each of the user's tokens there.
    var claims: JSONObject = [:]

    /// Apple and Google give the same subject to every program of a team, and Firebase passes it on.
    static let providers = ["apple.com": "apple", "google.com": "google"]

    func converted(_ names: ProviderNames) -> ConvertedUser {
        var builder = UserBuilder(reference: uid)
        builder.line.status = (isDisabled ? UserStatus.disabled : .active).rawValue
        builder.line.createdAt = Self.time(createdAt)
        builder.line.lastLoginAt = Self.time(lastLoginAt)
        builder.setProfile(name: name, avatar: photo)
        builder.setAttributes(claims)
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

extension FirebaseUser {
    /// A member of the array `users` that `firebase auth:export` writes, that the REST API returns (`accounts:batchGet`), or
    /// that the Admin SDK lists.
    init(_ object: JSONObject) {
        uid = object["localId"]?.string ?? object["uid"]?.string
        email = object["email"]?.string.nonEmpty
        isEmailVerified = object["emailVerified"]?.bool ?? false
        hasPassword = object["passwordHash"]?.string.nonEmpty != nil
        name = object["displayName"]?.string
        photo = object["photoUrl"]?.string ?? object["photoURL"]?.string
        createdAt = Self.number(object["createdAt"])
        lastLoginAt = Self.number(object["lastSignedInAt"] ?? object["lastLoginAt"])
        phone = object["phoneNumber"]?.string.nonEmpty
        isDisabled = object["disabled"]?.bool ?? false
        // A text of JSON, or of the Admin SDK an object.
        let custom = object["customAttributes"]?.string.flatMap { try? JSONValue(parsing: $0).object }
        claims = custom ?? object["customClaims"]?.object ?? [:]
        let accounts = object["providerUserInfo"]?.array ?? object["providerData"]?.array ?? []
        self.accounts = accounts.compactMap(\.object).compactMap { account in
            guard let provider = account["providerId"]?.string else { return nil }
            let subject = account["rawId"] ?? account["uid"]
            return Account(
                provider: provider, subject: subject?.string.nonEmpty, email: account["email"]?.string.nonEmpty)
        }
    }

    /// Firebase writes numbers of 64 bits as texts.
    private static func number(_ value: JSONValue?) -> String? { value?.string ?? value?.integer.map { String($0) } }
}

extension String? {
    var nonEmpty: String? { self?.isEmpty == false ? self : nil }
}

/// Converts a file of `firebase auth:export` in JSON. Its CSV is refused: it escapes neither quotes nor line ends, so that a
/// user's name can write columns and rows.
package struct FirebaseConversion {
    package enum Fault: Error, Sendable, Equatable {
        case empty
        case notJSON
        /// The document ends within a user, or has no array of users.
        case unfinished
        case longUser
        /// The number of the user, from 1.
        case invalid(Int)
    }

    private let names: ProviderNames
    private var splitter = ObjectSplitter()
    private var hasBegun = false
    private var count = 0

    /// - Parameter given: the names of other providers, such as `facebook.com`, at Gatehouse.
    package init(providerNames given: [String: String] = [:]) {
        names = ProviderNames(known: FirebaseUser.providers, given: given)
    }

    package mutating func convert(_ chunk: [UInt8], _ body: (ConvertedUser) throws -> Void) throws {
        if !hasBegun { try requireJSON(chunk) }
        // Not used in place: the body is a method of the conversion.
        var splitter = splitter
        do { try splitter.split(chunk) { try convert(object: $0, body) } } catch ObjectSplitter.Fault.longObject {
            throw Fault.longUser
        }
        self.splitter = splitter
    }

    package func finish() throws(Fault) {
        guard hasBegun else { throw .empty }
        do throws(ObjectSplitter.Fault) { try splitter.finish() } catch { throw .unfinished }
    }

    /// The first character that is no white space decides.
    private mutating func requireJSON(_ chunk: [UInt8]) throws(Fault) {
        let start = chunk.starts(with: [0xEF, 0xBB, 0xBF]) ? chunk.dropFirst(3) : chunk[...]
        guard let first = start.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { return }
        guard [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(first) else { throw .notJSON }
        hasBegun = true
    }

    private mutating func convert(object bytes: [UInt8], _ body: (ConvertedUser) throws -> Void) throws {
        count += 1
        guard let object = try? JSONValue(parsing: bytes).object else { throw Fault.invalid(count) }
        try body(FirebaseUser(object).converted(names))
    }
}
