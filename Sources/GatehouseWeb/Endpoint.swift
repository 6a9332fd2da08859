/// One thing that can be asked over HTTP. One file each.
package protocol Endpoint: Sendable {
    var method: Method { get }
    var path: String { get }
    /// Asked on behalf of other requests, it answers whatever those are like.
    var answersAnyRequest: Bool { get }

    func respond(to request: Request) throws(Problem) -> Response
}

extension Endpoint {
    package var answersAnyRequest: Bool { false }
}
