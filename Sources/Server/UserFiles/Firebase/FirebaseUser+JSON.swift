import JSON

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
