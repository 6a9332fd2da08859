/// What the log says about one request: its id, and the user and session on whose behalf it was made.
///
/// A use case fills in the user and the session as soon as a token has proven them, so that the log names them also
/// when the request is refused afterwards.
package struct RequestContext: Sendable {
    package let id: String
    package private(set) var userID: UserID?
    package private(set) var sessionID: SessionID?
    /// The service that asks, or the user of this machine: a name of `ServiceAccess`.
    package private(set) var service: String?

    package init(id: String) {
        self.id = id
    }

    mutating func identify(service name: String) { service = name }

    mutating func identify(_ user: UserID, _ session: SessionID) {
        userID = user
        sessionID = session
    }
}
