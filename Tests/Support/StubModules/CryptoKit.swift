// What the sources and the documentation use of Apple's CryptoKit. The digest is the bytes 0 to 31.
import Foundation

public struct SHA256Digest: Sequence, Sendable {
    public func makeIterator() -> Array<UInt8>.Iterator { Array(0..<32).makeIterator() }
}

public struct SHA256: Sendable {
    public static func hash<D: DataProtocol>(data: D) -> SHA256Digest { SHA256Digest() }
}
