import Text

/// The name of a file in a folder with a file of settings for each provider, or for each receiver.
enum SettingsFileName: Equatable {
    /// The name before the ending.
    case named(String)
    /// A file of the operator's that must not be here, and why.
    case wrong(String)
    /// Another file, such as a copy that an editor has left.
    case other
    /// Files of programs, such as an editor's or a volume's of a container.
    case hidden

    static let ending = ".conf"

    init(_ file: String) {
        guard !file.hasPrefix(".") else {
            self = .hidden
            return
        }
        guard file.hasSuffix(Self.ending) else {
            self = .other
            return
        }
        let name = file.dropLast(Self.ending.count)
        // By bytes: Swift compares texts that differ only in how a character is composed as equal.
        let isValid =
            (1...Self.longest).contains(name.utf8.count) && name.utf8.first?.isLowercaseLetter == true
            && name.utf8.allSatisfy { $0.isLowercaseLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
        self =
            isValid
            ? .named(String(name))
            : .wrong(
                "must be named with up to \(Self.longest) of a to z, 0 to 9 and _, the first one a letter, before "
                    + Self.ending)
    }

    private static let longest = 32
}
