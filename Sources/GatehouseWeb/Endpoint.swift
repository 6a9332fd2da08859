/// One thing that can be asked over HTTP. One file each.
package protocol Endpoint: Sendable {
    var method: Method { get }
    var path: String { get }

    func respond(to request: Request) throws(Problem) -> Response
}
