import Gatehouse
import GatehouseServer

/// The server that works with the keys of these settings, if any runs.
enum RunningServer {
    /// When it began, and so read its keys. Nil where none runs.
    static func startedAt(_ source: SettingSource) throws(CommandFault) -> Timestamp? {
        let address = try ConfigurationFault.naming { () throws(SettingFaults) in
            try Configuration.listen(from: source)
        }
        do throws(ServerQuery.Fault) {
            return try ServerQuery(at: address).startedAt(within: ServerCheck.patience)
        } catch {
            throw CommandFault(
                .failed, "cannot learn which keys the running server works with, and nothing was changed: \(error)")
        }
    }
}
