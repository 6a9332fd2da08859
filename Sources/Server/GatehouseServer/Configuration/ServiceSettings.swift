import FileSystem
import Gatehouse
import OpenSSL
import Text

/// The services that may ask about users and access tokens.
package struct ServiceSettings: Sendable {
    let tokens = Setting(
        "SERVICE_TOKENS", .serviceTokens, secret: true,
        "Tokens of your services, which ask about users and access tokens.",
        details: """
            [Services](Services.md) send them, and may replace attributes of users with each. Lines that begin with `#` are comments. Two lines of one name are two tokens of one service, for the time in which \
            it gets a new one. Only hashes of the tokens are kept in memory.
            """)
    let users = Setting(
        "SERVICE_USERS", .list(of: "user names or numbers"),
        "Users of this machine that need no token for what services do, beside root.",
        details: """
            The kernel tells the user of a process that connects to the socket in `LISTEN`. Through nginx this is nginx's user, \
            for each request: with `www-data`, every process that reaches `LISTEN_LOCAL` may ask, and replace \
            attributes.
            """)
}

extension SettingReader<Settings> {
    /// Who may ask about users and tokens. Adds the faults of users that do not exist.
    mutating func serviceAccess(on machine: UserDatabase = .ofThisMachine()) -> ServiceAccess {
        let tokens = (self[\.services.tokens] ?? []).map(\.token)
        return ServiceAccess(tokens: tokens, users: serviceUsers(on: machine))
    }

    /// The tokens, for the comparison with secrets of another purpose.
    var serviceSecrets: [PlacedKey<Secret>] {
        let name = Settings.table.services.tokens.name
        return (self[\.services.tokens] ?? []).map {
            PlacedKey(purpose: name, setting: name, line: $0.line, key: $0.secret)
        }
    }

    private mutating func serviceUsers(on machine: UserDatabase) -> [UInt32: String] {
        let name = Settings.table.services.users.name
        let entries = self[\.services.users] ?? []
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
        let name = Settings.table.services.users.name
        let namespace = UserNamespace.ofThisProcess()
        for (id, user) in users.sorted(by: { $0.key < $1.key }) where !namespace.contains(id) {
            warn(
                "\(name): the server cannot see the user \(user), because it runs in a user namespace without it "
                    + "(PrivateUsers=yes of a unit, or a container): this user's requests need a token")
        }
        if !users.isEmpty, case .tcp = self[\.process.listen] {
            warn(
                "\(name) has no effect at a TCP address, whose peers have no user: set \(Settings.table.process.listen.name) to unix:"
            )
        }
    }
}

// MARK: - Forms of values

/// A line of `SERVICE_TOKENS`.
struct ListedServiceToken: Sendable {
    let line: Int
    let service: String
    let secret: Secret
}

extension SettingParser where Value == [ListedServiceToken] {
    private static let lengths = 32...256
    private static let most = 256

    static var serviceTokens: Self {
        let format =
            "on each line a name (a-z, 0-9 and -, at most 32) and, after a space, a token of \(lengths.lowerBound) to "
            + "\(lengths.upperBound) random ASCII characters without spaces"
        return Self(format) { text, faults in
            var tokens: Value = []
            // The text of a setting without its empty lines would have other line numbers.
            let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            for (index, line) in lines.enumerated() {
                let fields = line.split { $0 == " " || $0 == "\t" }
                guard let name = fields.first, !name.hasPrefix("#") else { continue }
                let token = ListedServiceToken(
                    line: index + 1, service: String(name), secret: Secret(text: String(fields.last ?? "")))
                let fault = fields.count == 2 ? token.fault(lengths: lengths) : "must be a name, a space and a token"
                if let fault { faults.append("line \(token.line) \(fault)") } else { tokens.append(token) }
            }
            for token in tokens {
                guard let earlier = tokens.first(where: { $0.secret.isSame(as: token.secret) }),
                    earlier.line != token.line
                else { continue }
                faults.append("line \(token.line) has the token of line \(earlier.line): each needs its own")
            }
            if tokens.count > most { faults.append("has \(tokens.count) tokens, and at most \(most) are accepted") }
            return tokens
        }
    }
}

extension ListedServiceToken {
    /// Nil for a good one.
    fileprivate func fault(lengths: ClosedRange<Int>) -> String? {
        // Read from its bytes: a combining mark makes another character of a letter, but not other bytes of its beginning.
        let isName = { (byte: UInt8) in byte.isLowercaseLetter || byte.isDigit || byte == UInt8(ascii: "-") }
        guard (1...32).contains(service.utf8.count), service.utf8.allSatisfy(isName) else {
            return "must begin with a name of a-z, 0-9 and -, at most 32 of them"
        }
        guard lengths.contains(secret.bytes.count), secret.bytes.allSatisfy(\.isVisible) else {
            return "must have a token of \(lengths.lowerBound) to \(lengths.upperBound) visible ASCII characters"
        }
        return secret.fault(atLeast: lengths.lowerBound).map { "has a token that " + $0 }
    }

    var token: ServiceToken { ServiceToken(service: service, hash: SHA256.hash(secret.bytes)) }
}
