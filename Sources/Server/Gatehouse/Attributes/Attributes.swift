/// What the operator's services keep of a user: a JSON object, of which the domain knows the members' names alone.
///
/// Its text is canonical: without white space, the members of each object sorted by their names. So two texts are equal if
/// the values are, and the part of it in an access token can be compared with what is stored.
package struct Attributes: Sendable {
    /// Computed: a constant would be made at its first use, which each request would check.
    package static var none: Attributes { Attributes(canonical: "{}") }

    package let json: String

    package init(canonical json: String) {
        self.json = json
    }

    package var isEmpty: Bool { json.utf8.count <= 2 }

    package typealias Member = (name: Substring, value: Substring)

    /// The value of a member, as JSON.
    package subscript(_ name: String) -> Substring? { members.first { $0.name == name }?.value }

    /// Those that have one of the names.
    package func only(_ names: [String]) -> Attributes {
        guard !isEmpty, !names.isEmpty else { return .none }
        let kept = members.filter { names.contains(String($0.name)) }
        guard !kept.isEmpty else { return .none }
        return Attributes(canonical: "{" + kept.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ",") + "}")
    }

    /// The names of members that differ from those of another object.
    package func names(changedFrom other: Attributes) -> [String] {
        let (new, old) = (members, other.members)
        let gone = old.filter { member in !new.contains { $0.name == member.name } }
        let changed = new.filter { member in
            !old.contains { $0.name == member.name && $0.value.utf8.elementsEqual(member.value.utf8) }
        }
        return (gone + changed).map { String($0.name) }.sorted()
    }
}

/// By bytes: `String` takes texts for equal that differ in how an accent is written.
extension Attributes: Equatable {
    package static func == (left: Attributes, right: Attributes) -> Bool {
        left.json.utf8.count == right.json.utf8.count && left.json.utf8.elementsEqual(right.json.utf8)
    }
}

// MARK: - Members

extension Attributes {
    /// The members, with each value as JSON. A text that is no JSON, which only a database that was changed by hand has, has
    /// those before its fault.
    package var members: [Member] {
        var members: [Member] = []
        let text = json.utf8
        var position = json.startIndex
        // Behind the brace or the comma.
        while position < text.endIndex, let name = Self.endOfValue(in: text, from: text.index(after: position)) {
            let start = text.index(after: position)
            guard name < text.endIndex, text[name] == UInt8(ascii: ":") else { break }
            let value = text.index(after: name)
            guard let end = Self.endOfValue(in: text, from: value) else { break }
            members.append((json[start..<name].dropFirst().dropLast(), json[value..<end]))
            position = end
        }
        return members
    }

    /// The elements of a list of texts; nil for another value.
    package func texts(of name: String) -> [Substring]? {
        guard let list = self[name], list.hasPrefix("["), list.hasSuffix("]") else { return nil }
        guard list != "[]" else { return [] }
        let elements = list.dropFirst().dropLast().split(separator: ",", omittingEmptySubsequences: false)
        // What contains a comma or an escape is no name of a role, and stays in its quotes here, or loses one.
        return elements.allSatisfy { $0.hasPrefix("\"") } ? elements.map { $0.dropFirst().dropLast() } : nil
    }

    /// The end of the value that begins at a position: a comma, a colon or a closing bracket of what contains it.
    private static func endOfValue(in text: String.UTF8View, from start: String.Index) -> String.Index? {
        var (position, depth, isInText) = (start, 0, false)
        while position < text.endIndex {
            let byte = text[position]
            if isInText {
                if byte == UInt8(ascii: "\\") { position = text.index(after: position) }
                if byte == UInt8(ascii: "\"") { isInText = false }
            } else {
                switch byte {
                case UInt8(ascii: "\""): isInText = true
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: ","), UInt8(ascii: ":"): if depth == 0 { return position }
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    if depth == 0 { return position > start ? position : nil }
                    depth -= 1
                default: break
                }
            }
            guard position < text.endIndex else { return nil }
            position = text.index(after: position)
        }
        return nil
    }

    /// How many objects and arrays contain each other.
    var depth: Int {
        var (depth, deepest, isInText, isEscaped) = (0, 0, false, false)
        for byte in json.utf8 {
            if isEscaped {
                isEscaped = false
            } else if isInText {
                isEscaped = byte == UInt8(ascii: "\\")
                if byte == UInt8(ascii: "\"") { isInText = false }
            } else if byte == UInt8(ascii: "\"") {
                isInText = true
            } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                depth += 1
                deepest = max(deepest, depth)
            } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
                depth -= 1
            }
        }
        return deepest
    }
}
