/// A rough estimate of how well a secret can be guessed. It finds secrets that a person has typed or copied from an example,
/// and refuses no random one: of 32 random characters nearly every one counts, and eight are enough.
extension [UInt8] {
    /// 32 random bytes have fewer different values with a probability below 10^-30, their hexadecimal digits below 10^-18.
    static let minimumParts = 8

    var isRepetitive: Bool { Set(self).count < Self.minimumParts }

    var isPredictable: Bool {
        if isRepetitive { return true }
        let text = map(Self.inLowerCase)
        return Self.hasPlaceholder(text) || !Self.hasEnoughParts(text)
    }

    /// Texts that mean "put a secret here". 32 random bytes in base64 contain one of them, in any case, with a probability
    /// below 10^-9.
    private static let placeholders = [
        "changeme", "changethis", "replaceme", "replacethis", "placeholder", "password", "yoursecret",
    ].map { Array($0.utf8) }

    /// Each counts as one part.
    private static let words = ["change", "secret", "example", "default", "qwertyuiop", "asdfghjkl", "zxcvbnm"]
        .map { Array($0.utf8) }

    /// Shorter repetitions and sequences also occur in random secrets.
    private static let shortestPattern = 4

    private static func inLowerCase(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    private static func hasPlaceholder(_ text: [UInt8]) -> Bool {
        let letters = text.filter { !" -_.".utf8.contains($0) }
        return placeholders.contains { !letters.ranges(of: $0).isEmpty }
    }

    /// A part is a byte, or a longer piece that needs no guessing: one that repeats earlier bytes, a sequence, or a word.
    private static func hasEnoughParts(_ text: [UInt8]) -> Bool {
        var start = 0
        for _ in 1..<minimumParts {
            start += length(ofPartAt: start, in: text)
            if start >= text.count { return false }
        }
        return true
    }

    private static func length(ofPartAt start: Int, in text: [UInt8]) -> Int {
        let word = words.first { text[start...].starts(with: $0) }?.count ?? 0
        let pattern = Swift.max(sequence(at: start, in: text), repetition(at: start, in: text))
        return Swift.max(word, pattern < shortestPattern ? 1 : pattern)
    }

    /// The length of a sequence with the same difference between all bytes, such as `3456`, `aaaa` and `fedc`.
    private static func sequence(at start: Int, in text: [UInt8]) -> Int {
        var end = start + 1
        while end < text.count, text[end] &- text[end - 1] == text[start + 1] &- text[start] { end += 1 }
        return end - start
    }

    /// How many bytes are the same as those from an earlier place on.
    private static func repetition(at start: Int, in text: [UInt8]) -> Int {
        (0..<start).lazy.map { earlier in zip(text[earlier...], text[start...]).prefix { $0 == $1 }.count }.max() ?? 0
    }
}
