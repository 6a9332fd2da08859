internal import CCurl

/// One HTTP request and its response.
@safe
struct HTTPTransfer: ~Copyable {
    private let easy: EasyHandle
    private let received: BodyBuffer
    private let meter = HeaderMeter()
    private let headers = StringList()
    private let connectTo = StringList()
    /// Nil if every address is permitted.
    private let opener: SocketOpener?

    init(received: BodyBuffer, addresses: AddressPolicy) throws(HTTPFault) {
        easy = try EasyHandle()
        self.received = received
        opener = addresses == .any ? nil : SocketOpener(policy: addresses)
    }

    func configure(url: String, timeout: Duration, authorities: String?) throws(HTTPFault) {
        // Requests to this machine must not go through a proxy from the environment. Plain HTTP is only used for them, and for
        // internal networks. A policy of addresses would see the proxy's address alone.
        let isDirect = url.hasPrefix("http://") || Loopback.isHost(of: url) || opener != nil
        try easy.configure(
            url: url, protocols: "http,https", isDirect: isDirect, timeout: timeout, authorities: authorities)
        try easy.set(CURLOPT_USERAGENT, "gatehouse")
        try easy.set(CURLOPT_FOLLOWLOCATION, 0)
        try meter.attach(to: easy)
        try opener?.attach(to: easy)
    }

    /// Connects to another host, at the port of the URL. The Host header and TLS still use the host of the URL.
    func connect(to host: String) throws(HTTPFault) {
        try easy.set(CURLOPT_PROXY, "")
        connectTo.append("::\(host):")
        try easy.set(CURLOPT_CONNECT_TO, connectTo)
    }

    /// Sends no request: the transfer ends when the connection is established, with TLS where the URL has it.
    func connectOnly() throws(HTTPFault) {
        try easy.set(CURLOPT_CONNECT_ONLY, 1)
    }

    /// Accepts every certificate and makes the chain available in `certificate`. Only for inspecting a server: its
    /// response must not be trusted.
    func acceptAnyCertificate() throws(HTTPFault) {
        try easy.set(CURLOPT_SSL_VERIFYPEER, 0)
        try easy.set(CURLOPT_SSL_VERIFYHOST, 0)
        try easy.set(CURLOPT_CERTINFO, 1)
    }

    /// The server's certificate in PEM, after the connection has been established.
    var certificate: String? {
        var chain: UnsafeMutablePointer<curl_certinfo>?
        guard unsafe gatehouse_curl_certificates(easy.pointer, &chain) == CURLE_OK, let chain = unsafe chain,
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
        try easy.check(
            unsafe body.bytes.withUnsafeBytes {
                unsafe gatehouse_curl_set_body(easy.pointer, $0.baseAddress, count)
            })
        headers.append("Content-Type: \(body.contentType)")
        for (name, value) in body.headers { headers.append("\(name): \(value)") }
        try easy.set(CURLOPT_HTTPHEADER, headers)
    }

    func perform() throws(HTTPFault) -> HTTPResponse {
        // libcurl holds unretained pointers to both during the transfer.
        let result = try withExtendedLifetime((meter, opener)) { () throws(HTTPFault) in
            try easy.perform(into: received)
        }
        if meter.hasExceededLimit { throw .tooLarge(limit: HeaderMeter.limit) }
        if let fault = opener?.fault { throw fault }
        if received.hasExceededLimit {
            // libcurl reports the chunk that was not taken as a fault of the transfer.
            guard received.isCut else { throw .tooLarge(limit: received.limit) }
        } else {
            try easy.check(result)
        }
        var status = 0
        try easy.check(unsafe gatehouse_curl_status(easy.pointer, &status))
        return HTTPResponse(
            status: status, date: header("Date"), age: header("Age"), retryAfter: header("Retry-After"),
            contentType: header("Content-Type"), body: received.bytes)
    }

    private func header(_ name: String) -> String? {
        var found: UnsafeMutablePointer<curl_header>?
        let result = unsafe curl_easy_header(easy.pointer, name, 0, UInt32(CURLH_HEADER), -1, &found)
        guard result == CURLHE_OK, let header = unsafe found else { return nil }
        return unsafe String(cString: header.pointee.value)
    }
}

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
