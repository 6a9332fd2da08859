package enum SHA256 {
    package static let byteCount = 32

    package static func hash(_ bytes: [UInt8]) -> [UInt8] { hash(bytes.span) }

    package static func hash(_ bytes: ArraySlice<UInt8>) -> [UInt8] { hash(bytes.span) }

    package static func hash(_ text: String) -> [UInt8] { hash(text.utf8.span) }

    package static func hash(_ bytes: Span<UInt8>) -> [UInt8] {
        var state = SHA256State()
        state.update(bytes)
        return Array(copying: state.finish().span)
    }
}
