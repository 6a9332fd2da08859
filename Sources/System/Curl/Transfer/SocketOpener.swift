internal import CCurl

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
