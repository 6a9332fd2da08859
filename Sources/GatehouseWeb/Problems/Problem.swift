package import Gatehouse
package import GatehouseAPI

/// Every way in which a request can fail to get what it asked for.
package enum Problem: Error, Sendable, Equatable {
    case refused(Refusal)
    /// An identity token in the body of a request that an access token authorises. It is no 401: a client that refreshes on
    /// 401 would ask for ever.
    case unacceptedToken(AppleTokenFault)
    case invalidJSON(String)
    case invalidRequest([FieldError])
    case notFound
    case methodNotAllowed(allowed: [Method])
    case payloadTooLarge
    case unsupportedMediaType
    /// The store cannot even be read.
    case unwell(String)
    case notReady(String)
}

/// Asks the domain; what it refuses is a problem of this request.
func refusing<Result>(_ question: () throws(Refusal) -> Result) throws(Problem) -> Result {
    do throws(Refusal) { return try question() } catch { throw .refused(error) }
}

/// Asks the domain for a caller who is signed in, and sends an identity token along.
func refusingToken<Result>(_ question: () throws(Refusal) -> Result) throws(Problem) -> Result {
    do throws(Refusal) { return try question() } catch {
        if case .appleToken(let fault) = error { throw .unacceptedToken(fault) }
        throw .refused(error)
    }
}
