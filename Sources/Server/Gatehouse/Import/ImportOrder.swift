/// The order in which the users of many lines are imported.
///
/// They are sorted as their ids will be, so that a transaction changes few pages of the database. A line that shares an
/// identity with an earlier one comes after all others: the first line creates the user.
package struct ImportOrder {
    /// Positions of the users.
    package let positions: [Int]

    package init(_ users: [ImportedUser]) {
        var names: Set<[UInt8]> = []
        var (first, later) = ([(key: String, position: Int)](), [Int]())
        first.reserveCapacity(users.count)
        for (position, user) in users.enumerated() {
            var isRepeated = false
            for name in user.identities.flatMap({ ImportedSoFar.names(of: $0.identity) })
            where !names.insert(name).inserted { isRepeated = true }
            if isRepeated { later.append(position) } else { first.append((user.placeKey, position)) }
        }
        first.sort { ($0.key, $0.position) < ($1.key, $1.position) }
        positions = first.map(\.position) + later
    }
}
