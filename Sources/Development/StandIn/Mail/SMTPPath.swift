/// The argument of `MAIL FROM:` or `RCPT TO:`: an address in angle brackets, and parameters.
struct SMTPPath {
    /// Empty for the null sender.
    let address: String
    /// The names in upper case.
    let parameters: [(name: String, value: String)]

    /// - Parameter keyword: `FROM:` or `TO:`.
    init?(_ argument: Substring, after keyword: String) {
        guard argument.prefix(keyword.count).uppercased() == keyword else { return nil }
        let rest = argument.dropFirst(keyword.count)
        guard rest.first == "<", let end = rest.firstIndex(of: ">") else { return nil }
        address = String(rest[rest.index(after: rest.startIndex)..<end])
        guard Self.isAddress(address) else { return nil }
        parameters = rest[rest.index(after: end)...].split(separator: " ").map { parameter in
            let parts = parameter.split(separator: "=", maxSplits: 1)
            return (parts[0].uppercased(), parts.count > 1 ? String(parts[1]) : "")
        }
    }

    private static func isAddress(_ text: String) -> Bool {
        if text.isEmpty { return true }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && text.utf8.count <= 254
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "<") }
    }

    /// The `SIZE` that the client announces. Nil without it.
    var size: Int? { parameters.first { $0.name == "SIZE" }.flatMap { Int($0.value) } }
}
