import Sockets

/// A port that was free a moment ago.
enum FreePort {
    static func any() throws -> UInt16 { try Listener.tcp(host: "127.0.0.1", port: 0).port ?? 0 }
}
