/// The name of a request, as a front may have given it.
enum RequestID {
    private static let longest = 64

    /// The name where it is fit for a header and a log; nil for anything else, which a front may have taken over from a
    /// client unseen.
    static func accepted(_ text: ArraySlice<UInt8>) -> String? {
        let bytes = text.span
        guard (1...longest).contains(bytes.count) else { return nil }
        for index in bytes.indices where !isPlain(bytes[index]) { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
