import FileSystem
import JSON
import POSIX

/// The file that says that a database was used here. It lies outside of the folder of the database, which may be on a disk
/// that is not mounted.
package struct DatabaseMark: Sendable {
    package let path: String
    /// Whether the server writes it. Otherwise the package's unit does.
    let isWrittenByServer: Bool

    /// Throws if the file neither exists nor can be made.
    func write() throws(POSIXError) {
        guard isWrittenByServer, try File.create(path, with: []) else { return }
        try File.syncFolder(File.folder(of: path))
    }

    /// Records that there is a database. The server works without the mark.
    func write(warning log: Log) {
        do throws(POSIXError) { try write() } catch {
            let warning =
                "\(Settings.table.databaseMark.name) cannot be written, so a start without the database would create an "
                + "empty one: \(error)"
            log(.warning, "storage", [("warning", .string(warning))])
        }
    }
}

extension SettingReader {
    /// `DATABASE_MARK`, or else a file beside the configuration file, whether or not it exists. Nil without either.
    func databaseMark() -> DatabaseMark? {
        if let path = self[\.databaseMark] { return DatabaseMark(path: path, isWrittenByServer: true) }
        return pathBesideConfiguration(for: Settings.table.databaseMark.name).map {
            DatabaseMark(path: $0, isWrittenByServer: false)
        }
    }
}

extension Configuration {
    package static func databaseMark(from source: SettingSource) throws(SettingFaults) -> DatabaseMark? {
        try source.read([Settings.table.databaseMark]) { $0.databaseMark() }
    }
}
