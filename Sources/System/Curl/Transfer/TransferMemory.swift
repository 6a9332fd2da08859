internal import CCurl

/// Collects a response body up to a limit.
final class BodyBuffer {
    private(set) var bytes: [UInt8] = []
    private(set) var hasExceededLimit = false
    let limit: Int
    /// Whether the part of a longer body that exceeds the limit is ignored. Otherwise the body is a fault.
    let isCut: Bool

    init(limit: Int, isCut: Bool = false) {
        (self.limit, self.isCut) = (limit, isCut)
    }

    /// Returns the number of bytes taken: all, or none if the limit would be exceeded.
    func append(_ chunk: UnsafeRawBufferPointer) -> Int {
        guard bytes.count + chunk.count <= limit else {
            hasExceededLimit = true
            return 0
        }
        unsafe bytes.append(contentsOf: chunk)
        return chunk.count
    }
}

/// Hands out the bytes of an upload, in as many parts as libcurl asks for.
final class UploadBuffer {
    private var rest: ArraySlice<UInt8> = []

    func fill(_ bytes: [UInt8]) { rest = bytes[...] }

    /// Returns the number of bytes given: 0 at the end.
    func take(into part: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(part.count, rest.count)
        unsafe part.copyBytes(from: rest.prefix(count))
        rest = rest.dropFirst(count)
        return count
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
