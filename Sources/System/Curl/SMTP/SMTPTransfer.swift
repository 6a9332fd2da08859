internal import CCurl

/// One conversation with a mail server.
@safe
struct SMTPTransfer: ~Copyable {
    private let easy: EasyHandle
    private let dialogue = SMTPDialogue()
    private let upload = UploadBuffer()
    private let recipients = StringList()

    init() throws(SMTPFault) {
        do throws(HTTPFault) { easy = try EasyHandle() } catch { throw .transport(error) }
    }

    var hasLoggedIn: Bool { dialogue.hasLoggedIn }

    func configure(_ client: SMTPClient) throws(SMTPFault) {
        try converting { easy throws(HTTPFault) in
            // libcurl takes the name for EHLO from the path.
            try easy.configure(
                url: "\(client.server.url)/\(client.helloName)", protocols: "smtp,smtps",
                isDirect: client.server.isLoopback, timeout: client.timeout, authorities: client.authorities)
            let usesTLS = client.demandsTLS ? gatehouse_curl_use_ssl_always : gatehouse_curl_use_ssl_never
            try easy.set(CURLOPT_USE_SSL, usesTLS)
            if let login = client.login { try Self.set(login, of: easy) }
            // The connection ends with the transfer, so that the limit on QUIT holds. libcurl closes a connection
            // that it keeps for later with another handle, and then waits two minutes for the reply to QUIT.
            try easy.set(CURLOPT_FORBID_REUSE, 1)
        }
    }

    /// Only mechanisms that need nothing but the password: the connection is encrypted, and libcurl would try Kerberos or NTLM
    /// first where a server offers them.
    private static func set(_ login: SMTPLogin, of easy: borrowing EasyHandle) throws(HTTPFault) {
        try easy.set(CURLOPT_USERNAME, login.username)
        try easy.set(CURLOPT_PASSWORD, login.password)
        try easy.set(CURLOPT_LOGIN_OPTIONS, "AUTH=PLAIN;AUTH=LOGIN")
    }

    func setMessage(_ message: [UInt8], from sender: String, to recipient: String) throws(SMTPFault) {
        upload.fill(message)
        recipients.append("<\(recipient)>")
        let buffer = unsafe Unmanaged.passUnretained(upload).toOpaque()
        try converting { easy throws(HTTPFault) in
            try easy.set(CURLOPT_UPLOAD, 1)
            try easy.set(CURLOPT_MAIL_FROM, "<\(sender)>")
            try easy.set(CURLOPT_MAIL_RCPT, recipients)
            try easy.check(unsafe gatehouse_curl_set_read_callback(easy.pointer, send, buffer))
            let count = curl_off_t(message.count)
            try easy.check(unsafe gatehouse_curl_set_offset(easy.pointer, CURLOPT_INFILESIZE_LARGE, count))
        }
    }

    func setNoMessage() throws(SMTPFault) {
        try converting { easy throws(HTTPFault) in
            try easy.set(CURLOPT_CUSTOMREQUEST, "NOOP")
            // Otherwise the reply would be a body.
            try easy.set(CURLOPT_NOBODY, 1)
        }
    }

    func perform() throws(SMTPFault) {
        // libcurl holds unretained pointers to both during the transfer.
        let result = try withExtendedLifetime((dialogue, upload)) { () throws(SMTPFault) in
            try converting { easy throws(HTTPFault) in
                let observer = unsafe Unmanaged.passUnretained(dialogue).toOpaque()
                try easy.check(unsafe gatehouse_curl_set_debug_callback(easy.pointer, observe, observer))
                try easy.check(unsafe gatehouse_curl_set_progress_callback(easy.pointer, decide, observer))
                return try easy.perform(into: BodyBuffer(limit: 0))
            }
        }
        guard result != CURLE_OK else { return }
        throw fault(of: result)
    }

    /// The reply of the server says more than libcurl's error, which is the same for many replies.
    private func fault(of result: CURLcode) -> SMTPFault {
        if result != CURLE_OPERATION_TIMEDOUT, let (step, reply) = dialogue.answer, reply.isFailure {
            return .refused(step, reply)
        }
        if result == CURLE_LOGIN_DENIED { return .noLogin }
        do throws(HTTPFault) { try easy.check(result) } catch { return .transport(error) }
        return .transport(.transport(code: 0, name: "no error"))
    }

    private func converting<Result>(
        _ body: (borrowing EasyHandle) throws(HTTPFault) -> Result
    ) throws(SMTPFault) -> Result {
        do throws(HTTPFault) { return try body(easy) } catch { throw .transport(error) }
    }
}

/// libcurl's read callback.
private func send(
    _ part: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ buffer: UnsafeMutableRawPointer?
) -> Int {
    guard let part = unsafe part, let buffer = unsafe buffer else { return 0 }
    let space = unsafe UnsafeMutableRawBufferPointer(start: part, count: size * count)
    return unsafe Unmanaged<UploadBuffer>.fromOpaque(buffer).takeUnretainedValue().take(into: space)
}

/// libcurl's debug callback: commands are "headers" that go out, and lines of replies are "headers" that come in.
private func observe(
    _ easy: UnsafeMutableRawPointer?, _ type: curl_infotype, _ text: UnsafeMutablePointer<CChar>?, _ count: Int,
    _ observer: UnsafeMutableRawPointer?
) -> Int32 {
    guard let text = unsafe text, let observer = unsafe observer else { return 0 }
    let dialogue = unsafe Unmanaged<SMTPDialogue>.fromOpaque(observer).takeUnretainedValue()
    let line = unsafe UnsafeRawBufferPointer(start: text, count: count)
    switch type {
    case CURLINFO_HEADER_OUT: unsafe dialogue.sent(line)
    case CURLINFO_HEADER_IN: dialogue.received(unsafe Array(line))
    default: break
    }
    return 0
}

/// libcurl's progress callback, called at least once a second. It ends the wait for a reply to QUIT, which libcurl's timeout
/// does not cover.
private func decide(
    _ observer: UnsafeMutableRawPointer?, _: curl_off_t, _: curl_off_t, _: curl_off_t, _: curl_off_t
) -> Int32 {
    guard let observer = unsafe observer else { return 0 }
    return unsafe Unmanaged<SMTPDialogue>.fromOpaque(observer).takeUnretainedValue().isOver ? 1 : 0
}
