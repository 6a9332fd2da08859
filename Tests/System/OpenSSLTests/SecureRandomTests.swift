import OpenSSL
import Testing

@Suite("Random bytes")
struct SecureRandomTests {
    @Test("have the requested length and differ each time", arguments: [0, 1, 16, 255, 256, 257, 512, 1000])
    func count(count: Int) {
        let (first, second) = (SecureRandom.bytes(count), SecureRandom.bytes(count))
        #expect(first.count == count && second.count == count)
        if count >= 16 { #expect(first != second) }
    }

    @Test("fill the whole array", arguments: [16, 256, 257, 300])
    func everyPlace(count: Int) {
        var seen = [UInt8](repeating: 0, count: count)
        for _ in 0..<64 { for (place, byte) in SecureRandom.bytes(count).enumerated() { seen[place] |= byte } }
        #expect(seen.allSatisfy { $0 == 0xFF })
    }
}
