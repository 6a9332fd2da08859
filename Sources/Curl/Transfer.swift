internal import CCurl

/// One request and its answer: an owner of libcurl's handle for it.
@safe
struct Transfer: ~Copyable {
    private let easy: UnsafeMutableRawPointer
    private let sink: Sink
    private let headers: StringList
    private let places: StringList

    init(largestBody: Int) throws(HTTPFault) {
        Self.initialised
        guard let easy = unsafe curl_easy_init() else {
            throw .transport(code: Int(CURLE_FAILED_INIT.rawValue), name: "libcurl has no memory")
        }
        unsafe self.easy = easy
        sink = Sink(limit: largestBody)
        headers = StringList()
        places = StringList()
    }

    deinit { unsafe curl_easy_cleanup(easy) }

    /// curl_global_init "is not thread safe" in older versions; a static is run once, whoever comes first.
    private static let initialised: Void = {
        precondition(curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, "libcurl does not start")
    }()

    func address(_ url: String, timeout: Duration, authorities: String?) throws(HTTPFault) {
        let (seconds, attoseconds) = timeout.components
        let milliseconds = Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
        // Plain HTTP goes to this machine alone, where a proxy of the environment cannot follow.
        if url.hasPrefix("http://") || Loopback.isHost(of: url) { try set(CURLOPT_PROXY, "") }
        if let authorities { try set(CURLOPT_CAINFO, authorities) }
        try set(CURLOPT_URL, url)
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_USERAGENT, "gatehouse")
        try set(CURLOPT_FOLLOWLOCATION, 0)
        try set(CURLOPT_TIMEOUT_MS, milliseconds)
        // Signals would hit whichever thread; without them libcurl still keeps its deadlines.
        try set(CURLOPT_NOSIGNAL, 1)
        // A name that is still being looked up when the time is over is not waited for either.
        try set(CURLOPT_QUICK_EXIT, 1)
    }

    /// Connects to another host than the URL's, at the URL's port. Its name stays the one that is asked for, in TLS too.
    func connect(to host: String) throws(HTTPFault) {
        // Neither a proxy nor a name server is between this machine and the host.
        try set(CURLOPT_PROXY, "")
        places.append("::\(host):")
        try check(unsafe gatehouse_curl_set_list(easy, CURLOPT_CONNECT_TO, places.first))
    }

    /// Accepts every certificate, and keeps the chain for `certificate`. For looking at a server, never for believing it.
    func acceptAnyCertificate() throws(HTTPFault) {
        try set(CURLOPT_SSL_VERIFYPEER, 0)
        try set(CURLOPT_SSL_VERIFYHOST, 0)
        try set(CURLOPT_CERTINFO, 1)
    }

    /// The server's own certificate in PEM, once there is a connection.
    var certificate: String? {
        var chain: UnsafeMutablePointer<curl_certinfo>?
        guard unsafe gatehouse_curl_certificates(easy, &chain) == CURLE_OK, let chain = unsafe chain,
            unsafe chain.pointee.num_of_certs > 0
        else { return nil }
        // One line for each field of the first certificate.
        var line = unsafe chain.pointee.certinfo[0]
        while let entry = unsafe line {
            let text = unsafe String(cString: entry.pointee.data)
            if text.hasPrefix("Cert:") { return String(text.dropFirst(5)) }
            unsafe line = entry.pointee.next
        }
        return nil
    }

    /// Makes it a POST.
    func carry(_ body: HTTPBody) throws(HTTPFault) {
        let count = curl_off_t(body.bytes.count)
        try check(unsafe body.bytes.withUnsafeBytes { unsafe gatehouse_curl_set_body(easy, $0.baseAddress, count) })
        headers.append("Content-Type: \(body.contentType)")
        try check(unsafe gatehouse_curl_set_list(easy, CURLOPT_HTTPHEADER, headers.first))
    }

    func perform() throws(HTTPFault) -> HTTPAnswer {
        try check(unsafe gatehouse_curl_set_sink(easy, receive, Unmanaged.passUnretained(sink).toOpaque()))
        // The sink is lent to C as a bare pointer for as long as the transfer runs.
        try withExtendedLifetime(sink) { () throws(HTTPFault) in try check(unsafe curl_easy_perform(easy)) }
        var status = 0
        try check(unsafe gatehouse_curl_status(easy, &status))
        return HTTPAnswer(status: status, date: header("Date"), body: sink.bytes)
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
        if let limit = sink.overflowedLimit { throw .tooLarge(limit: limit) }
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
