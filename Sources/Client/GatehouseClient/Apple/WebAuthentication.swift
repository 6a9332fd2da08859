#if canImport(AuthenticationServices) && !os(watchOS) && !os(tvOS)
    import AuthenticationServices
    import Foundation

    /// One presentation of the system's browser. It ends once: with its answer, or when the task is cancelled.
    @MainActor
    final class WebAuthentication: NSObject {
        typealias Answer = Result<URL, WebSignInError>

        private let anchor: @MainActor () -> ASPresentationAnchor
        private var session: ASWebAuthenticationSession?
        private var waiting: CheckedContinuation<Answer, Never>?

        init(_ anchor: @escaping @MainActor () -> ASPresentationAnchor) { self.anchor = anchor }

        /// Must be called once.
        func answer(to webSignIn: WebSignIn, isEphemeral: Bool) async -> Answer {
            guard let session = makeSession(webSignIn) else {
                return .failure(.notPresented("an https redirect URI needs iOS 17.4 or macOS 14.4"))
            }
            session.presentationContextProvider = self
            session.prefersEphemeralWebBrowserSession = isEphemeral
            self.session = session
            return await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    guard !Task.isCancelled else { return continuation.resume(returning: .failure(.cancelled)) }
                    waiting = continuation
                    if !session.start() { finish(.failure(.notPresented("another one may be open"))) }
                }
            } onCancel: {
                Task { @MainActor in cancel() }
            }
        }

        /// Nil where this system cannot wait for such an address.
        private func makeSession(_ webSignIn: WebSignIn) -> ASWebAuthenticationSession? {
            // The system calls it on a queue of its own, where code of the main actor would stop the program.
            let completion = { @Sendable [weak self] (url: URL?, error: (any Error)?) in
                let answer = url.map(Answer.success) ?? .failure(WebSignInError(ofBrowser: error))
                Task { @MainActor in self?.finish(answer) }
            }
            let target = URLComponents(string: webSignIn.redirectURI)
            guard target?.scheme?.lowercased() == "https" else {
                return ASWebAuthenticationSession(
                    url: webSignIn.url, callbackURLScheme: target?.scheme, completionHandler: completion)
            }
            guard #available(iOS 17.4, macOS 14.4, visionOS 1.1, *) else { return nil }
            return ASWebAuthenticationSession(
                url: webSignIn.url, callback: .https(host: target?.host ?? "", path: target?.path ?? ""),
                completionHandler: completion)
        }

        private func cancel() {
            finish(.failure(.cancelled))
            session?.cancel()
        }

        private func finish(_ answer: Answer) {
            // The session may also call back for the cancellation.
            waiting?.resume(returning: answer)
            waiting = nil
        }
    }

    extension WebAuthentication: ASWebAuthenticationPresentationContextProviding {
        // The protocol names no actor, and the system calls it on the main thread.
        nonisolated func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor {
            MainActor.assumeIsolated { anchor() }
        }
    }

    extension WebSignInError {
        /// The error of an `ASWebAuthenticationSession`. One that says why is no cancellation by the user, although it has the
        /// same code: the app is not associated with the host of the redirect URI.
        fileprivate init(ofBrowser error: (any Error)?) {
            let reason = error.flatMap { ($0 as NSError).userInfo[NSLocalizedFailureReasonErrorKey] as? String }
            switch error as? ASWebAuthenticationSessionError {
            case let error? where error.code == .canceledLogin && reason == nil: self = .cancelled
            case let error:
                self = .notPresented(reason ?? "ASWebAuthenticationSessionError \(error?.code.rawValue ?? 0)")
            }
        }
    }
#endif
