/// Tells whether an object under construction already has a name.
///
/// Small objects are searched; past a handful of members a hash table takes over, lest a body of many thousand
/// members cost its square in comparisons. Hashing is seeded per process, so nobody can aim for collisions.
struct JSONNameSet {
    private static let searchLimit = 16
    private var hashed: Set<[UInt8]> = []

    /// False where `members` has the name already.
    mutating func insert(_ name: String, besides members: [(name: String, value: JSONValue)]) -> Bool {
        guard members.count >= Self.searchLimit else {
            return !members.contains { $0.name.isIdentical(to: name) }
        }
        if hashed.isEmpty { hashed = Set(members.map { Array($0.name.utf8) }) }
        return hashed.insert(Array(name.utf8)).inserted
    }
}
