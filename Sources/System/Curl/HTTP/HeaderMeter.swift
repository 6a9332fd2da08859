internal import CCurl

/// Counts the bytes of headers, also of interim responses and trailers. libcurl keeps them all, and limits some of them.
final class HeaderMeter {
    static let limit = 65_536

    private var count = 0
    var hasExceededLimit: Bool { count > Self.limit }

    /// libcurl holds an unretained pointer to this object during the transfer.
    func attach(to easy: borrowing EasyHandle) throws(HTTPFault) {
        try easy.check(
            unsafe gatehouse_curl_set_header_callback(
                easy.pointer, measure, Unmanaged.passUnretained(self).toOpaque()))
    }

    /// Returns the number of bytes taken: none if the limit is exceeded.
    fileprivate func add(_ bytes: Int) -> Int {
        count += bytes
        return hasExceededLimit ? 0 : bytes
    }
}

/// libcurl's callback for each header. libcurl aborts the transfer if the result is less than the size of the header.
private func measure(
    _: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ meter: UnsafeMutableRawPointer?
) -> Int {
    guard let meter = unsafe meter else { return 0 }
    return unsafe Unmanaged<HeaderMeter>.fromOpaque(meter).takeUnretainedValue().add(size * count)
}
