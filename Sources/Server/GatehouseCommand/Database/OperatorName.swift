import FileSystem
import Processes

/// The caller of a command in the audit trail: `root (0), login anna (1000), sudo by anna`.
///
/// The user id and the login come from the kernel. `SUDO_USER` comes from the environment, which
/// root can set to anything.
struct OperatorName {
    private static let longestName = 64

    let text: String

    init(caller: Account, login: Account?, sudoUser: String?) {
        var parts = [Self.describe(caller)]
        if let login, login.id != caller.id { parts.append("login " + Self.describe(login)) }
        if let sudoUser, Self.isName(sudoUser) { parts.append("sudo by " + sudoUser) }
        text = parts.joined(separator: ", ")
    }

    init(_ accounts: UserDatabase) {
        self.init(caller: accounts.caller, login: accounts.login, sudoUser: Self.sudoUser)
    }

    static var isUnderSudo: Bool { sudoUser != nil }

    private static var sudoUser: String? { ProcessEnvironment.variables()["SUDO_USER"] }

    private static func describe(_ account: Account) -> String {
        isName(account.name) ? "\(account.name) (\(account.id))" : "\(account.id)"
    }

    /// The form of user names, including those of directory services. Any other text is left out of the audit trail.
    private static func isName(_ text: String) -> Bool {
        (1...longestName).contains(text.utf8.count) && text.consistsOfAlphanumerics(and: "._-@+\\$")
    }
}
