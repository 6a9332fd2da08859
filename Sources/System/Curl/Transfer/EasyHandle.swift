internal import CCurl

/// Owns a libcurl easy handle: what transfers of all protocols have in common.
@safe
struct EasyHandle: ~Copyable {
    let pointer: UnsafeMutableRawPointer

    init() throws(HTTPFault) {
        Self.initialised
        guard let pointer = unsafe curl_easy_init() else {
            throw .transport(code: Int(CURLE_FAILED_INIT.rawValue), name: "libcurl has no memory")
        }
        unsafe self.pointer = pointer
    }

    deinit { unsafe curl_easy_cleanup(pointer) }

    /// curl_global_init "is not thread safe" in older versions; a static property is initialised exactly once.
    private static let initialised: Void = {
        precondition(curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, "curl_global_init failed")
    }()

    /// - Parameters:
    ///   - protocols: the only ones that libcurl may use, separated by commas.
    ///   - isDirect: whether a proxy from the environment is ignored.
    func configure(
        url: String, protocols: String, isDirect: Bool, timeout: Duration, authorities: String?
    ) throws(HTTPFault) {
        let (seconds, attoseconds) = timeout.components
        let milliseconds = Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
        if isDirect { try set(CURLOPT_PROXY, "") }
        if let authorities { try set(CURLOPT_CAINFO, authorities) }
        try set(CURLOPT_URL, url)
        try set(CURLOPT_PROTOCOLS_STR, protocols)
        try set(CURLOPT_TIMEOUT_MS, milliseconds)
        // Timeouts without signals: a signal could interrupt any thread.
        try set(CURLOPT_NOSIGNAL, 1)
        // Do not wait for a pending name lookup after the timeout.
        try set(CURLOPT_QUICK_EXIT, 1)
    }

    func set(_ option: CURLoption, _ value: String) throws(HTTPFault) {
        try check(unsafe gatehouse_curl_set_string(pointer, option, value))
    }

    func set(_ option: CURLoption, _ value: Int) throws(HTTPFault) {
        try check(unsafe gatehouse_curl_set_long(pointer, option, value))
    }

    /// libcurl does not copy the list, and reads it during the transfer.
    func set(_ option: CURLoption, _ list: StringList) throws(HTTPFault) {
        try check(unsafe gatehouse_curl_set_list(pointer, option, list.first))
    }

    /// Runs the transfer. The result is for `check`.
    ///
    /// - Parameter received: gets the body of the response.
    func perform(into received: BodyBuffer) throws(HTTPFault) -> CURLcode {
        try check(
            unsafe gatehouse_curl_set_write_callback(pointer, receive, Unmanaged.passUnretained(received).toOpaque()))
        // libcurl holds an unretained pointer to the buffer during the transfer.
        return withExtendedLifetime(received) { unsafe curl_easy_perform(pointer) }
    }

    func check(_ result: CURLcode) throws(HTTPFault) {
        guard result == CURLE_OK else {
            let name = unsafe certificateFault(result) ?? String(cString: curl_easy_strerror(result))
            throw .transport(code: Int(result.rawValue), name: name)
        }
    }

    /// libcurl has one text for all faults of a certificate.
    private func certificateFault(_ result: CURLcode) -> String? {
        guard result == CURLE_PEER_FAILED_VERIFICATION else { return nil }
        return switch unsafe gatehouse_curl_verify_result(pointer) {
        // libcurl itself compares the name, and has not asked for the verdict then: 1.
        case 0, 1, 62, 64: "the certificate is for another name"
        case 9: "the certificate is not valid yet"
        case 10: "the certificate has expired"
        case 18, 19, 20, 21: "no authority that this machine trusts has issued the certificate"
        default: nil
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

/// Opens the socket of a connection if a policy permits its address.
final class SocketOpener {
    private let policy: AddressPolicy
    private var hasRefused = false
    private var hasOpened = false

    init(policy: AddressPolicy) {
        self.policy = policy
    }

    /// Makes libcurl ask this object for sockets. libcurl holds an unretained pointer to it during the transfer.
    func attach(to easy: borrowing EasyHandle) throws(HTTPFault) {
        try easy.check(
            unsafe gatehouse_curl_set_socket_callback(
                easy.pointer, openSocket, Unmanaged.passUnretained(self).toOpaque()))
    }

    /// The fault if no address of the host was permitted.
    var fault: HTTPFault? {
        guard hasRefused, !hasOpened else { return nil }
        return policy == .privateOnly ? .publicAddress : .privateAddress
    }

    /// - Parameter bytes: of an IP address; of another kind of address there are none.
    fileprivate func permits(_ bytes: [UInt8]) -> Bool {
        let isPermitted = IPAddress(bytes: bytes).map(policy.permits) ?? false
        if isPermitted { hasOpened = true } else { hasRefused = true }
        return isPermitted
    }
}

/// libcurl's callback for sockets. libcurl then tries the next address of the host, if there is one.
private func openSocket(
    _ opener: UnsafeMutableRawPointer?, _: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let opener = unsafe opener, let address = unsafe address else { return CURL_SOCKET_BAD }
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = unsafe Int(gatehouse_curl_ip(address, &bytes))
    guard unsafe Unmanaged<SocketOpener>.fromOpaque(opener).takeUnretainedValue().permits(Array(bytes.prefix(count)))
    else { return CURL_SOCKET_BAD }
    return unsafe gatehouse_curl_open_socket(address)
}
