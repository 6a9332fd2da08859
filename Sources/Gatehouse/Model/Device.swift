/// Where a login came from, so that a user recognises the session later.
package struct Device: Sendable, Equatable {
    package var userAgent: String?
    package var address: String?

    package init(userAgent: String?, address: String?) {
        self.userAgent = userAgent
        self.address = address
    }

    package static let unknown = Device(userAgent: nil, address: nil)
}
