package import GatehouseWeb
import JOSE
import OpenSSL

extension PublishedDocument {
    /// The description of the API, with the version of this program.
    package static let openAPI = PublishedDocument(hashing: OpenAPIDocument.bytes(version: Version.current))

    /// The same without the operations that only the machine itself reaches.
    package static let openAPIForClients = PublishedDocument(
        hashing: OpenAPIDocument.bytesForClients(version: Version.current))

    /// The tag is a hash, so that every process and every node has the same tag for the same bytes.
    init(hashing bytes: [UInt8]) {
        self.init(bytes: bytes, tag: Base64URL.encode(SHA256.hash(bytes)))
    }
}
