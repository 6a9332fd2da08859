package import Gatehouse

/// Converts the tables `auth.users` and `auth.identities` of Supabase, each as CSV with the names of its columns.
///
/// The identities are read first and held in memory, about 400 bytes each, because the rows of a user lie anywhere in them.
package struct SupabaseConversion {
    private let names: ProviderNames
    private let now: Timestamp
    private var identities: [String: [SupabaseIdentity]] = [:]
    private var identityTable = CSVTable(requiring: ["user_id", "provider"])
    private var userTable = CSVTable(requiring: SupabaseUser.columns)
    private var identityReader = CSVReader()
    private var userReader = CSVReader()
    /// The number of addresses that count as confirmed although no mail was sent to them.
    package private(set) var confirmedWithoutMail = 0

    /// - Parameter given: the names of other providers, such as `azure`, at Gatehouse.
    package init(providerNames given: [String: String] = [:], now: Timestamp) {
        names = ProviderNames(known: SupabaseUser.providers, given: given)
        self.now = now
    }

    package mutating func addIdentities(_ chunk: [UInt8]) throws {
        for record in try identityReader.read(chunk) { try addIdentity(record) }
    }

    package mutating func finishIdentities() throws {
        for record in try identityReader.finish() { try addIdentity(record) }
        try identityTable.requireColumns()
    }

    package mutating func convert(_ chunk: [UInt8], _ body: (ConvertedUser) throws -> Void) throws {
        for record in try userReader.read(chunk) { try convert(record, body) }
    }

    package mutating func finish(_ body: (ConvertedUser) throws -> Void) throws {
        for record in try userReader.finish() { try convert(record, body) }
        try userTable.requireColumns()
    }

    private mutating func addIdentity(_ record: CSVReader.Record) throws {
        guard let row = try identityTable.row(record), let user = row["user_id"],
            let identity = SupabaseIdentity(row)
        else { return }
        identities[user, default: []].append(identity)
    }

    private mutating func convert(_ record: CSVReader.Record, _ body: (ConvertedUser) throws -> Void) throws {
        guard let row = try userTable.row(record), let id = row["id"] else { return }
        let user = SupabaseUser(row, identities.removeValue(forKey: id) ?? [])
        if user.isConfirmedWithoutMail { confirmedWithoutMail += 1 }
        try body(user.converted(names, now: now))
    }
}
