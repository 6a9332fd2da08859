internal import CCurl

/// One request and its response. Owns a libcurl easy handle.
@safe
struct Transfer: ~Copyable {
    private let easy: UnsafeMutableRawPointer
    private let received: BodyBuffer
    private let headers: StringList
    private let connectTo: StringList

    init(largestBody: Int) throws(HTTPFault) {
        Self.initialised
        guard let easy = unsafe curl_easy_init() else {
            throw .transport(code: Int(CURLE_FAILED_INIT.rawValue), name: "libcurl has no memory")
        }
        unsafe self.easy = easy
        received = BodyBuffer(limit: largestBody)
        headers = StringList()
        connectTo = StringList()
    }

    deinit { unsafe curl_easy_cleanup(easy) }

    /// curl_global_init "is not thread safe" in older versions; a static property is initialised exactly once.
    private static let initialised: Void = {
        precondition(curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, "curl_global_init failed")
    }()

    func configure(url: String, timeout: Duration, authorities: String?) throws(HTTPFault) {
        let (seconds, attoseconds) = timeout.components
        let milliseconds = Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
        // Requests to this machine must not go through a proxy from the environment. Plain HTTP is only used for them.
        if url.hasPrefix("http://") || Loopback.isHost(of: url) { try set(CURLOPT_PROXY, "") }
        if let authorities { try set(CURLOPT_CAINFO, authorities) }
        try set(CURLOPT_URL, url)
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_USERAGENT, "gatehouse")
        try set(CURLOPT_FOLLOWLOCATION, 0)
        try set(CURLOPT_TIMEOUT_MS, milliseconds)
        // Timeouts without signals: a signal could interrupt any thread.
        try set(CURLOPT_NOSIGNAL, 1)
        // Do not wait for a pending name lookup after the timeout.
        try set(CURLOPT_QUICK_EXIT, 1)
    }

    /// Connects to another host, at the port of the URL. The Host header and TLS still use the host of the URL.
    func connect(to host: String) throws(HTTPFault) {
        try set(CURLOPT_PROXY, "")
        connectTo.append("::\(host):")
        try check(unsafe gatehouse_curl_set_list(easy, CURLOPT_CONNECT_TO, connectTo.first))
    }

    /// Accepts every certificate and makes the chain available in `certificate`. Only for inspecting a server: its
    /// response must not be trusted.
    func acceptAnyCertificate() throws(HTTPFault) {
        try set(CURLOPT_SSL_VERIFYPEER, 0)
        try set(CURLOPT_SSL_VERIFYHOST, 0)
        try set(CURLOPT_CERTINFO, 1)
    }

    /// The server's certificate in PEM, after the connection has been established.
    var certificate: String? {
        var chain: UnsafeMutablePointer<curl_certinfo>?
        guard unsafe gatehouse_curl_certificates(easy, &chain) == CURLE_OK, let chain = unsafe chain,
            unsafe chain.pointee.num_of_certs > 0
        else { return nil }
        // The list has one line for each field of the first certificate.
        var line = unsafe chain.pointee.certinfo[0]
        while let entry = unsafe line {
            let text = unsafe String(cString: entry.pointee.data)
            if text.hasPrefix("Cert:") { return String(text.dropFirst(5)) }
            unsafe line = entry.pointee.next
        }
        return nil
    }

    /// Makes the request a POST with this body.
    func setBody(_ body: HTTPBody) throws(HTTPFault) {
        let count = curl_off_t(body.bytes.count)
        try check(unsafe body.bytes.withUnsafeBytes { unsafe gatehouse_curl_set_body(easy, $0.baseAddress, count) })
        headers.append("Content-Type: \(body.contentType)")
        try check(unsafe gatehouse_curl_set_list(easy, CURLOPT_HTTPHEADER, headers.first))
    }

    func perform() throws(HTTPFault) -> HTTPResponse {
        try check(
            unsafe gatehouse_curl_set_write_callback(easy, receive, Unmanaged.passUnretained(received).toOpaque()))
        // libcurl holds an unretained pointer to the buffer during the transfer.
        try withExtendedLifetime(received) { () throws(HTTPFault) in try check(unsafe curl_easy_perform(easy)) }
        var status = 0
        try check(unsafe gatehouse_curl_status(easy, &status))
        return HTTPResponse(status: status, date: header("Date"), age: header("Age"), body: received.bytes)
    }

    private func header(_ name: String) -> String? {
        var found: UnsafeMutablePointer<curl_header>?
        let result = unsafe curl_easy_header(easy, name, 0, UInt32(CURLH_HEADER), -1, &found)
        guard result == CURLHE_OK, let header = unsafe found else { return nil }
        return unsafe String(cString: header.pointee.value)
    }

    private func set(_ option: CURLoption, _ value: String) throws(HTTPFault) {
        try check(unsafe gatehouse_curl_set_string(easy, option, value))
    }

    private func set(_ option: CURLoption, _ value: Int) throws(HTTPFault) {
        try check(unsafe gatehouse_curl_set_long(easy, option, value))
    }

    private func check(_ result: CURLcode) throws(HTTPFault) {
        if let limit = received.overflowedLimit { throw .tooLarge(limit: limit) }
        guard result == CURLE_OK else {
            throw .transport(code: Int(result.rawValue), name: unsafe String(cString: curl_easy_strerror(result)))
        }
    }
}

/// libcurl's write callback. libcurl aborts the transfer if the result is less than the size of the chunk.
private func receive(
    _ chunk: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ buffer: UnsafeMutableRawPointer?
) -> Int {
    guard let chunk = unsafe chunk, let buffer = unsafe buffer else { return 0 }
    let bytes = unsafe UnsafeRawBufferPointer(start: chunk, count: size * count)
    return unsafe Unmanaged<BodyBuffer>.fromOpaque(buffer).takeUnretainedValue().append(bytes)
}
