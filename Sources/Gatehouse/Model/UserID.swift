/// Names a user: `user_01J…`. It is only ever read from a verified token or from the store.
package struct UserID: Sendable, Hashable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}
