/// A login with Apple as it arrives: the credential, and what Apple lets the app know only the first time.
package struct AppleLogin: Sendable {
    package let credential: AppleCredential
    package var email: String?
    package var name: PersonName?
    package var nickname: String?
    package var realUserStatus: Int?

    package init(
        credential: AppleCredential, email: String? = nil, name: PersonName? = nil, nickname: String? = nil,
        realUserStatus: Int? = nil
    ) {
        self.credential = credential
        self.email = email
        self.name = name
        self.nickname = nickname
        self.realUserStatus = realUserStatus
    }
}
