internal import CFastCGI
internal import Glibc
import POSIX

/// Reads a request and writes its response with libfcgi. Reused for the next request.
///
/// libfcgi can also accept, wait for and close connections. Here it has no listener, it only reads data that has
/// arrived, and it closes a descriptor only if it cannot read a request.
@safe
final class FCGXRequest {
    private let handle = UnsafeMutablePointer<FCGX_Request>.allocate(capacity: 1)

    /// FCGX_Init installs handlers for signals that are ignored or at their default. The handler for SIGPIPE is kept:
    /// it does nothing, and a write to a closed connection fails with an error.
    private static let isInitialized: Bool = {
        let handlers = [SIGTERM, SIGUSR1].map { ($0, signal($0, SIG_DFL)) }
        defer { for (number, handler) in handlers { signal(number, handler) } }
        return FCGX_Init() == 0
    }()

    init() {
        precondition(Self.isInitialized, "libfcgi could not be initialized")
        unsafe FCGX_InitRequest(handle, -1, 0)
    }

    deinit {
        unsafe FCGX_Free(handle, 0)
        unsafe handle.deallocate()
    }

    /// Reads the parameters. If that fails, libfcgi has closed the descriptor and the result is false.
    func begin(on descriptor: Int32) -> Bool {
        unsafe handle.pointee.ipcFd = descriptor
        // Otherwise FCGX_Accept_r would first close the connection, to end the previous request.
        unsafe handle.pointee.keepConnection = 1
        // Otherwise closing would wait up to two seconds for the peer to close.
        unsafe handle.pointee.detached = 1
        return unsafe FCGX_Accept_r(handle) == 0
    }

    /// The peer has set FCGI_KEEP_CONN to send more requests over this connection.
    var keepsConnection: Bool { unsafe handle.pointee.keepConnection != 0 }

    /// libfcgi has read bytes beyond the request, and will discard them. Valid once the body has been read.
    var hasReadAhead: Bool { unsafe gatehouse_bytes_read_ahead(handle.pointee.in) > 0 }

    func parameter(_ name: String) -> ArraySlice<UInt8>? {
        // A String as the argument would be copied into an array.
        let value = unsafe name.withCString { unsafe FCGX_GetParam($0, handle.pointee.envp) }
        guard let value = unsafe value else { return nil }
        return unsafe ArraySlice(UnsafeRawBufferPointer(start: value, count: strlen(value)))
    }

    func hasSeveral(_ name: String) -> Bool {
        var (count, next) = (0, unsafe handle.pointee.envp)
        let length = name.utf8.count
        unsafe name.withCString { name in
            while let entry = unsafe next?.pointee {
                if unsafe strncmp(entry, name, length) == 0, unsafe entry[length] == UInt8(ascii: "=") { count += 1 }
                unsafe next = next?.successor()
            }
        }
        return count > 1
    }

    /// Reads a body of `length` bytes and the end of the request.
    func readBody(length: Int) -> [UInt8] {
        let body = unsafe [UInt8](unsafeUninitializedCapacity: length) { bytes, count in
            unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
                unsafe count = Int(FCGX_GetStr(bytes.baseAddress, Int32(length), handle.pointee.in))
            }
        }
        _ = unsafe FCGX_GetChar(handle.pointee.in)
        return body
    }

    /// Writes the response and the end of the request, and frees the request. False if not everything could be written.
    func end(with answer: [UInt8], to descriptor: Int32) -> Bool {
        unsafe handle.pointee.ipcFd = descriptor
        var isWritten = unsafe answer.withUnsafeBytes { bytes in
            unsafe FCGX_PutStr(bytes.bindMemory(to: CChar.self).baseAddress, Int32(bytes.count), handle.pointee.out)
                >= 0
        }
        // After a partial write, FCGX_FClose would write the buffer again. The stream that is
        // closed last writes the end.
        if isWritten {
            let isErrorClosed = unsafe FCGX_FClose(handle.pointee.err) == 0
            isWritten = unsafe FCGX_FClose(handle.pointee.out) == 0 && isErrorClosed
        }
        unsafe FCGX_Free(handle, 0)
        unsafe handle.pointee.envp = nil
        return isWritten
    }
}
