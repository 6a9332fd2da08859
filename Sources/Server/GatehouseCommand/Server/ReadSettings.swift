import CommandLineTool
import GatehouseServer

/// Reads settings for a command. The error names every fault.
func readSettings<Result>(_ read: () throws(SettingFaults) -> Result) throws(CommandError) -> Result {
    do { return try read() } catch {
        throw CommandError(.usage, "the configuration is not usable", details: error.faults.map(\.description))
    }
}
