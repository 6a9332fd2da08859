package import Gatehouse
package import GatehouseAPI

/// Every way in which a request can fail to get what it asked for.
package enum Problem: Error, Sendable, Equatable {
    case refused(Refusal)
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
