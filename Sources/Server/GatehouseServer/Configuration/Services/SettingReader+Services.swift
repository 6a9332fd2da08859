import FileSystem
import Gatehouse
import Text

extension SettingReader {
    /// Who may ask about users and tokens. Adds the faults of users that do not exist.
    mutating func serviceAccess(on machine: UserDatabase = .ofThisMachine()) -> ServiceAccess {
        let tokens = (self[\.serviceTokens] ?? []).map(\.token)
        return ServiceAccess(tokens: tokens, users: serviceUsers(on: machine))
    }

    /// The tokens, for the comparison with secrets of another purpose.
    var serviceSecrets: [PlacedKey<Secret>] {
        let name = Settings.table.serviceTokens.name
        return (self[\.serviceTokens] ?? []).map {
            PlacedKey(purpose: name, setting: name, line: $0.line, key: $0.secret)
        }
    }

    private mutating func serviceUsers(on machine: UserDatabase) -> [UInt32: String] {
        let name = Settings.table.serviceUsers.name
        let entries = self[\.serviceUsers] ?? []
        var users: [UInt32: String] = [:]
        for (index, entry) in entries.enumerated() {
            let place = SettingList.place(index, of: entries.count)
            // A user of another container or of a directory service has no name here.
            guard let id = machine.account(named: entry)?.id ?? UInt32(digits: entry) else {
                addFault(name, place + "is no user of this machine: name one of /etc/passwd, or give its number")
                continue
            }
            guard id != UserNamespace.unmapped else {
                addFault(
                    name,
                    place
                        + "is the user nobody, as which the kernel shows all users outside of the server's user namespace: run the service as another user, or give it a token in SERVICE_TOKENS"
                )
                continue
            }
            users[id] = entry
        }
        warnOfUnseenUsers(users)
        return users
    }

    /// Requests of such users would be refused without a reason that an operator could see.
    private mutating func warnOfUnseenUsers(_ users: [UInt32: String]) {
        let name = Settings.table.serviceUsers.name
        let namespace = UserNamespace.ofThisProcess()
        for (id, user) in users.sorted(by: { $0.key < $1.key }) where !namespace.contains(id) {
            warn(
                "\(name): the server cannot see the user \(user), because it runs in a user namespace without it "
                    + "(PrivateUsers=yes of a unit, or a container): this user's requests need a token")
        }
        if !users.isEmpty, case .tcp = self[\.listen] {
            warn(
                "\(name) has no effect at a TCP address, whose peers have no user: set \(Settings.table.listen.name) to unix:"
            )
        }
    }
}
