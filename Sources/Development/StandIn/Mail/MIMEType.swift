/// The value of `Content-Type`.
struct MIMEType: Equatable {
    /// In lower case.
    let name: String
    private let parameters: [String: String]

    init(_ value: String) {
        var parts = Self.split(value)
        name = parts.removeFirst().lowercased()
        let pairs = parts.compactMap { part -> (String, String)? in
            guard let equals = part.firstIndex(of: "=") else { return nil }
            return (part[..<equals].lowercased(), String(part[part.index(after: equals)...]))
        }
        parameters = Dictionary(pairs) { first, _ in first }
    }

    subscript(_ name: String) -> String? { parameters[name] }

    /// The parts between semicolons, without quotes and the spaces outside them. There is at least one.
    private static func split(_ value: String) -> [String] {
        var (parts, isQuoted, isEscaped) = ([""], false, false)
        for character in value {
            switch character {
            case _ where isEscaped:
                parts[parts.count - 1].append(character)
                isEscaped = false
            case "\\" where isQuoted: isEscaped = true
            case "\"": isQuoted.toggle()
            case ";" where !isQuoted: parts.append("")
            case " " where !isQuoted, "\t" where !isQuoted: break
            default: parts[parts.count - 1].append(character)
            }
        }
        return parts
    }
}
