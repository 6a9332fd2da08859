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
        case canceled, invalidResponse, notHandled, failed, notInteractive, matchedExcludedCredential
        case credentialImport, credentialExport, preferSignInWithApple, deviceNotConfiguredForPasskeyCreation
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
    public struct RequestOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let preferImmediatelyAvailableCredentials = RequestOptions(rawValue: 1)
    }

    public private(set) var stubStyle = ""
    open func performRequests() { start("sheet") }
    open func performRequests(options: RequestOptions) { start(options.isEmpty ? "sheet" : "available") }
    open func performAutoFillAssistedRequests() { start("suggestions") }
    open func cancel() { Self.stubCancelled.append(self) }
    private func start(_ style: String) {
        stubStyle = style
        Self.stubStarted.append(self)
    }
}

// MARK: Passkeys

public struct ASAuthorizationPublicKeyCredentialUserVerificationPreference: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let preferred = Self(rawValue: "preferred")
    public static let required = Self(rawValue: "required")
    public static let discouraged = Self(rawValue: "discouraged")
}

open class ASAuthorizationPlatformPublicKeyCredentialDescriptor: NSObject {
    open var credentialID: Data
    public init(credentialID: Data) { self.credentialID = credentialID }
}

open class ASAuthorizationPlatformPublicKeyCredentialAssertionRequest: ASAuthorizationRequest {
    open var challenge = Data()
    open var relyingPartyIdentifier = ""
    open var userVerificationPreference = ASAuthorizationPublicKeyCredentialUserVerificationPreference.preferred
}

open class ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest: ASAuthorizationRequest {
    open var challenge = Data()
    open var relyingPartyIdentifier = ""
    open var name = ""
    open var displayName: String?
    open var userID = Data()
    open var userVerificationPreference = ASAuthorizationPublicKeyCredentialUserVerificationPreference.preferred
    /// Since iOS 17.4 and macOS 13.5.
    open var excludedCredentials: [ASAuthorizationPlatformPublicKeyCredentialDescriptor]?
}

open class ASAuthorizationPlatformPublicKeyCredentialProvider: NSObject {
    public let relyingPartyIdentifier: String
    public init(relyingPartyIdentifier: String) { self.relyingPartyIdentifier = relyingPartyIdentifier }
    open func createCredentialAssertionRequest(
        challenge: Data
    ) -> ASAuthorizationPlatformPublicKeyCredentialAssertionRequest {
        let request = ASAuthorizationPlatformPublicKeyCredentialAssertionRequest()
        (request.challenge, request.relyingPartyIdentifier) = (challenge, relyingPartyIdentifier)
        return request
    }
    open func createCredentialRegistrationRequest(
        challenge: Data, name: String, userID: Data
    ) -> ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest {
        let request = ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest()
        (request.challenge, request.relyingPartyIdentifier) = (challenge, relyingPartyIdentifier)
        (request.name, request.userID) = (name, userID)
        return request
    }
}

open class ASAuthorizationPlatformPublicKeyCredentialAssertion: NSObject, ASAuthorizationCredential {
    open var credentialID: Data
    open var rawClientDataJSON = Data("client".utf8)
    open var rawAuthenticatorData: Data? = Data("data".utf8)
    open var signature: Data? = Data("signature".utf8)
    open var userID: Data? = Data("user".utf8)
    public init(stubID credentialID: Data) { self.credentialID = credentialID }
}

open class ASAuthorizationPlatformPublicKeyCredentialRegistration: NSObject, ASAuthorizationCredential {
    open var credentialID: Data
    open var rawClientDataJSON = Data("client".utf8)
    open var rawAttestationObject: Data? = Data("attestation".utf8)
    public init(stubID credentialID: Data) { self.credentialID = credentialID }
}

// Since iOS 26.

public enum ASContactIdentifierRequest: Hashable, Sendable { case phoneNumber, email }
public struct ASEmailIdentifier: Hashable, Sendable { public let value: String }
public struct ASPhoneNumberIdentifier: Hashable, Sendable { public let value: String }
public enum ASContactIdentifier: Hashable, Sendable {
    case phoneNumber(ASPhoneNumberIdentifier)
    case email(ASEmailIdentifier)
}

open class ASAuthorizationAccountCreationPlatformPublicKeyCredentialRequest: ASAuthorizationRequest {
    public let acceptedContactIdentifiers: [ASContactIdentifierRequest]
    public let shouldRequestName: Bool
    public let relyingPartyIdentifier: String
    public let challenge: Data
    public let userID: Data
    fileprivate init(
        _ contacts: [ASContactIdentifierRequest], _ name: Bool, _ party: String, _ challenge: Data, _ userID: Data
    ) {
        (acceptedContactIdentifiers, shouldRequestName) = (contacts, name)
        (relyingPartyIdentifier, self.challenge, self.userID) = (party, challenge, userID)
    }
}

open class ASAuthorizationAccountCreationProvider: NSObject {
    public func createPlatformPublicKeyCredentialRegistrationRequest(
        acceptedContactIdentifiers: [ASContactIdentifierRequest], shouldRequestName: Bool,
        relyingPartyIdentifier: String, challenge: Data, userID: Data
    ) -> ASAuthorizationAccountCreationPlatformPublicKeyCredentialRequest {
        .init(acceptedContactIdentifiers, shouldRequestName, relyingPartyIdentifier, challenge, userID)
    }
}

open class ASAuthorizationAccountCreationPlatformPublicKeyCredential: NSObject, ASAuthorizationCredential {
    public let contactIdentifier: ASContactIdentifier
    public let name: PersonNameComponents?
    public let credentialRegistration: ASAuthorizationPlatformPublicKeyCredentialRegistration
    public init(stubEmail email: String, name: PersonNameComponents?, id: Data) {
        contactIdentifier = .email(ASEmailIdentifier(value: email))
        self.name = name
        credentialRegistration = ASAuthorizationPlatformPublicKeyCredentialRegistration(stubID: id)
    }
}

extension PersonNameComponents {
    /// Of Apple's Foundation.
    public func formatted() -> String { [givenName, familyName].compactMap { $0 }.joined(separator: " ") }
}

public final class ASCredentialUpdater {
    nonisolated(unsafe) public static var stubReports: [String] = []
    public init() {}
    public final func reportUnknownPublicKeyCredential(
        relyingPartyIdentifier: String, credentialID: Data
    ) async throws { Self.stubReports.append("unknown \(relyingPartyIdentifier) \(text(credentialID))") }
    public final func reportAllAcceptedPublicKeyCredentials(
        relyingPartyIdentifier: String, userHandle: Data, acceptedCredentialIDs: [Data]
    ) async throws {
        let ids = acceptedCredentialIDs.map(text).joined(separator: ",")
        Self.stubReports.append("accepted \(relyingPartyIdentifier) \(text(userHandle)) \(ids)")
    }
    public final func reportPublicKeyCredentialUpdate(
        relyingPartyIdentifier: String, userHandle: Data, newName: String
    ) async throws { Self.stubReports.append("name \(relyingPartyIdentifier) \(text(userHandle)) \(newName)") }
    private func text(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }
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
