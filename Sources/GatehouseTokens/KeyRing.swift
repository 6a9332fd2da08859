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
    package init(secret: [UInt8], previous: [[UInt8]] = []) throws(JOSEError) {
        var older: [SigningKey] = []
        for secret in previous { older.append(try SigningKey(writtenSecret: secret)) }
        self.init(current: try SigningKey(writtenSecret: secret), previous: older)
    }

    var all: [SigningKey] { [current] + previous }
}
