import Glibc
package import POSIX

/// Checks whether a process listens at an address, by connecting without sending anything.
package enum SocketProbe {
    package enum Outcome: Sendable, Equatable {
        case listening
        /// No process listens.
        case refused
        case failed(POSIXError)
    }

    package static func outcome(at address: () throws(ListenerError) -> SocketAddress) -> Outcome {
        guard let address = try? address() else { return .failed(POSIXError("address", code: EINVAL)) }
        do throws(POSIXError) {
            let socket = try FileDescriptor.streamSocket(family: address.family)
            if address.connect(socket) { return .listening }
            // The listener's queue is full.
            if errno == EAGAIN { return .listening }
            guard errno == EINPROGRESS else { return outcome(of: errno) }
            guard socket.waitUntilWritable(milliseconds: 2000) else { return outcome(of: ETIMEDOUT) }
            return outcome(of: try socket.option(SO_ERROR))
        } catch {
            return .failed(error)
        }
    }

    private static func outcome(of code: Int32) -> Outcome {
        switch code {
        case 0: .listening
        case ECONNREFUSED: .refused
        default: .failed(POSIXError("connect", code: code))
        }
    }
}
