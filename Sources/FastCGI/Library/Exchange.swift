import CFastCGI
import POSIX

/// One request at a time as libfcgi sees it: it parses the parameters and writes the records of the answer.
///
/// libfcgi reads and writes with blocking calls, and closes what it reads from with a wait of its own. So it never reads
/// from a connection, but from a pipe or a file into which the whole request has been written. It writes to the
/// connection when all that it writes is sure to fit, and to memory otherwise. It owns no descriptor.
@safe
final class Exchange {
    private let request: UnsafeMutablePointer<FCGX_Request>
    private var feed: Pipe?
    private var envelope: [UInt8] = []

    init() {
        Library.initialize()
        unsafe request = .allocate(capacity: 1)
        unsafe FCGX_InitRequest(request, -1, 0)
        // While there are descriptors: a connection that took the last one shall still get its answer.
        feed = try? Pipe()
    }

    deinit {
        close()
        unsafe request.deallocate()
    }

    /// Has libfcgi read the request that the intake holds, and returns its body. Nil if it would not.
    func open(_ intake: borrowing Intake) -> [UInt8]? {
        Envelope.write(
            requestID: intake.requestID, parameters: intake.parameters, body: intake.body, into: &envelope)
        if feed == nil { feed = try? Pipe() }
        guard let capacity = feed?.capacity else { return nil }
        return envelope.count <= capacity
            ? readFromPipe(bodyCount: intake.body.count) : readFromMemory(bodyCount: intake.body.count)
    }

    /// The parameters of the open request, until it is closed.
    var environment: FCGX_ParamArray {
        unsafe request.pointee.envp
    }

    /// Has libfcgi write the answer to a connection, and closes the request; false if the connection did not take it.
    func answer(_ response: Response, on connection: borrowing FileDescriptor) -> Bool {
        write(response, to: connection.number)
    }

    /// Has libfcgi write the answer to memory, and closes the request.
    func record(_ response: Response) -> [UInt8]? {
        guard let file = try? MemoryFile() else {
            close()
            return nil
        }
        return write(response, to: file.descriptor.number) ? try? file.contents() : nil
    }

    /// Frees what libfcgi holds of the request, without a word to the peer. Its own `FCGX_Finish_r` would close the
    /// descriptor after a failed write.
    private func close() {
        unsafe request.pointee.ipcFd = -1
        unsafe FCGX_Free(request, 0)
    }
}

// MARK: - Reading

extension Exchange {
    /// A pipe from which not all was read is no good for the next request, so it is only kept after a good end.
    private func readFromPipe(bodyCount: Int) -> [UInt8]? {
        guard let pipe = feed.take(), (try? pipe.writer.writeAll(envelope)) != nil else { return nil }
        guard accept(from: pipe.reader) else {
            pipe.forgetReader()
            return nil
        }
        guard let body = readBody(count: bodyCount) else { return nil }
        feed = consume pipe
        return body
    }

    private func readFromMemory(bodyCount: Int) -> [UInt8]? {
        guard let file = try? MemoryFile(contents: envelope) else { return nil }
        guard accept(from: file.descriptor) else {
            file.forget()
            return nil
        }
        return readBody(count: bodyCount)
    }

    /// `FCGX_Accept_r` first finishes the request before, and closes `ipcFd` if that one was not to keep its connection:
    /// hence the flag. When it fails, it has closed `ipcFd`.
    private func accept(from descriptor: borrowing FileDescriptor) -> Bool {
        unsafe request.pointee.keepConnection = 1
        unsafe request.pointee.ipcFd = descriptor.number
        return unsafe FCGX_Accept_r(request) == 0
    }

    /// Asks for one byte more than there is, which takes the end of the stream off the pipe as well.
    private func readBody(count: Int) -> [UInt8]? {
        let body = unsafe [UInt8](unsafeUninitializedCapacity: count + 1) { buffer, read in
            let start = unsafe UnsafeMutableRawPointer(buffer.baseAddress!).assumingMemoryBound(to: CChar.self)
            read = Int(unsafe FCGX_GetStr(start, Int32(buffer.count), request.pointee.in))
        }
        let isWhole = unsafe body.count == count && FCGX_GetError(request.pointee.in) == 0
        if !isWhole { close() }
        return isWhole ? body : nil
    }
}

// MARK: - Writing

extension Exchange {
    /// Closing the error stream first, in which nothing was written, saves a write: the last bytes of the answer and the
    /// records that end it leave together.
    private func write(_ response: Response, to descriptor: Int32) -> Bool {
        unsafe request.pointee.ipcFd = descriptor
        defer { close() }
        let isPut = put(response.head) && put(response.body)
        let isEnded = unsafe FCGX_FClose(request.pointee.err) == 0 && FCGX_FClose(request.pointee.out) == 0
        return isPut && isEnded
    }

    private func put(_ bytes: [UInt8]) -> Bool {
        unsafe bytes.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress else { return true }
            let characters = unsafe start.assumingMemoryBound(to: CChar.self)
            return unsafe FCGX_PutStr(characters, Int32(buffer.count), request.pointee.out) >= 0
        }
    }
}
