/// Apple's endpoint for moving users to another developer team.
package protocol AppleMigration: Sendable {
    /// With the credentials of the former team.
    ///
    /// - Parameters:
    ///   - team: the one that gets the app.
    ///   - clientID: the bundle id or Services ID of the app.
    func transferSubject(
        of subject: String, to team: String, for clientID: String, now: Timestamp
    ) throws(AppleMigrationFault) -> String

    /// With the credentials of the team that got the app.
    func subject(
        of transferSubject: String, for clientID: String, now: Timestamp
    ) throws(AppleMigrationFault) -> MigratedSubject
}

/// How the team that got the app sees a user.
package struct MigratedSubject: Sendable, Equatable {
    package let subject: String
    /// The new relay address; nil for a user who has shared their own address, which stays.
    package let email: String?
    package let isPrivateEmail: Bool?

    package init(subject: String, email: String? = nil, isPrivateEmail: Bool? = nil) {
        self.subject = subject
        self.email = email
        self.isPrivateEmail = isPrivateEmail
    }
}

package enum AppleMigrationFault: Error, Sendable, Equatable {
    /// `invalid_request`: Apple does not move this user, or not between these teams.
    case userRefused
    /// The credentials are refused, with Apple's word for it: no other user can be asked about.
    case credentialsRefused(String)
    /// No answer, or one that cannot be read: a later attempt may succeed. The text has no secret and no address.
    case unavailable(String)
}
