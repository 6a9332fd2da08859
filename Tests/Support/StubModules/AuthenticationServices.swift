// What the sources and the documentation use of Apple's AuthenticationServices, with the signatures of Apple's documentation.
// A controller does nothing but record that it was started; members with `stub` in their name let a test answer.
@_exported import Foundation

/// In reality UIWindow or NSWindow, which belong to the main actor.
@MainActor open class ASPresentationAnchor {
    public init() {}
}

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

// MARK: A browser over the app

public struct ASWebAuthenticationSessionError: Error, CustomNSError {
    public enum Code: Int, Sendable {
        case canceledLogin = 1
        case presentationContextNotProvided, presentationContextInvalid
    }
    public let code: Code
    public static let canceledLogin = Code.canceledLogin
    private let reason: String?
    public var errorUserInfo: [String: Any] { reason.map { [NSLocalizedFailureReasonErrorKey: $0] } ?? [:] }
    public init(_ code: Code, stubReason reason: String? = nil) { (self.code, self.reason) = (code, reason) }
}

extension ASWebAuthenticationSessionError.Code {
    /// As Foundation does for the codes of an error that it imports.
    public static func ~= (code: Self, error: any Error) -> Bool {
        (error as? ASWebAuthenticationSessionError)?.code == code
    }
}

public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

open class ASWebAuthenticationSession: NSObject {
    public final class Callback: NSObject, Sendable {
        public let stubScheme: String
        public let stubPlace: [String]
        private init(_ scheme: String, _ place: [String]) { (stubScheme, stubPlace) = (scheme, place) }
        public class func customScheme(_ customScheme: String) -> Callback { Callback(customScheme, []) }
        public class func https(host: String, path: String) -> Callback { Callback("https", [host, path]) }
    }

    public typealias CompletionHandler = (URL?, (any Error)?) -> Void

    nonisolated(unsafe) public static var stubStarted: [ASWebAuthenticationSession] = []
    nonisolated(unsafe) public static var stubCancelled: [ASWebAuthenticationSession] = []
    nonisolated(unsafe) public static var stubStarts = true
    public let stubURL: URL
    public let stubCallback: Callback
    nonisolated(unsafe) private let completion: CompletionHandler
    open weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
    open var prefersEphemeralWebBrowserSession = false

    public init(url URL: URL, callbackURLScheme: String?, completionHandler: @escaping CompletionHandler) {
        (stubURL, stubCallback, completion) = (URL, .customScheme(callbackURLScheme ?? ""), completionHandler)
    }
    public init(url URL: URL, callback: Callback, completionHandler: @escaping CompletionHandler) {
        (stubURL, stubCallback, completion) = (URL, callback, completionHandler)
    }
    open func start() -> Bool {
        if Self.stubStarts { Self.stubStarted.append(self) }
        return Self.stubStarts
    }
    open func cancel() { Self.stubCancelled.append(self) }

    /// Apple's one calls back on a queue of its own.
    public func stubComplete(_ url: URL?, _ error: (any Error)?) {
        nonisolated(unsafe) let completion = completion
        Thread.detachNewThread { completion(url, error) }
    }
}
