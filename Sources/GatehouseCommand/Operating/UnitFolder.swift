import POSIX

/// The folder that the systemd unit of the server may write to, as `DATABASE_FOLDER` in its environment names it. The
/// sandbox closes every other folder, whatever their permissions are.
struct UnitFolder {
    private let path: String

    /// Nil where the server was not started by such a unit.
    init?(of variables: [String: String] = ProcessEnvironment.variables()) {
        guard let path = variables["DATABASE_FOLDER"], !path.isEmpty else { return nil }
        self.path = path
    }

    /// Refuses a database that the unit has no access to: no later start would find it open. A folder that is closed in
    /// spite of the unit, as on a disk that is broken, is for the store to tell, and the start is tried again.
    func refuseDatabase(at database: String) throws(CommandFault) {
        let folder = File.folder(of: database)
        guard folder != path, !folder.hasPrefix(path + "/"), !File.isWritableFolder(folder) else { return }
        throw CommandFault(
            .usage,
            "DATABASE_URL: this unit of systemd may not write to \(folder.printable). Let it, and start it again: "
                + "gatehouse-database-folder \(folder.shellQuoted) && systemctl restart gatehouse")
    }
}
