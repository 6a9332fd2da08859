import OpenSSL

/// What each setting said when it was read, so that two readings can be compared and no secret is kept for that.
struct SettingDigests: Sendable, Equatable {
    private var digests: [String: [UInt8]] = [:]

    mutating func note(_ name: String, _ text: String?) {
        digests[name] = text.map { SHA256.hash(Array($0.utf8)) }
    }

    /// The settings that another reading found otherwise.
    func changes(to other: SettingDigests) -> Set<String> {
        Set(digests.keys).union(other.digests.keys).filter { digests[$0] != other.digests[$0] }
    }
}
