/// An entry of the store's log of what ended while access tokens for it were still out there.
package struct Revocation: Sendable, Equatable {
    package enum Subject: Sendable, Equatable {
        case session(SessionID)
        /// The user's role or status has changed. The standing is that of now, not of then.
        case user(UserID, Standing)
    }

    /// Entries are committed in the order of their places.
    package let place: Int64
    package let moment: Timestamp
    package let subject: Subject

    package init(place: Int64, moment: Timestamp, subject: Subject) {
        self.place = place
        self.moment = moment
        self.subject = subject
    }
}
