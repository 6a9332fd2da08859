// What the sources and the documentation use of Apple's AuthenticationServices, with the signatures of Apple's documentation.
// A controller does nothing but record that it was started; members with `stub` in their name let a test answer.
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
    open var credential: any ASAuthorizationCredential
    public init(stub credential: any ASAuthorizationCredential) { self.credential = credential }
}

open class ASAuthorizationAppleIDProvider: NSObject {
    public enum CredentialState: Int, Sendable { case revoked, authorized, notFound, transferred }
    public class var credentialRevokedNotification: NSNotification.Name { .init("revoked") }
    open func createRequest() -> ASAuthorizationAppleIDRequest { ASAuthorizationAppleIDRequest() }
    open func credentialState(forUserID userID: String) async throws -> CredentialState {
        userID == "revoked" ? .revoked : .authorized
    }
}

public enum ASUserDetectionStatus: Int, Sendable { case unsupported, unknown, likelyReal }
open class ASAuthorizationAppleIDCredential: NSObject, ASAuthorizationCredential {
    open var user: String
    open var identityToken: Data?
    open var authorizationCode: Data?
    open var email: String?
    open var fullName: PersonNameComponents?
    open var realUserStatus: ASUserDetectionStatus { .likelyReal }
    public init(stubUser user: String) { self.user = user }
}

public struct ASAuthorizationError: Error {
    public enum Code: Int, Sendable {
        case unknown = 1000
        case canceled, invalidResponse, notHandled, failed, notInteractive
    }
    public let code: Code
    public init(_ code: Code) { self.code = code }
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
    nonisolated(unsafe) public static var stubStarted: [ASAuthorizationController] = []
    nonisolated(unsafe) public static var stubCancelled: [ASAuthorizationController] = []
    public let authorizationRequests: [ASAuthorizationRequest]
    public init(authorizationRequests: [ASAuthorizationRequest]) { self.authorizationRequests = authorizationRequests }
    open weak var delegate: (any ASAuthorizationControllerDelegate)?
    open weak var presentationContextProvider: (any ASAuthorizationControllerPresentationContextProviding)?
    open func performRequests() { Self.stubStarted.append(self) }
    open func cancel() { Self.stubCancelled.append(self) }
}
