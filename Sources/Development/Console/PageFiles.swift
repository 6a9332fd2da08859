import DevelopmentHTTP
import FileSystem

/// The files of the page, read for each request: a change of the checkout is visible after a reload.
struct PageFiles: Sendable {
    private static let types = [
        "css": "text/css; charset=utf-8", "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "svg": "image/svg+xml",
    ]

    let folder: String

    /// Nil if no file has this name. A name with a slash, or that begins with a dot, names no file.
    func reply(to path: String) -> HTTPReply? {
        let name = path.isEmpty ? "index.html" : path
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.allSatisfy(Self.isPlain),
            let type = Self.types[String(parts[1])], let bytes = try? File.readRegular(folder + "/" + name)
        else { return nil }
        var reply = HTTPReply.ok(bytes)
        reply.contentType = type
        return reply
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "-")
    }
}

extension HTTPReply {
    /// The answer with the headers for browsers. nginx adds its own only where an answer has none.
    var forBrowsers: HTTPReply {
        adding("Content-Security-Policy", "default-src 'self'").adding("X-Content-Type-Options", "nosniff")
            .adding("X-Frame-Options", "DENY").adding("Referrer-Policy", "no-referrer")
            .adding("Cache-Control", "no-store")
    }
}
