package import Gatehouse

/// Why a request failed.
package enum Problem: Error, Sendable, Equatable {
    case refused(Refusal)
    /// A bad credential of a provider in the body of a request that an access token authorises.
    case unacceptedIdentity(IdentityFault, by: Provider)
    /// A message of a provider's servers that is not valid.
    case invalidSecurityEvents(IdentityFault, by: Provider)
    /// A bad answer of an authenticator in the body of such a request.
    case unacceptedPasskey(PasskeyFault)
    /// A bad code in the body of such a request.
    case unacceptedCode
    /// A bad refresh token in the body of such a request.
    case unacceptedRefreshToken
    case invalidJSON(String)
    case invalidRequest([FieldError])
    case notFound
    /// No user has the id that a service asks for.
    case unknownUser
    /// A change that has to say which version it replaces.
    case preconditionRequired
    case methodNotAllowed(allowed: [Method])
    case payloadTooLarge
    /// The body does not have this type.
    case unsupportedMediaType(MediaType)
    /// A form or a query has more parameters than an endpoint can need.
    case tooManyParameters(limit: Int)
    /// OAuth's name for another way to get tokens.
    case unsupportedGrantType
    /// The browser returns to the app with an error.
    case returned(to: String, SignInError, cause: Refusal?)
    /// The store cannot be read.
    case unhealthy(String)
    case notReady(String)
}

extension Problem {
    /// Why the store failed the request; nil if it did not.
    package var storeFailure: StoreFailure? {
        switch self {
        case .refused(.storageUnavailable(let failure)), .returned(_, _, .storageUnavailable(let failure)?): failure
        default: nil
        }
    }

    /// The one place where an error of an endpoint becomes a problem.
    init(_ error: any Error, of route: Route, answering request: Request) {
        switch error {
        case let refusal as Refusal:
            switch refusal {
            case .identity(let fault, let provider) where route.access.isAuthorisedByAccessToken(request):
                self = .unacceptedIdentity(fault, by: provider)
            case .passkey(let fault) where route.access.isAuthorisedByAccessToken(request):
                self = .unacceptedPasskey(fault)
            case .invalidCode where route.access.isAuthorisedByAccessToken(request):
                self = .unacceptedCode
            case .hidden: self = .notFound
            case .invalidAddress(let fault):
                self = .invalidRequest([fault.fieldError()])
            case .invalidContact(let fault):
                self = .invalidRequest([fault.fieldError(of: "contact")])
            case .missing(let member):
                self = .invalidRequest([member.fault])
            case .invalidRefreshToken where route.access.isAuthorisedByAccessToken(request),
                .notARefreshToken where route.access.isAuthorisedByAccessToken(request):
                self = .unacceptedRefreshToken
            default: self = .refused(refusal)
            }
        case WebSignInFault.page(let refusal): self = .refused(refusal)
        case WebSignInFault.returned(let address, let error, let cause):
            self = .returned(to: address, error, cause: cause)
        case let problem as Problem: self = problem
        default: preconditionFailure("an endpoint threw neither a problem nor a refusal: \(type(of: error))")
        }
    }
}

extension AddressFault {
    /// - Parameter field: the member with the address.
    func fieldError(of field: String = "to") -> FieldError { FieldError(field: field, message: explanation) }
}

extension IdentityCredential.Member {
    /// What is wrong with a body that lacks it.
    var fault: FieldError {
        switch self {
        case .identityToken, .code, .redirectURI: FieldError(field: rawValue, message: "is required")
        case .codeOrAccessToken: FieldError(field: Self.code.rawValue, message: "is required, or accessToken")
        }
    }
}
