import Gatehouse

/// Whether nginx sets the header of each attribute that access tokens contain, and so replaces what a client sends under its name;
/// and whether each role exists that a location demands.
struct GuardHeadersCheck: Check {
    let subject = "guard headers"
    let policy: AttributePolicy
    /// The headers that nginx sets with what the guard has said, in lower case.
    let headers: Set<String>
    /// The roles that locations demand.
    let roles: Set<String>
    /// False with `PUBLIC_URL=off`: another web server is in front.
    let isExpected: Bool

    /// Nil if the settings or nginx's configuration are not known.
    init?(policy: AttributePolicy?, nginx: NginxConfiguration?, isExpected: Bool) {
        guard let policy, let nginx else { return nil }
        (self.policy, self.isExpected) = (policy, isExpected)
        headers = nginx.attributeHeaders
        roles = nginx.demandedRoles
    }

    func run() -> [Finding] {
        let absent = policy.names.filter { !headers.contains(AttributePolicy.header(of: $0).lowercased()) }
        let unknown = roles.subtracting(Role.allCases.map(\.rawValue) + policy.roles).sorted()
        let findings = (absent.isEmpty ? [] : [absentInNginx(absent)]) + unknown.map(unknownRole)
        guard findings.isEmpty else { return findings }
        return [
            .ok("nginx sets the headers of \(policy.names.isEmpty ? "the user" : policy.names.joined(separator: ", "))")
        ]
    }

    /// The guarded service believes what the client sends.
    private func absentInNginx(_ names: [String]) -> Finding {
        let list = names.map { AttributePolicy.header(of: $0) }.joined(separator: ", ")
        return graded(
            "nginx passes on what a client sends as \(list), in place of the user's attributes",
            "run gatehouse-nginx, which reads TOKEN_ATTRIBUTES and ROLES in /etc/gatehouse/gatehouse.conf; if they are set elsewhere, "
                + "first set TOKEN_ATTRIBUTES=\(policy.names.joined(separator: ",")) in /etc/gatehouse/nginx.values")
    }

    private func unknownRole(_ name: String) -> Finding {
        graded(
            "a location of nginx demands the role \(name), which does not exist: it is closed to every user",
            "add it to ROLES, or correct $gatehouse_role in the location")
    }

    private func graded(_ message: String, _ advice: String) -> Finding {
        isExpected ? .fault(message, advice) : .note(message, advice)
    }
}

extension NginxConfiguration {
    fileprivate var attributeHeaders: Set<String> {
        Set(allLines.joined().compactMap { $0.firstMatch(of: Self.attributeHeader).map { $0.1.lowercased() } })
    }

    fileprivate var demandedRoles: Set<String> {
        Set(allLines.joined().compactMap { $0.firstMatch(of: Self.demandedRole).map { String($0.1) } })
    }

    private static var attributeHeader: Regex<(Substring, Substring)> {
        /^proxy_set_header\s+(X-User-Attribute-[A-Za-z0-9-]+)\s+\$gatehouse_attribute_/.ignoresCase()
    }
    private static var demandedRole: Regex<(Substring, Substring)> {
        /^set\s+\$gatehouse_role\s+["']?([A-Za-z0-9_]+)["']?\s*;/
    }
}
