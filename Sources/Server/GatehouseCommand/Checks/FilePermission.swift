import FileSystem
import GatehouseServer

/// How an operator lets the user of the service read a file of settings.
enum FilePermission {
    static func advice(for user: String, toRead file: String) -> String {
        if file == ConfigurationFile.usualPath { return "chmod 644 \(file)" }
        // It may hold a secret.
        return "chgrp \(user) \(file.shellQuoted) && chmod 640 \(file.shellQuoted)"
    }
}
