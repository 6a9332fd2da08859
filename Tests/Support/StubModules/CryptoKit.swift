// What the sources and the documentation use of Apple's CryptoKit. The digest is the bytes 0 to 31; a key is a number, and a
// signature is the number and the first bytes of the message.
import Foundation
import Security

public struct SHA256Digest: Sequence, Sendable {
    public func makeIterator() -> Array<UInt8>.Iterator { Array(0..<32).makeIterator() }
}

public struct SHA256: Sendable {
    public static func hash<D: DataProtocol>(data: D) -> SHA256Digest { SHA256Digest() }
}

public enum CryptoKitError: Error {
    case incorrectKeySize
    case authenticationFailure
}

public enum StubEnclave {
    nonisolated(unsafe) public static var isAvailable = true
    /// Another one after the device was erased, or on another device. Zero does not answer.
    nonisolated(unsafe) public static var number: UInt8 = 1
    /// How many of the next uses fail.
    nonisolated(unsafe) public static var failures = 0
    nonisolated(unsafe) public static var accessControl: SecAccessControl?
    nonisolated(unsafe) fileprivate static var keys: UInt8 = 0

    fileprivate static func nextKey() -> UInt8 {
        keys += 1
        return keys
    }
}

public enum P256: Sendable {
    public enum Signing: Sendable {
        public struct PublicKey: Sendable {
            public let rawRepresentation: Data
        }

        public struct ECDSASignature: Sendable {
            public let rawRepresentation: Data

            init(_ key: UInt8, _ message: some DataProtocol) {
                rawRepresentation = Data(repeating: key, count: 32) + (Data(message) + Data(count: 32)).prefix(32)
            }
        }

        public struct PrivateKey: Sendable {
            private let key: UInt8

            public init(compactRepresentable: Bool = true) { key = StubEnclave.nextKey() }

            public init<D: ContiguousBytes>(rawRepresentation: D) throws {
                let bytes = rawRepresentation.withUnsafeBytes { Array($0) }
                guard bytes.count == 32 else { throw CryptoKitError.incorrectKeySize }
                key = bytes[0]
            }

            public var publicKey: PublicKey { PublicKey(rawRepresentation: Data(repeating: key, count: 64)) }
            public var rawRepresentation: Data { Data(repeating: key, count: 32) }

            public func signature<D: DataProtocol>(for data: D) throws -> ECDSASignature { ECDSASignature(key, data) }
        }
    }
}

public enum SecureEnclave: Sendable {
    public static var isAvailable: Bool { StubEnclave.isAvailable }

    public enum P256: Sendable {
        public enum Signing: Sendable {
            public struct PrivateKey: Sendable {
                private let enclave: UInt8
                private let key: UInt8

                public init(compactRepresentable: Bool = true, accessControl: SecAccessControl) throws {
                    (enclave, key) = (StubEnclave.number, StubEnclave.nextKey())
                    StubEnclave.accessControl = accessControl
                    try check()
                }

                public init(dataRepresentation: Data) throws {
                    (enclave, key) = (dataRepresentation[0], dataRepresentation[1])
                    try check()
                }

                public var publicKey: CryptoKit.P256.Signing.PublicKey {
                    CryptoKit.P256.Signing.PublicKey(rawRepresentation: Data(repeating: key, count: 64))
                }
                public var dataRepresentation: Data { Data([enclave, key]) }

                public func signature<D: DataProtocol>(
                    for data: D
                ) throws -> CryptoKit.P256.Signing.ECDSASignature {
                    try check()
                    return CryptoKit.P256.Signing.ECDSASignature(key, data)
                }

                private func check() throws {
                    if StubEnclave.failures > 0 {
                        StubEnclave.failures -= 1
                        throw CryptoKitError.authenticationFailure
                    }
                    guard enclave == StubEnclave.number, enclave != 0 else {
                        throw CryptoKitError.authenticationFailure
                    }
                }
            }
        }
    }
}
