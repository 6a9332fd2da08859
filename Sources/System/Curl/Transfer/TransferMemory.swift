internal import CCurl

/// Collects a response body up to a limit.
final class BodyBuffer {
    private(set) var bytes: [UInt8] = []
    /// The limit, if the body has exceeded it.
    private(set) var overflowedLimit: Int?
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Returns the number of bytes taken: all, or none if the limit would be exceeded.
    func append(_ chunk: UnsafeRawBufferPointer) -> Int {
        guard bytes.count + chunk.count <= limit else {
            overflowedLimit = limit
            return 0
        }
        unsafe bytes.append(contentsOf: chunk)
        return chunk.count
    }
}

/// Owns a list of strings for an option such as the request headers. libcurl does not copy the list, and reads it
/// during the transfer.
@safe
final class StringList {
    private(set) var first: UnsafeMutablePointer<curl_slist>?

    deinit { unsafe curl_slist_free_all(first) }

    func append(_ line: String) {
        guard let list = unsafe curl_slist_append(first, line) else { preconditionFailure("libcurl has no memory") }
        unsafe first = list
    }
}
