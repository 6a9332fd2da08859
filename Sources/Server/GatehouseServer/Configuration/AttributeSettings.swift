package import Gatehouse

/// Attributes of users, and roles of the operator's own.
package struct AttributeSettings: Sendable {
    let names = Setting(
        "TOKEN_ATTRIBUTES", .attributeNames, "Names of attributes whose values access tokens contain.",
        details: """
            Users see them, and guarded services get each in a header: [Attributes](Attributes.md). Run `gatehouse-nginx` after a \
            change. All nodes need the same list.
            """)
    let roles = Setting(
        "ROLES", .roles, "Names of roles of your own, beside USER, ADMIN and SUPER_ADMIN.",
        details: """
            A user has those that the list in their attribute `roles` names, which access tokens then contain. A location of \
            nginx can demand one: [Attributes](Attributes.md#roles-of-your-own).
            """)
    static let mostNames = 16
    /// nginx refuses names of variables beyond the size of its table's buckets: `gatehouse_attribute_` and 26 bytes.
    static let longestName = 26
    static let mostRoles = 64
}

extension SettingReader<Settings> {
    /// Adds a fault if the list has `roles` in another case: both would be one header.
    mutating func attributePolicy() -> AttributePolicy {
        let policy = AttributePolicy(
            listed: self[\.attributes.names] ?? [], roles: self[\.attributes.roles] ?? [])
        let names = policy.names.filter { $0.lowercased() == AttributePolicy.roles }
        if !policy.roles.isEmpty, names != [AttributePolicy.roles] {
            addFault(Settings.table.attributes.names.name, "must name roles in lower case, because ROLES is set")
        }
        return policy
    }
}

extension Configuration {
    /// For commands. Faults of other settings do not matter.
    package static func attributePolicy(from source: SettingSource) throws(SettingFaults) -> AttributePolicy {
        let table = Settings.table.attributes
        return try source.read([table.names, table.roles]) { $0.attributePolicy() }
    }
}

extension SettingParser where Value == [String] {
    static var attributeNames: Self {
        names(
            "a list of at most \(AttributeSettings.mostNames) names of a letter and then letters, digits and _, each of at most "
                + "\(AttributeSettings.longestName) bytes, separated by commas",
            atMost: AttributeSettings.mostNames, of: AttributeSettings.longestName)
    }

    /// As the names of attributes. An own `admin` would be taken for ADMIN.
    static var roles: Self {
        names(
            "a list of at most \(AttributeSettings.mostRoles) names of a letter and then letters, digits and _, separated by commas, "
                + "without the roles that exist",
            atMost: AttributeSettings.mostRoles, besides: Role.allCases.map(\.rawValue))
    }

    /// - Parameter others: in upper case.
    private static func names(
        _ format: String, atMost most: Int, of longest: Int = AttributePolicy.longestName, besides others: [String] = []
    ) -> Self {
        Self(format) { text in
            let names = text.list { AttributePolicy.isName($0) && $0.utf8.count <= longest ? $0 : nil } ?? []
            let distinct = Set(names.map { $0.uppercased() })
            guard (1...most).contains(names.count), distinct.count == names.count, distinct.isDisjoint(with: others)
            else { return nil }
            return names
        }
    }
}
