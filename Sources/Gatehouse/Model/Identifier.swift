/// Makes the ids of rows: a prefix that tells what it names, then 48 bits of milliseconds and 80 random bits in
/// Crockford's base 32. Ids sort by creation time, so that inserts append to the end of an index.
package enum Identifier {
    package static let randomBytes = 10

    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    package static func make(_ prefix: String, at now: Timestamp, random: [UInt8]) -> String {
        precondition(random.count == randomBytes)
        var value = UInt128(UInt64(clamping: now.milliseconds) & 0xFFFF_FFFF_FFFF)
        for byte in random { value = value << 8 | UInt128(byte) }
        var digits = [UInt8](repeating: 0, count: 26)
        for place in digits.indices.reversed() {
            digits[place] = alphabet[Int(truncatingIfNeeded: value & 31)]
            value >>= 5
        }
        return prefix + "_" + String(decoding: digits, as: UTF8.self)
    }
}
