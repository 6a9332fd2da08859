import GatehouseServer

/// Says what is wrong with a configuration, all of it.
enum ConfigurationFault {
    static func naming<Result>(_ read: () throws(SettingFaults) -> Result) throws(CommandFault) -> Result {
        do { return try read() } catch {
            throw CommandFault(.usage, "the configuration is not usable", details: error.faults.map(\.description))
        }
    }
}
