/// Detects duplicate names while an object is parsed.
///
/// Small objects are searched linearly. Larger ones use a hash table, so that the time is not quadratic for thousands
/// of members. Hashing is seeded per process, so a client cannot cause collisions.
struct JSONNameSet {
    private static let searchLimit = 16
    private var hashed: Set<[UInt8]> = []

    /// False if `members` already contains the name.
    mutating func insert(_ name: String, besides members: [(name: String, value: JSONValue)]) -> Bool {
        guard members.count >= Self.searchLimit else {
            return !members.contains { $0.name.isIdentical(to: name) }
        }
        if hashed.isEmpty { hashed = Set(members.map { Array($0.name.utf8) }) }
        return hashed.insert(Array(name.utf8)).inserted
    }
}
