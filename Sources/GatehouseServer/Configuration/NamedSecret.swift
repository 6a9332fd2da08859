import GatehouseTokens
import JOSE

/// A secret, and where it stands.
struct NamedSecret {
    let place: SettingKey
    let bytes: [UInt8]

    init(_ place: SettingKey) {
        self.place = place
        bytes = Array(place.text.utf8)
    }

    var name: String { place.name }

    /// Nil where the secret is too short.
    var key: SigningKey? { try? SigningKey(writtenSecret: bytes) }

    /// What is wrong with it, nil where nothing is.
    func flaw(atLeast byteCount: Int) -> String? {
        if bytes.count < byteCount { return "is too short: it needs at least \(byteCount) bytes" }
        return bytes.isRepetitive || decoded?.isRepetitive == true ? Self.repetitive : nil
    }

    static let repetitive =
        "is not random: it has fewer than \([UInt8].leastDistinctSecretBytes) different bytes; make one with: "
        + "gatehouse keys generate --alg HS256"

    /// Whether two are one secret, be it spelled in two ways.
    func isSame(as other: NamedSecret) -> Bool {
        bytes == other.bytes || decoded != nil && decoded == other.decoded
    }

    /// What base64 stands for, where it is 32 bytes.
    private var decoded: [UInt8]? { DataKey.bytes(written: String(decoding: bytes, as: UTF8.self)) }
}

extension [UInt8] {
    /// The chance that 32 random bytes have fewer is below 10^-30, that their hexadecimal digits do below 10^-18.
    static let leastDistinctSecretBytes = 8

    var isRepetitive: Bool { Set(self).count < Self.leastDistinctSecretBytes }
}
