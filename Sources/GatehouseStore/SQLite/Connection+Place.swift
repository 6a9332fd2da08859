import POSIX
import SQLite

extension Connection {
    /// Opens a database by where it really is. A link that takes its place meanwhile is refused, and so is one in a copy
    /// that this connection makes.
    convenience init(at path: String, access: Access) throws(SQLiteError) {
        try self.init(path: File.withoutLinks(path), access: access, followsLinks: false)
    }
}
