import Gatehouse

/// Who may ask about users and access tokens.
struct ServicesCheck: Check {
    let subject = "services"
    /// Nil if their settings have a fault, which the check of the configuration reports.
    let access: ServiceAccess?

    func run() -> [Finding] {
        guard let access else { return [.note("not checked: their settings cannot be read, or have a fault")] }
        guard !access.tokens.isEmpty || !access.users.isEmpty else {
            return [.ok("only root may ask about users and access tokens: SERVICE_TOKENS is not set")]
        }
        let services = Set(access.tokens.map(\.service)).sorted()
        let users = access.users.values.sorted()
        let tokens = Self.list("token", access.tokens.count, of: services)
        return [.ok(tokens + ", " + Self.list("user", users.count, of: users))]
    }

    /// `2 tokens (knowledge-base, shop)`
    private static func list(_ thing: String, _ count: Int, of names: [String]) -> String {
        "\(count) \(thing)\(count == 1 ? "" : "s")" + (names.isEmpty ? "" : " (\(names.joined(separator: ", ")))")
    }
}
