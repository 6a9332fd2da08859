import GatehouseServer

/// The file that `DATABASE_URL` names, for commands that deal with the file itself.
enum DatabasePath {
    static func configured() throws(CommandFault) -> String {
        let address = try ConfigurationFault.naming { () throws(SettingFaults) in
            try Configuration.database(from: .current())
        }
        switch address {
        case .sqlite(let path): return path
        }
    }
}
