import Foundation
import SQL
import SQLite
import TestSupport

/// A database with an older schema.
enum OldSchema {
    static func make(at path: String) throws {
        let migrations = Executable.root + "/Sources/Server/GatehouseStore/Migrations/SQLite/"
        let connection = try Connection(path: path, access: .readWrite)
        for step in try FileManager.default.contentsOfDirectory(atPath: migrations).sorted().prefix(3) {
            try connection.execute(script: String(contentsOfFile: migrations + step, encoding: .utf8))
        }
        try connection.execute(
            script: """
                PRAGMA user_version = 3;
                INSERT INTO users (id, created_at, updated_at) VALUES ('user_old', 1, 1);
                """)
    }
}
