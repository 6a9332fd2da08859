/// The identities and ids of the users that lines before this one create, which the database does not have yet.
struct ImportedSoFar {
    private var owners: [[UInt8]: UserID] = [:]
    private var ids: Set<String> = []

    /// The facts about a user, with what earlier lines add.
    func adding(to facts: ImportFacts, of user: ImportedUser) -> ImportFacts {
        let owners = zip(user.identities, facts.owners).map { imported, owner in
            owner ?? Self.names(of: imported.identity).lazy.compactMap { self.owners[$0] }.first
        }
        let isTaken = user.id.map { ids.contains($0.text) } ?? false
        return ImportFacts(
            owners: owners, statusOfID: facts.statusOfID ?? (isTaken ? .active : nil), barredFrom: facts.barredFrom)
    }

    mutating func add(_ new: NewUser, from user: ImportedUser) {
        ids.insert(new.user.id.text)
        for imported in user.identities {
            for name in Self.names(of: imported.identity) { owners[name] = new.user.id }
        }
    }

    /// The names under which the store finds an identity. As bytes, because texts are compared by canonical equivalence.
    static func names(of identity: Identity) -> [[UInt8]] {
        let names = [
            "subject " + identity.subject, identity.transferSubject.map { "transfer " + $0 },
            identity.unionSubject.map { "union " + $0 },
        ]
        return names.compactMap(\.self).map { Array((identity.provider.rawValue + " " + $0).utf8) }
    }
}
