import Glibc
import Synchronization

/// Where a command speaks: answers on one stream, complaints on the other.
package enum StandardStream: Int32, Sendable {
    case output = 1
    case error = 2

    private static let outputIsLost = Atomic(false)

    /// Whether something that was to be read has not been written: the disk that it was redirected to is full, for one.
    package static var hasLostOutput: Bool { outputIsLost.load(ordering: .relaxed) }

    /// Writes a line in one piece, so that lines of several threads do not mix. Nobody listening is no fault.
    package func line(_ text: String) {
        do { try File.write(Array((text + "\n").utf8), to: rawValue, named: "stream") } catch {
            if self == .output, error.code != EPIPE { Self.outputIsLost.store(true, ordering: .relaxed) }
        }
    }
}
