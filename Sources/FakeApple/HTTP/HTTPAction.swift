/// What the server does about a request.
enum HTTPAction {
    case reply(HTTPReply, afterSeconds: Int64 = 0)
    /// Nothing, and after this time the connection ends.
    case silence(seconds: Int64)
}
