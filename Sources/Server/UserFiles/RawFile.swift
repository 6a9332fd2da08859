/// A file of another product, which has to be converted before its users are imported.
package enum RawFile {
    case firebase
    case supabase

    /// Columns that only Supabase's tables have.
    private static let columns = ["encrypted_password", "raw_user_meta_data", "identity_data"]

    /// Nil for a file that may have a user in each line.
    ///
    /// - Parameter start: the first bytes of the file.
    package init?(start: [UInt8]) {
        let start = start.starts(with: [0xEF, 0xBB, 0xBF]) ? start[3...] : start[...]
        let text = String(decoding: start.prefix(1 << 14), as: UTF8.self)
        let firstLine = text.prefix { !$0.isNewline }
        let isArray = text.prefixMatch(of: /\s*(\[|\{\s*"users"\s*:)/) != nil
        guard isArray || !firstLine.hasPrefix("{") else { return nil }
        let head = isArray ? text[...] : firstLine
        if Self.columns.contains(where: { head.contains($0) }) {
            self = .supabase
        } else if isArray {
            self = .firebase
        } else {
            return nil
        }
    }
}
