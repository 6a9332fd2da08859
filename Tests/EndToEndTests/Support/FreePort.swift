import POSIX

/// A port that nobody listens at.
enum FreePort {
    static func any() throws -> UInt16 { try Listener.tcp(host: "127.0.0.1", port: 0).port ?? 0 }
}
