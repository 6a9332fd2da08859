import Glibc

/// A user of this machine and the groups that count for file permissions.
package struct Account: Sendable, Equatable {
    package let name: String
    package let id: UInt32
    package let groups: Set<UInt32>

    package init(name: String, id: UInt32, groups: Set<UInt32>) {
        (self.name, self.id, self.groups) = (name, id, groups)
    }

    package var isRoot: Bool { id == 0 }
}

/// The users and groups in /etc/passwd and /etc/group. A user from another source (a directory service, DynamicUser of
/// a unit) is named by its number.
package struct UserDatabase: Sendable {
    private struct User {
        let name: String
        let id: UInt32
        let group: UInt32
    }

    private struct Group {
        let name: String
        let id: UInt32
        let members: Set<String>
    }

    private let users: [User]
    private let groups: [Group]

    /// - Parameters:
    ///   - users: the content of /etc/passwd.
    ///   - groups: the content of /etc/group.
    package init(users: String, groups: String) {
        self.users = Self.lines(of: users).compactMap { fields in
            guard fields.count >= 4, let id = UInt32(fields[2]), let group = UInt32(fields[3]) else { return nil }
            return User(name: fields[0], id: id, group: group)
        }
        self.groups = Self.lines(of: groups).compactMap { fields in
            guard fields.count >= 3, let id = UInt32(fields[2]) else { return nil }
            let members = fields.count > 3 ? fields[3].split(separator: ",").map(String.init) : []
            return Group(name: fields[0], id: id, members: Set(members))
        }
    }

    package static func ofThisMachine() -> UserDatabase {
        let texts = ["/etc/passwd", "/etc/group"].map {
            String(decoding: (try? File.read($0)) ?? [], as: UTF8.self)
        }
        return UserDatabase(users: texts[0], groups: texts[1])
    }

    /// The real user of this process; root if it was started by sudo.
    package var caller: Account { account(of: getuid()) }

    /// The user who logged in, if the login was recorded (pam_loginuid(8)). Only a privileged process can change it,
    /// and sudo and su do not.
    package var login: Account? {
        let text = String(decoding: (try? File.read("/proc/self/loginuid")) ?? [], as: UTF8.self)
        guard let id = UInt32(text.prefix { $0.isNumber }), id != .max else { return nil }
        return account(of: id)
    }

    /// The effective user of this process.
    package var current: Account {
        let known = account(of: geteuid())
        return Account(name: known.name, id: known.id, groups: known.groups.union([getegid()]).union(Self.ownGroups))
    }

    /// The primary group of a user; nil for an unknown user.
    package func primaryGroup(of id: UInt32) -> UInt32? { users.first { $0.id == id }?.group }

    /// The users that have the rights of a group.
    package func members(of group: UInt32) -> Set<String> {
        Set(users.filter { $0.group == group }.map(\.name)).union(groups.first { $0.id == group }?.members ?? [])
    }

    package func account(named name: String) -> Account? {
        users.first { $0.name == name }.map(account)
    }

    /// An unknown user has its number as name, and no groups.
    package func account(of id: UInt32) -> Account {
        users.first { $0.id == id }.map(account) ?? Account(name: "\(id)", id: id, groups: [])
    }

    package func nameOfGroup(_ id: UInt32) -> String { groups.first { $0.id == id }?.name ?? "\(id)" }

    /// Owner, group and mode of a file: `root:www-data 0660`.
    package func ownership(of status: FileStatus) -> String {
        let digits = String(status.mode, radix: 8)
        let mode = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        return "\(account(of: status.owner).name):\(nameOfGroup(status.group)) \(mode)"
    }

    private func account(_ user: User) -> Account {
        let others = groups.filter { $0.members.contains(user.name) }.map(\.id)
        return Account(name: user.name, id: user.id, groups: Set(others + [user.group]))
    }

    private static var ownGroups: [UInt32] {
        var groups = [gid_t](repeating: 0, count: 256)
        let count = unsafe getgroups(Int32(groups.count), &groups)
        return Array(groups.prefix(Int(max(0, count))))
    }

    private static func lines(of text: String) -> [[String]] {
        text.split(separator: "\n").map { line in
            line.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        }
    }
}
