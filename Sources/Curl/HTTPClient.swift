internal import CCurl

/// Fetches small documents over HTTPS and posts small forms, on the thread that asks, within fixed bounds.
///
/// Redirects are not followed: the addresses are configured, and where they lead elsewhere an operator should know.
package struct HTTPClient: Sendable {
    package var timeout: Duration
    package var largestBody: Int

    package init(timeout: Duration = .seconds(5), largestBody: Int = 65_536) {
        self.timeout = timeout
        self.largestBody = largestBody
        Self.initialised
    }

    /// curl_global_init "is not thread safe" in older versions; a static is run once, whoever comes first.
    private static let initialised: Void = {
        precondition(curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, "libcurl does not start")
    }()

    package func get(_ url: String) throws(HTTPFault) -> HTTPAnswer {
        try send(to: url, form: nil)
    }

    /// Posts a form (`application/x-www-form-urlencoded`).
    package func post(_ url: String, form: [(String, String)]) throws(HTTPFault) -> HTTPAnswer {
        try send(to: url, form: FormEncoding.encode(form))
    }

    private func send(to url: String, form: String?) throws(HTTPFault) -> HTTPAnswer {
        guard let easy = unsafe curl_easy_init() else {
            throw .transport(code: Int(CURLE_FAILED_INIT.rawValue), name: "libcurl has no memory")
        }
        defer { unsafe curl_easy_cleanup(easy) }
        let sink = Sink(limit: largestBody)
        for result in unsafe settings(of: easy, url: url, sink: sink) { try check(result, sink) }
        // libcurl copies it, posts where it has it, and names its type.
        if let form { try check(unsafe gatehouse_curl_set_string(easy, CURLOPT_COPYPOSTFIELDS, form), sink) }
        // The sink is lent to C as a bare pointer for as long as the transfer runs.
        try withExtendedLifetime(sink) { () throws(HTTPFault) in try check(unsafe curl_easy_perform(easy), sink) }
        var status = 0
        try check(unsafe gatehouse_curl_status(easy, &status), sink)
        return HTTPAnswer(status: status, body: sink.bytes)
    }

    private func settings(of easy: UnsafeMutableRawPointer, url: String, sink: Sink) -> [CURLcode] {
        let (seconds, attoseconds) = timeout.components
        let milliseconds = Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
        // Plain HTTP goes to this machine alone, where a proxy of the environment cannot follow.
        let isDirect = url.hasPrefix("http://")
        return unsafe [
            gatehouse_curl_set_string(easy, CURLOPT_URL, url),
            isDirect ? gatehouse_curl_set_string(easy, CURLOPT_PROXY, "") : CURLE_OK,
            gatehouse_curl_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https"),
            gatehouse_curl_set_string(easy, CURLOPT_USERAGENT, "gatehouse"),
            gatehouse_curl_set_long(easy, CURLOPT_FOLLOWLOCATION, 0),
            gatehouse_curl_set_long(easy, CURLOPT_TIMEOUT_MS, milliseconds),
            // Signals would hit whichever thread; without them libcurl still keeps its deadlines.
            gatehouse_curl_set_long(easy, CURLOPT_NOSIGNAL, 1),
            // A name that is still being looked up when the time is over is not waited for either.
            gatehouse_curl_set_long(easy, CURLOPT_QUICK_EXIT, 1),
            gatehouse_curl_set_sink(easy, receive, Unmanaged.passUnretained(sink).toOpaque()),
        ]
    }

    private func check(_ result: CURLcode, _ sink: Sink) throws(HTTPFault) {
        if sink.overflowed { throw .tooLarge(limit: largestBody) }
        guard result == CURLE_OK else {
            throw .transport(code: Int(result.rawValue), name: unsafe String(cString: curl_easy_strerror(result)))
        }
    }
}

/// Takes a piece of the body; taking less than was offered makes libcurl give up.
private func receive(
    _ piece: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ sink: UnsafeMutableRawPointer?
) -> Int {
    guard let piece = unsafe piece, let sink = unsafe sink else { return 0 }
    let bytes = unsafe UnsafeRawBufferPointer(start: piece, count: size * count)
    return unsafe Unmanaged<Sink>.fromOpaque(sink).takeUnretainedValue().take(bytes)
}
