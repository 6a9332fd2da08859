import Foundation

#if canImport(CryptoKit)
    import CryptoKit
#endif

/// What proves that the app which exchanges a code is the one that started the sign-in (RFC 7636, PKCE).
package struct CodeVerifier: Sendable {
    package let text: String

    /// Of 32 random bytes.
    package init() { self.init(.random) }

    package init(_ text: String) { self.text = text }

    /// With the method `S256`.
    package var challenge: String { Self.sha256(Data(text.utf8)).base64URL }

    #if canImport(CryptoKit)
        private static func sha256(_ data: Data) -> Data { Data(SHA256.hash(data: data)) }
    #else
        private static func sha256(_ data: Data) -> Data { PortableSHA256.hash(data) }
    #endif
}

extension String {
    /// 32 bytes of the system's generator, which is made for cryptography, in base64url.
    static var random: String {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }).base64URL
    }
}

#if !canImport(CryptoKit)
    import Foundation

    /// SHA-256 (FIPS 180-4) for systems without CryptoKit, because the library depends on Foundation alone.
    package enum PortableSHA256 {
        package static func hash(_ message: Data) -> Data {
            var state = initial
            let bytes = padded(message)
            for start in stride(from: 0, to: bytes.count, by: 64) { add(words(bytes[start..<start + 64]), to: &state) }
            return Data(state.flatMap(bigEndian))
        }

        /// With a bit 1, then as many bits 0 as fill a block, and the length in bits.
        private static func padded(_ message: Data) -> [UInt8] {
            let length = UInt64(message.count) * 8
            let zeros = (119 - message.count % 64) % 64
            return Array(message) + [0x80] + Array(repeating: 0, count: zeros) + bigEndian(length)
        }

        private static func words(_ block: ArraySlice<UInt8>) -> [UInt32] {
            stride(from: block.startIndex, to: block.endIndex, by: 4).map { start in
                block[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
            }
        }

        /// The compression function (section 6.2.2).
        private static func add(_ block: [UInt32], to state: inout [UInt32]) {
            let schedule = schedule(block)
            var work = state
            for round in 0..<64 {
                let (a, b, c, e, f, g) = (work[0], work[1], work[2], work[4], work[5], work[6])
                let first =
                    work[7] &+ (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) &+ ((e & f) ^ (~e & g))
                    &+ constants[round] &+ schedule[round]
                let second =
                    (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) &+ ((a & b) ^ (a & c) ^ (b & c))
                work = [first &+ second, a, b, c, work[3] &+ first, e, f, g]
            }
            for index in state.indices { state[index] &+= work[index] }
        }

        private static func schedule(_ block: [UInt32]) -> [UInt32] {
            var words = block
            for index in 16..<64 {
                let (early, late) = (words[index - 15], words[index - 2])
                words.append(
                    words[index - 16] &+ (rotated(early, 7) ^ rotated(early, 18) ^ early >> 3) &+ words[index - 7]
                        &+ (rotated(late, 17) ^ rotated(late, 19) ^ late >> 10))
            }
            return words
        }

        private static func rotated(_ word: UInt32, _ bits: UInt32) -> UInt32 { word >> bits | word << (32 - bits) }

        private static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
            stride(from: number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
        }

        private static let initial: [UInt32] = [
            0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
        ]

        private static let constants: [UInt32] = [
            0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
            0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
            0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
            0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
            0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
            0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
            0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
            0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
        ]
    }
#endif

/// The parameters of an answer, in the form of OAuth (RFC 6749, appendix B).
struct QueryParameters {
    private let values: [String: [String]]

    init(of url: URL) {
        let query = URLComponents(url: url, resolvingAgainstBaseURL: true)?.percentEncodedQuery ?? ""
        let pairs = query.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1).map(Self.decoded) }
        values = Dictionary(grouping: pairs) { $0.first ?? "" }.mapValues { $0.map { $0.count > 1 ? $0[1] : "" } }
    }

    /// Nil also for a parameter that occurs twice (RFC 6749, section 3.1).
    subscript(_ name: String) -> String? {
        guard let found = values[name], found.count == 1 else { return nil }
        return found[0]
    }

    private static func decoded(_ text: Substring) -> String {
        let text = text.replacingOccurrences(of: "+", with: " ")
        return text.removingPercentEncoding ?? text
    }
}

extension URL {
    /// Every character that has a meaning in a query is encoded, also those that `URLQueryItem` leaves as they are.
    func appendingQuery(_ parameters: [(name: String, value: String)]) -> URL {
        let pairs = parameters.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .unreserved) ?? "")"
        }
        var parts = URLComponents(url: self, resolvingAgainstBaseURL: true)
        parts?.percentEncodedQuery = pairs.joined(separator: "&")
        return parts?.url ?? self
    }
}

extension String {
    /// The time depends on the lengths alone, so that it does not tell how much of a guess is right.
    func isEqual(inConstantTimeTo other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        // Without the parentheses, `|` would come before `^`.
        return zip(utf8, other.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
