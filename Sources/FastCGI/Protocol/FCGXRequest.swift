internal import CFastCGI
internal import Glibc
import POSIX

/// libfcgi's side of a request: reads it where all of it lies, and writes its answer. Used for one request after the other.
///
/// libfcgi would accept connections, wait on them and close them. It has no listener, what it reads is there, and it closes a
/// descriptor only when it cannot read a request.
@safe
final class FCGXRequest {
    private let handle = UnsafeMutablePointer<FCGX_Request>.allocate(capacity: 1)

    /// FCGX_Init installs handlers for signals that are ignored or at their default. The one for SIGPIPE stays: it does nothing,
    /// and a write to a peer that has gone fails.
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

    /// Reads the parameters. False if libfcgi could not, and then it has closed the descriptor.
    func begin(on descriptor: Int32) -> Bool {
        unsafe handle.pointee.ipcFd = descriptor
        // Otherwise FCGX_Accept_r would begin by closing the connection, as the end of the request before.
        unsafe handle.pointee.keepConnection = 1
        // Otherwise closing would wait until the peer closes, or for two seconds.
        unsafe handle.pointee.detached = 1
        return unsafe FCGX_Accept_r(handle) == 0
    }

    /// The peer wants to send more requests over this connection.
    var keepsConnection: Bool { unsafe handle.pointee.keepConnection != 0 }

    /// libfcgi has read bytes behind the request, and discards them with it. To be asked when the body has been read.
    var hasReadAhead: Bool { unsafe gatehouse_bytes_read_ahead(handle.pointee.in) > 0 }

    func parameter(_ name: String) -> ArraySlice<UInt8>? {
        guard let value = unsafe FCGX_GetParam(name, handle.pointee.envp) else { return nil }
        return unsafe ArraySlice(UnsafeRawBufferPointer(start: value, count: strlen(value)))
    }

    /// The body of so many bytes, and with it the end of the request.
    func readBody(length: Int) -> [UInt8] {
        let body = unsafe [UInt8](unsafeUninitializedCapacity: length) { bytes, count in
            unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
                unsafe count = Int(FCGX_GetStr(bytes.baseAddress, Int32(length), handle.pointee.in))
            }
        }
        _ = unsafe FCGX_GetChar(handle.pointee.in)
        return body
    }

    /// Writes the answer and the end of the request, and lets go of both. False if the descriptor did not take it all.
    func end(with answer: [UInt8], to descriptor: Int32) -> Bool {
        unsafe handle.pointee.ipcFd = descriptor
        var isWritten = unsafe answer.withUnsafeBytes { bytes in
            unsafe FCGX_PutStr(bytes.bindMemory(to: CChar.self).baseAddress, Int32(bytes.count), handle.pointee.out)
                >= 0
        }
        // FCGX_FClose would write a buffer again of which a part was written. The stream closed last writes the end.
        if isWritten {
            let isErrorClosed = unsafe FCGX_FClose(handle.pointee.err) == 0
            isWritten = unsafe FCGX_FClose(handle.pointee.out) == 0 && isErrorClosed
        }
        unsafe FCGX_Free(handle, 0)
        unsafe handle.pointee.envp = nil
        return isWritten
    }
}
