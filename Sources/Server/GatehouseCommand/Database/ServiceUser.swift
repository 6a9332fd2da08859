import CommandLineTool
import FileSystem
import POSIX
import Processes

/// The user of the package's service.
enum ServiceUser {
    /// Root becomes that user, if there is one, before another server is asked: what that sends does not reach root.
    static func replaceRoot() throws(CommandError) {
        let accounts = UserDatabase.ofThisMachine()
        guard Privileges.isRoot, let service = accounts.account(named: "gatehouse") else { return }
        do throws(POSIXError) {
            try Privileges.drop(to: service, group: accounts.primaryGroup(of: service.id) ?? service.id)
        } catch { throw CommandError(.failed, "this command cannot work as \(service.name): \(error)") }
    }
}
