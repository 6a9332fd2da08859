internal import CCurl

/// An owner of a list of texts: header lines, places to connect to. libcurl reads it during a transfer and does not copy it.
@safe
final class StringList {
    private(set) var first: UnsafeMutablePointer<curl_slist>?

    deinit { unsafe curl_slist_free_all(first) }

    func append(_ line: String) {
        guard let list = unsafe curl_slist_append(first, line) else { preconditionFailure("libcurl has no memory") }
        unsafe first = list
    }
}
