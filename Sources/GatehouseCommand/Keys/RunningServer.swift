import Gatehouse
import GatehouseServer

/// The server that works with the keys of these settings, if any runs.
enum RunningServer {
    /// When it began, and so read its keys. Nil where none runs.
    ///
    /// - Parameter units: asked only where nothing answers, since the socket's file may be gone beside a server that runs.
    static func startedAt(
        _ source: SettingSource, units: () throws(UnitsFault) -> Units? = Units.ofThisMachine
    ) throws(CommandFault) -> Timestamp? {
        let address = try ConfigurationFault.naming { () throws(SettingFaults) in
            try Configuration.listen(from: source)
        }
        let start: Timestamp?
        do throws(ServerQuery.Fault) {
            start = try ServerQuery(at: address).startedAt(within: ServerCheck.patience)
        } catch {
            throw CommandFault(
                .failed, "cannot learn which keys the running server works with, and nothing was changed: \(error)")
        }
        if start == nil, try isRunning(units) {
            throw CommandFault(
                .failed,
                "the server runs and does not answer at \(address), so it is not known which keys it works with: "
                    + "systemctl restart gatehouse, and run this again. Nothing was changed")
        }
        return start
    }

    private static func isRunning(_ units: () throws(UnitsFault) -> Units?) throws(CommandFault) -> Bool {
        do throws(UnitsFault) { return try units()?[Units.service]?.process != nil } catch {
            throw CommandFault(.failed, "cannot learn whether the server runs, and nothing was changed: \(error)")
        }
    }
}
