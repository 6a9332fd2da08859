/// Whether Gatehouse and nginx let the pages of the same origins call them: each has a list CORS_ORIGINS of its own.
struct PageOriginsCheck: Check {
    let subject = "page origins"
    /// In the settings.
    let gatehouse: [String]
    /// In nginx's configuration, which `gatehouse-nginx` renders from `nginx.values`.
    let nginx: [String]
    /// False with `PUBLIC_URL=off`: another web server is in front.
    let isExpected: Bool

    /// Nil if one of the lists is not known.
    init?(gatehouse: [String]?, nginx: [String]?, isExpected: Bool) {
        guard let gatehouse, let nginx else { return nil }
        (self.gatehouse, self.nginx, self.isExpected) = (gatehouse, nginx, isExpected)
    }

    func run() -> [Finding] {
        let absent = gatehouse.filter { !nginx.contains($0) }
        let unknown = nginx.filter { !gatehouse.contains($0) }
        if absent.isEmpty, unknown.isEmpty {
            return [.ok(gatehouse.isEmpty ? "no page of another origin may call the API" : Self.list(gatehouse))]
        }
        return (absent.isEmpty ? [] : [absentInNginx(absent)]) + (unknown.isEmpty ? [] : [unknownToGatehouse(unknown)])
    }

    /// The API works for these pages, and guarded locations do not.
    private func absentInNginx(_ origins: [String]) -> Finding {
        let message =
            "pages of \(Self.list(origins)) may call the API, but not guarded locations, and cannot read nginx's own errors: "
            + "CORS_ORIGINS of nginx lacks \(origins.count == 1 ? "it" : "them")"
        return graded(
            message,
            "set CORS_ORIGINS=\(gatehouse.joined(separator: ",")) in /etc/gatehouse/nginx.values; then: gatehouse-nginx"
        )
    }

    private func unknownToGatehouse(_ origins: [String]) -> Finding {
        let message =
            "pages of \(Self.list(origins)) may call guarded locations, but not the API: CORS_ORIGINS of Gatehouse lacks "
            + (origins.count == 1 ? "it" : "them")
        return graded(
            message,
            "add it to CORS_ORIGINS in /etc/gatehouse/gatehouse.conf, then: systemctl reload gatehouse; or remove it from "
                + "/etc/gatehouse/nginx.values, then: gatehouse-nginx")
    }

    private func graded(_ message: String, _ advice: String) -> Finding {
        isExpected ? .fault(message, advice) : .note(message, advice)
    }

    private static func list(_ origins: [String]) -> String { origins.joined(separator: ", ") }
}

extension NginxConfiguration {
    /// The origins in the map of `conf.d/gatehouse.conf`; nil if there is none, as before this map existed.
    var corsOrigins: [String]? {
        for lines in allLines {
            guard let start = lines.firstIndex(where: { $0.firstMatch(of: Self.originsMap) != nil }) else { continue }
            let entries = lines[(start + 1)...].prefix { !$0.hasPrefix("}") }
            return entries.compactMap { line in line.firstMatch(of: Self.originsEntry).map { String($0.1) } }
        }
        return nil
    }

    private static var originsMap: Regex<Substring> { /^map\s+\$http_origin\s+\$gatehouse_cors_origin\s*\{/ }
    private static var originsEntry: Regex<(Substring, Substring)> { /^"~\^\\Q(\S+)\\E\\z"/ }
}
