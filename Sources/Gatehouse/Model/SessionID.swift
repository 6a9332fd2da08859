/// Names a session, and with it the row of its refresh token: `sess_01J…`.
package struct SessionID: Sendable, Hashable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}
