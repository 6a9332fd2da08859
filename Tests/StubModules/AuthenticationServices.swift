// Declarations of what the sources and the documentation use of Apple's AuthenticationServices, with the signatures of
// Apple's documentation.
@_exported import Foundation

/// In reality UIWindow or NSWindow, which belong to the main actor.
@MainActor open class ASPresentationAnchor {}

open class ASAuthorizationRequest: NSObject {}
open class ASAuthorizationOpenIDRequest: ASAuthorizationRequest {
    open var requestedScopes: [ASAuthorization.Scope]?
    open var nonce: String?
}
open class ASAuthorizationAppleIDRequest: ASAuthorizationOpenIDRequest {}

public protocol ASAuthorizationCredential: NSObjectProtocol {}
open class ASAuthorization: NSObject {
    public struct Scope: Hashable, Sendable {
        public static let fullName = Scope()
        public static let email = Scope()
    }
    open var credential: any ASAuthorizationCredential { fatalError() }
}

open class ASAuthorizationAppleIDProvider: NSObject {
    public enum CredentialState: Int, Sendable { case revoked, authorized, notFound, transferred }
    public class var credentialRevokedNotification: NSNotification.Name { fatalError() }
    open func createRequest() -> ASAuthorizationAppleIDRequest { fatalError() }
    open func credentialState(forUserID userID: String) async throws -> CredentialState { fatalError() }
}

public enum ASUserDetectionStatus: Int, Sendable { case unsupported, unknown, likelyReal }
open class ASAuthorizationAppleIDCredential: NSObject, ASAuthorizationCredential {
    open var user: String { fatalError() }
    open var identityToken: Data? { fatalError() }
    open var authorizationCode: Data? { fatalError() }
    open var email: String? { fatalError() }
    open var fullName: PersonNameComponents? { fatalError() }
    open var realUserStatus: ASUserDetectionStatus { fatalError() }
}

public struct ASAuthorizationError: Error {
    public enum Code: Int, Sendable {
        case unknown = 1000
        case canceled, invalidResponse, notHandled, failed, notInteractive
    }
    public var code: Code { fatalError() }
}

@MainActor public protocol ASAuthorizationControllerDelegate: NSObjectProtocol {
    func authorizationController(
        controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization)
    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error)
}

@MainActor public protocol ASAuthorizationControllerPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor
}

open class ASAuthorizationController: NSObject {
    public init(authorizationRequests: [ASAuthorizationRequest]) {}
    open weak var delegate: (any ASAuthorizationControllerDelegate)?
    open weak var presentationContextProvider: (any ASAuthorizationControllerPresentationContextProviding)?
    open func performRequests() {}
    open func cancel() {}
}
