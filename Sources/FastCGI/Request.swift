/// One request, as long as its handler runs.
package struct Request: ~Copyable {
    package let parameters: Parameters

    package let body: [UInt8]
    /// The peer sent, or announced, more than `Limits.body`. `body` is empty then.
    package let bodyIsTooLarge: Bool

    package func parameter(_ name: String) -> String? {
        parameters[name].map { String(decoding: $0, as: UTF8.self) }
    }
}

/// The parameters of one request. There are none when its handler has returned.
///
/// `@unchecked Sendable`: a request is handled by one thread.
package struct Parameters: @unchecked Sendable {
    let request: FCGXRequest

    /// The value of a name; of several, the first, which is the one that the front's configuration set.
    package subscript(name: String) -> ArraySlice<UInt8>? { request.parameter(name) }
}
