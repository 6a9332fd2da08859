/// What is sent with a request.
struct HTTPBody {
    let contentType: String
    let bytes: [UInt8]
}
