package import JOSE

/// The keys of one kind of token: one that signs, and others, which are believed as well.
package struct KeyRing: Sendable {
    package let current: SigningKey
    package let previous: [SigningKey]

    package init(current: SigningKey, previous: [SigningKey] = []) {
        self.current = current
        self.previous = previous
    }

    /// A ring of secrets.
    package init(secret: [UInt8], previous: [UInt8]? = nil) throws(JOSEError) {
        var older: [SigningKey] = []
        if let previous { older.append(try SigningKey(writtenSecret: previous)) }
        self.init(current: try SigningKey(writtenSecret: secret), previous: older)
    }

    var all: [SigningKey] { [current] + previous }
}
