/// Declarations of what the documentation uses of Apple's frameworks, with the signatures of Apple's documentation. Core
/// Foundation's types are Swift's here, because Linux does not bridge them.
enum AppleFrameworks {
    static let sources = [
        "AuthenticationServices": authenticationServices, "CryptoKit": cryptoKit, "Security": security,
    ]

    private static let authenticationServices = """
        @_exported import Foundation
        open class ASAuthorizationRequest: NSObject {}
        open class ASAuthorizationOpenIDRequest: ASAuthorizationRequest {
            open var requestedScopes: [ASAuthorization.Scope]?
            open var nonce: String?
        }
        open class ASAuthorizationAppleIDRequest: ASAuthorizationOpenIDRequest {}
        open class ASAuthorization: NSObject {
            public struct Scope: Hashable, Sendable {
                public static let fullName = Scope()
                public static let email = Scope()
            }
        }
        open class ASAuthorizationAppleIDProvider: NSObject {
            public enum CredentialState: Int, Sendable { case revoked, authorized, notFound, transferred }
            open func createRequest() -> ASAuthorizationAppleIDRequest { fatalError() }
            open func credentialState(forUserID userID: String) async throws -> CredentialState { fatalError() }
        }
        public enum ASUserDetectionStatus: Int, Sendable { case unsupported, unknown, likelyReal }
        open class ASAuthorizationAppleIDCredential: NSObject {
            open var user: String { fatalError() }
            open var identityToken: Data? { fatalError() }
            open var authorizationCode: Data? { fatalError() }
            open var email: String? { fatalError() }
            open var fullName: PersonNameComponents? { fatalError() }
            open var realUserStatus: ASUserDetectionStatus { fatalError() }
        }
        """

    private static let cryptoKit = """
        import Foundation
        public struct SHA256Digest: Sequence, Sendable {
            public func makeIterator() -> Array<UInt8>.Iterator { fatalError() }
        }
        public struct SHA256: Sendable {
            public static func hash<D: DataProtocol>(data: D) -> SHA256Digest { fatalError() }
        }
        """

    private static let security = """
        import Foundation
        public typealias OSStatus = Int32
        public typealias CFTypeRef = AnyObject
        public typealias CFString = String
        public typealias CFDictionary = [String: Any]
        public let kSecClass = "", kSecClassGenericPassword = "", kSecAttrService = "", kSecValueData = ""
        public let kSecAttrAccessible = "", kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly = "", kSecReturnData = ""
        public let errSecSuccess: OSStatus = 0, errSecItemNotFound: OSStatus = -25300
        public func SecItemAdd(
            _ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
        ) -> OSStatus { fatalError() }
        public func SecItemUpdate(_ query: CFDictionary, _ attributes: CFDictionary) -> OSStatus { fatalError() }
        public func SecItemCopyMatching(
            _ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
        ) -> OSStatus { fatalError() }
        public func SecItemDelete(_ query: CFDictionary) -> OSStatus { fatalError() }
        """
}
