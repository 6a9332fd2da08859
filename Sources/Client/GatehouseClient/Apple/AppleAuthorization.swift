#if canImport(AuthenticationServices) && canImport(CryptoKit) && !os(watchOS)
    import AuthenticationServices

    /// One presentation of Apple's sheet, or of the suggestions above the keyboard. It ends once: with Apple's answer, by
    /// ``cancel()``, when another one begins, or when it is released.
    @MainActor
    final class AppleAuthorization: NSObject {
        typealias Answer = Result<AppleCredential, AppleSignInError>

        enum Style {
            case sheet
            /// A sheet only if a credential is on this device. Otherwise it is cancelled at once.
            case sheetIfAvailable
            case suggestions
        }

        /// The system shows one at a time.
        private static weak var current: AppleAuthorization?

        private let controller: ASAuthorizationController
        private let provider: AnchorProvider?
        private let nonce: String?
        private var waiting: CheckedContinuation<Answer, Never>?
        private var isCancelled = false
        private(set) var isExpired = false

        /// - Parameter nonce: the nonce that the request for Sign in with Apple had; nil without such a request.
        init(
            _ requests: [ASAuthorizationRequest], nonce: String? = nil,
            anchor: (@MainActor () -> ASPresentationAnchor)?
        ) {
            self.nonce = nonce
            controller = ASAuthorizationController(authorizationRequests: requests)
            provider = anchor.map(AnchorProvider.init)
            super.init()
            controller.delegate = self
            // Without a provider, the system chooses the window.
            controller.presentationContextProvider = provider
        }

        deinit { waiting?.resume(returning: .failure(.cancelled)) }

        /// Must be called once.
        func perform(_ style: Style = .sheet) async -> Answer {
            Self.current?.cancel()
            Self.current = self
            return await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    guard !isCancelled, !Task.isCancelled else {
                        return continuation.resume(returning: .failure(.cancelled))
                    }
                    waiting = continuation
                    start(style)
                }
            } onCancel: {
                Task { @MainActor in cancel() }
            }
        }

        private func start(_ style: Style) {
            switch style {
            case .sheet: controller.performRequests()
            case .sheetIfAvailable:
                #if os(tvOS)
                    controller.performRequests()
                #else
                    controller.performRequests(options: .preferImmediatelyAvailableCredentials)
                #endif
            case .suggestions:
                #if os(macOS) || os(tvOS) || targetEnvironment(macCatalyst)
                    finish(.failure(.apple(.notHandled)))
                #else
                    controller.performAutoFillAssistedRequests()
                #endif
            }
        }

        /// The caller gets its answer at once, also if the controller never calls back.
        func cancel() {
            isCancelled = true
            guard waiting != nil else { return }
            finish(.failure(.cancelled))
            controller.cancel()
        }

        /// Cancels it, so that the caller begins it again.
        func expire() {
            isExpired = waiting != nil
            cancel()
        }

        private func finish(_ answer: Answer) {
            // The controller may also call back for the cancellation.
            waiting?.resume(returning: answer)
            waiting = nil
        }
    }

    extension AppleAuthorization: ASAuthorizationControllerDelegate {
        func authorizationController(
            controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization
        ) {
            do throws(AppleSignInError) {
                finish(.success(try AppleCredential(authorization, nonce: nonce)))
            } catch {
                finish(.failure(error))
            }
        }

        func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {
            finish(.failure(AppleSignInError(error)))
        }
    }

    @MainActor
    private final class AnchorProvider: NSObject, ASAuthorizationControllerPresentationContextProviding {
        private let anchor: @MainActor () -> ASPresentationAnchor

        init(_ anchor: @escaping @MainActor () -> ASPresentationAnchor) { self.anchor = anchor }

        func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor { anchor() }
    }
#endif

#if canImport(AuthenticationServices) && canImport(CryptoKit)
    import AuthenticationServices
    import CryptoKit
    import Foundation

    extension AppleLogin {
        /// The content of Apple's answer to a request with this nonce.
        init(_ authorization: ASAuthorization, nonce: String) throws(AppleSignInError) {
            guard let credential = authorization.credential as? ASAuthorizationAppleIDCredential,
                let token = credential.identityToken.flatMap(Self.text), !token.isEmpty
            else { throw .noIdentityToken }
            self.init(
                identityToken: token, nonce: nonce,
                authorizationCode: credential.authorizationCode.flatMap(Self.text))
            userIdentifier = credential.user
            email = credential.email
            fullName = credential.fullName.flatMap(Name.init)
            realUserStatus = credential.realUserStatus.rawValue
        }

        private static func text(_ data: Data) -> String? { String(data: data, encoding: .utf8) }
    }

    extension AppleLogin.Name {
        /// Nil without any part: Apple gives an empty name at each login but the first.
        init?(_ name: PersonNameComponents) {
            guard name.givenName != nil || name.familyName != nil else { return nil }
            self.init(givenName: name.givenName, familyName: name.familyName)
        }
    }

    extension LoginChallenge {
        /// The SHA-256 of the nonce in lowercase hexadecimal, which Apple copies into the identity token.
        var hash: String {
            let digits = Array("0123456789abcdef")
            return SHA256.hash(data: Data(nonce.utf8)).reduce(into: "") { text, byte in
                text.append(digits[Int(byte >> 4)])
                text.append(digits[Int(byte & 15)])
            }
        }
    }
#endif
