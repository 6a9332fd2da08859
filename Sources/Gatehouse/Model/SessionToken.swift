/// What the store knows of a refresh token. Together with the signing secret it is enough to write the same token
/// again, byte for byte; without the secret it is worthless, and so is the secret without it.
package struct SessionToken: Sendable, Equatable {
    package static let randomBytes = 16

    package let generation: Int64
    package let random: [UInt8]
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp
    package let hash: [UInt8]

    package init(generation: Int64, random: [UInt8], issuedAt: Timestamp, expiresAt: Timestamp, hash: [UInt8]) {
        self.generation = generation
        self.random = random
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.hash = hash
    }
}
