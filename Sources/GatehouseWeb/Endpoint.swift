/// One thing that can be asked over HTTP. One file each.
package protocol Endpoint: Sendable {
    var method: Method { get }
    /// Where it is. A last segment `{id}` stands for any text, which the request then has as `pathArgument`.
    var path: String { get }
    /// Asked on behalf of other requests, it answers whatever those are like.
    var answersAnyRequest: Bool { get }

    func respond(to request: Request) throws(Problem) -> Response
}

extension Endpoint {
    package var answersAnyRequest: Bool { false }
}
