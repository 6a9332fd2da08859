import FileSystem
import GatehouseStore
import JSON
import POSIX
package import Sockets
import Text

/// The address at which FastCGI is served.
package enum ListenAddress: Sendable, Equatable, CustomStringConvertible {
    case unix(path: String)
    case tcp(host: String, port: UInt16)

    /// Reads `unix:/path`, `tcp:127.0.0.1:port` or `tcp:[::1]:port`.
    init?(_ text: String) {
        if text.hasPrefix("unix:/"), text.utf8.count <= 5 + Self.longestPath {
            self = .unix(path: String(text.dropFirst(5)))
        } else if text.hasPrefix("tcp:"), let (host, port) = Self.hostAndPort(text.dropFirst(4)) {
            self = .tcp(host: host, port: port)
        } else {
            return nil
        }
    }

    /// An address in digits, so that no name is resolved; an IPv6 address in brackets.
    private static func hostAndPort(_ text: Substring) -> (String, UInt16)? {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(digits: text[text.index(after: colon)...]) else {
            return nil
        }
        let written = text[..<colon]
        let isBracketed = written.hasPrefix("[") && written.hasSuffix("]") && written.count > 2
        let host = String(isBracketed ? written.dropFirst().dropLast() : written)
        guard isBracketed == host.contains(":"), (try? SocketAddress(host: host, port: port)) != nil else { return nil }
        return (host, port)
    }

    /// The address to connect to.
    package func socketAddress() throws(ListenerError) -> SocketAddress {
        switch self {
        case .unix(let path): try SocketAddress(path: path)
        case .tcp(let host, let port): try SocketAddress(host: host, port: port)
        }
    }

    /// The path of a socket must fit the kernel's `sun_path`, including the NUL at its end.
    private static let longestPath = 107

    package var description: String {
        switch self {
        case .unix(let path): "unix:" + path
        case .tcp(let host, let port): host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
        }
    }
}

/// The database in which users and sessions are stored.
package enum DatabaseAddress: Sendable, Equatable {
    case sqlite(path: String)
    case postgresql(url: String)

    /// The file of the database; nil if it is on a server.
    package var path: String? {
        switch self {
        case .sqlite(let path): path
        case .postgresql: nil
        }
    }

    /// Reads `sqlite:<path>`, or a URL for libpq: `postgresql://…` or `postgres://…`.
    package init?(_ text: String) {
        if text.hasPrefix("sqlite:"), text.utf8.count > 7 {
            self = .sqlite(path: String(text.dropFirst(7)))
        } else if PostgreSQLSettings.hasScheme(text), PostgreSQLSettings.fault(ofURL: text) == nil {
            self = .postgresql(url: text)
        } else {
            return nil
        }
    }
}

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
                "\(Settings.table.process.databaseMark.name) cannot be written, so a start without the database would create an "
                + "empty one: \(error)"
            log(.warning, "storage", [("warning", .string(warning))])
        }
    }
}

extension SettingReader<Settings> {
    /// `DATABASE_MARK`, or else a file beside the configuration file, whether or not it exists. Nil without either.
    func databaseMark() -> DatabaseMark? {
        if let path = self[\.process.databaseMark] { return DatabaseMark(path: path, isWrittenByServer: true) }
        return pathBesideConfiguration(for: Settings.table.process.databaseMark.name).map {
            DatabaseMark(path: $0, isWrittenByServer: false)
        }
    }
}

extension Configuration {
    package static func databaseMark(from source: SettingSource) throws(SettingFaults) -> DatabaseMark? {
        try source.read([Settings.table.process.databaseMark]) { $0.databaseMark() }
    }
}
