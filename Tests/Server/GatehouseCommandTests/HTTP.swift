import TestSupport

/// Fetches a URL with curl.
enum HTTP {
    static func get(_ url: String) throws -> [UInt8] {
        try Shell.run(["/usr/bin/curl", "--silent", "--fail", "--max-time", "60", url])
    }
}
