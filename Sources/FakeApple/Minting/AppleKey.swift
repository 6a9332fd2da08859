package import JOSE
import POSIX

/// The key that stands in for Apple's. Kept in a folder, so that a server and a command mint with the same one.
package struct AppleKey: Sendable {
    package let signing: SigningKey

    /// Reads the key of a folder, and makes one where there is none.
    package init(in directory: String) throws {
        let path = directory + "/apple-key.pem"
        try File.makeDirectory(directory)
        if !File.exists(path) {
            guard let pem = try SigningKey.generate(.RS256).pem else { preconditionFailure("an RSA key has a PEM") }
            try File.replace(path, with: Array(pem.utf8))
        }
        let pem = String(decoding: try File.read(path), as: UTF8.self)
        // Apple's key ids are ten characters, or were once named like this one.
        signing = try SigningKey(pem: pem, keyID: String(try SigningKey(pem: pem).thumbprint.prefix(10)))
    }
}
