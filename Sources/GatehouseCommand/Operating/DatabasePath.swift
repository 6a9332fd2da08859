import GatehouseServer

/// The file that `DATABASE_URL` names, for commands that deal with the file itself.
enum DatabasePath {
    static func configured() throws(CommandFault) -> String {
        try ConfigurationFault.naming { () throws(SettingFaults) in
            try Configuration.database(from: .current())
        }.path
    }
}
