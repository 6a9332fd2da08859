import GatehouseStore
import POSIX

/// Whether the database speaks as this program does.
struct SchemaCheck: Check {
    let subject = "schema"
    let path: String

    func look() -> [Finding] {
        guard File.isReadable(path) else { return [.note("not looked at: there is nothing that this user can read")] }
        do { return [judge(try SQLiteFile(path: path).schema())] } catch {
            return [.note("not looked at: \(error)")]
        }
    }

    func judge(_ schema: SQLiteFile.Schema) -> Finding {
        switch schema {
        case .current: .ok("that of this program")
        case .older(let found, let known):
            .note(
                "the database has \(found), this program speaks \(known): it brings it up to date when it starts",
                "systemctl restart gatehouse, or gatehouse migrate")
        case .newer(let found, let known):
            .fault(
                "the database has \(found), and this program knows only up to \(known)",
                "apt install the newer gatehouse again: a database is not taken back to an older one")
        case .foreign: .fault("the database was not made by this program", "mend DATABASE_URL: now it is \(path)")
        }
    }
}
