/// What `nginx -T` prints: every file of the configuration, as nginx includes them.
struct NginxConfiguration: Sendable {
    private struct File {
        let path: String
        let lines: [Substring]
    }

    private let files: [File]

    init(dump: String) {
        var files: [File] = []
        var (path, lines) = ("", [Substring]())
        for line in dump.split(separator: "\n") {
            guard line.hasPrefix(Self.mark) else {
                let text = line.drop { $0 == " " || $0 == "\t" }
                if !text.hasPrefix("#") { lines.append(text) }
                continue
            }
            files.append(File(path: path, lines: lines))
            path = String(line.dropFirst(Self.mark.utf8.count).prefix { $0 != ":" })
            lines = []
        }
        self.files = files + [File(path: path, lines: lines)]
    }

    private static let mark = "# configuration file "

    /// Whether the responder and the limits are known, which `conf.d/gatehouse.conf` defines.
    var hasUpstream: Bool {
        files.contains { $0.lines.contains { Self.words(of: $0).prefix(2) == ["upstream", "gatehouse"] } }
    }

    /// Whether a server passes the API to the responder.
    var hasSite: Bool { !sites.isEmpty }

    /// The paths of the certificates that such files name.
    var certificates: [String] {
        sites.flatMap(\.lines).compactMap { line in
            let words = Self.words(of: line)
            return words.count == 2 && words[0] == "ssl_certificate" ? Self.absolute(words[1]) : nil
        }
    }

    /// nginx takes a relative path from the folder of its configuration.
    private static func absolute(_ path: Substring) -> String {
        path.hasPrefix("/") ? String(path) : "/etc/nginx/" + path
    }

    /// Without the marks between them, and without quotation marks.
    private static func words(of line: Substring) -> [Substring] {
        line.split { " \t;{\"'".contains($0) }
    }

    private var sites: [File] {
        files.filter { file in
            !file.path.contains("/snippets/") && !Self.others.contains { file.path.hasSuffix($0) }
                && file.lines.contains(where: Self.includesAPI)
        }
    }

    /// Sites of ours that serve no client: the monitors' and the redirect.
    private static let others = ["/gatehouse-local.conf", "/gatehouse-redirect.conf"]
    /// The snippets that pass requests of clients to the responder.
    private static let serving = ["api", "paths", "site"]

    private static func includesAPI(_ line: Substring) -> Bool {
        let words = words(of: line)
        guard words.count >= 2, words[0] == "include",
            let match = words[1].firstMatch(of: /snippets\/gatehouse-([a-z-]+)\.conf$/)
        else { return false }
        return serving.contains(String(match.1))
    }
}
