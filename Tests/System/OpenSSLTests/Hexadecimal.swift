extension [UInt8] {
    /// Two digits for each byte.
    var hexadecimal: String {
        map { String(0x100 + Int($0), radix: 16).dropFirst() }.joined()
    }
}
