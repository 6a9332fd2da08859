import Foundation
import JOSE
import OpenSSL
import Synchronization

/// RSA keys that the fake Apples of this process have in common, because a key takes a quarter of a second to generate.
enum SharedRSAKeys {
    private static let keys = Mutex<[RSAPrivateKey]>([])

    static func key(at index: Int) throws -> RSAPrivateKey {
        try keys.withLock { keys in
            while keys.count <= index { keys.append(try RSAPrivateKey.generate()) }
            return keys[index]
        }
    }

    /// Writes two keys into the folder of a fake Apple, which generates them where there are none.
    static func write(intoFolder folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let blocks = try (0..<2).map { try SigningKey(key(at: $0)).pem ?? "" }
        try blocks.joined().write(toFile: folder + "/apple-key.pem", atomically: true, encoding: .utf8)
    }
}
