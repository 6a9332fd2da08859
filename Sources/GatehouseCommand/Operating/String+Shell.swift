extension String {
    /// The text as one word of a shell's command line.
    var shellQuoted: String {
        let isPlain =
            !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "/._-+@%:,".utf8.contains(byte)
                }
            }
        return isPlain ? self : "'" + printable.replacing("'", with: "'\\''") + "'"
    }
}
