extension AuthService {
    /// The most users that one request may ask for.
    package static var mostUsers: Int { 100 }

    /// Users as they are now, in the order of the ids and each of them once. Unknown ids are left out.
    package func users(_ ids: [UserID]) throws(Refusal) -> [UserSummary] {
        var seen = Set<UserID>()
        let distinct = ids.filter { seen.insert($0).inserted }
        let found = try store.summaries(of: distinct)
        // Most requests are for one user.
        guard distinct.count > 1 else { return found }
        let byID = Dictionary(uniqueKeysWithValues: found.map { ($0.user.id, $0) })
        return distinct.compactMap { byID[$0] }
    }
}
