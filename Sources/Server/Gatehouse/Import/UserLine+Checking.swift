extension UserLine {
    /// The user of the line.
    package func checked(by rules: ImportRules) throws(LineFaults) -> ImportedUser {
        var check = LineCheck(rules)
        let identities = check.identities(of: self)
        let (address, isVerified) = address(among: identities.map(\.identity), &check)
        let user = ImportedUser(
            id: check.id(id), reference: check.text(reference, "ref", atMost: ImportRules.longestReference),
            identities: identities, email: address, emailVerified: isVerified,
            nickname: check.text(nickname, "nickname", atMost: ImportRules.longestName),
            avatarURL: check.avatar(avatarURL), role: check.role(role), status: check.status(status),
            onboardingCompleted: onboardingCompleted ?? false,
            createdAt: check.time(createdAt, "createdAt") ?? rules.now,
            lastLoginAt: check.time(lastLoginAt, "lastLoginAt"))
        guard check.faults.isEmpty else { throw LineFaults(check.faults) }
        return user
    }

    /// The user's address and whether it is verified. A line that does not say gets the first address of its identities, and
    /// of several the first that its provider has verified.
    private func address(among identities: [Identity], _ check: inout LineCheck) -> (String?, isVerified: Bool) {
        guard let email else {
            let source = identities.first(where: \.hasVerifiedEmail) ?? identities.first { $0.email != nil }
            if emailVerified == true, source?.hasVerifiedEmail != true {
                check.reject("emailVerified", "must not be true without email")
            }
            return (source?.email, source?.hasVerifiedEmail ?? false)
        }
        guard let address = check.address(email, "email") else {
            if email?.trimmedOrNil == nil, emailVerified == true {
                check.reject("emailVerified", "must not be true without email")
            }
            return (nil, false)
        }
        let source = identities.first { $0.email?.isSameAddress(as: address) == true }
        return (address, emailVerified ?? source?.hasVerifiedEmail ?? false)
    }
}
