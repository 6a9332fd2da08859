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
    package subscript(_ name: String) -> Substring? { members.first { $0.name.isBytewise(name) }?.value }

    /// Those that have one of the names. What is beyond the limit of a token is left out: it was set before its name was listed.
    package func only(_ names: [String], atMost most: Int = AttributePolicy.longestInToken) -> Attributes {
        guard !isEmpty, !names.isEmpty else { return .none }
        // With quotation marks, colon and comma, and the braces around all.
        var size = 1
        let kept = members.filter { member in
            let next = size + member.name.utf8.count + member.value.utf8.count + 4
            guard next <= most, names.contains(where: { $0.isBytewise(member.name) }) else { return false }
            size = next
            return true
        }
        guard !kept.isEmpty else { return .none }
        return Attributes(canonical: "{" + kept.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ",") + "}")
    }

    /// The names of members that differ from those of another object.
    package func names(changedFrom other: Attributes) -> [String] {
        let (new, old) = (members, other.members)
        let gone = old.filter { member in !new.contains { $0.name.isBytewise(member.name) } }
        let changed = new.filter { member in
            !old.contains { $0.name.isBytewise(member.name) && $0.value.isBytewise(member.value) }
        }
        return (gone + changed).map { String($0.name) }.sorted()
    }
}

extension Attributes: Equatable {
    package static func == (left: Attributes, right: Attributes) -> Bool { left.json.isBytewise(right.json) }
}

extension StringProtocol {
    /// `==` takes texts for equal that differ in how an accent is written.
    func isBytewise(_ other: some StringProtocol) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
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
            guard let end = Self.endOfValue(in: text, from: value), let name = Self.text(of: json[start..<name]) else {
                break
            }
            members.append((name, json[value..<end]))
            position = end
        }
        return members
    }

    /// The elements of a list of texts, with their escapes; nil for another value.
    package func texts(of name: String) -> [Substring]? {
        guard let list = self[name], list.utf8.first == UInt8(ascii: "[") else { return nil }
        guard list != "[]" else { return [] }
        var (texts, position) = ([Substring](), list.startIndex)
        repeat {
            let start = json.utf8.index(after: position)
            guard let end = Self.endOfValue(in: json.utf8, from: start), let text = Self.text(of: json[start..<end])
            else { return nil }
            texts.append(text)
            position = end
        } while json.utf8[position] == UInt8(ascii: ",")
        return json.utf8[position] == UInt8(ascii: "]") ? texts : nil
    }

    package func hasRole(_ name: String) -> Bool {
        texts(of: AttributePolicy.roles)?.contains { $0.isBytewise(name) } ?? false
    }

    /// What a text has between its quotation marks, with its escapes; nil for another value. By bytes: the first character behind
    /// a quotation mark may join it, as an accent does.
    package static func text(of value: Substring) -> Substring? {
        let bytes = value.utf8
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else { return nil }
        return value[bytes.index(after: bytes.startIndex)..<bytes.index(before: bytes.endIndex)]
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
        var (depth, deepest) = (0, 0)
        for byte in frame.utf8 {
            if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { depth += 1 }
            if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") { depth -= 1 }
            deepest = max(deepest, depth)
        }
        return deepest
    }

    /// Whether a number is beyond 64-bit integers. If it was written as an integer, the reader of JSON has rounded it.
    var hasHugeNumber: Bool {
        frame.split { ",:[]{}".contains($0) }.contains { Int64($0) == nil && (Double($0)?.magnitude ?? 0) >= 0x1p63 }
    }

    /// The JSON without the texts in it.
    private var frame: String {
        var (isInText, isEscaped) = (false, false)
        return String(
            decoding: json.utf8.filter { byte in
                let wasInText = isInText
                if byte == UInt8(ascii: "\""), !isEscaped { isInText.toggle() }
                isEscaped = wasInText && byte == UInt8(ascii: "\\") && !isEscaped
                return !wasInText && !isInText
            }, as: UTF8.self)
    }
}
