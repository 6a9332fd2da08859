import CommandLineTool
import FileSystem
import POSIX

/// Where a command writes lines of users: standard output, or a file that appears under its name when it is complete.
final class UserFileOutput {
    private static let bufferSize = 1 << 16

    private let path: String
    /// Nil for standard output.
    private let draft: DraftFile?
    private let mayReplace: Bool
    private var buffer: [UInt8] = []

    /// - Parameter path: `-` is standard output.
    init(_ path: String, mayReplace: Bool) throws(CommandError) {
        self.path = path
        self.mayReplace = mayReplace
        guard path != "-" else {
            draft = nil
            return
        }
        guard mayReplace || !File.exists(path) else { throw Self.exists(path) }
        do throws(POSIXError) { draft = try DraftFile(in: File.folder(of: path), kind: ".gatehouse-users-") } catch {
            throw Self.failure(path, error)
        }
    }

    func append(_ bytes: [UInt8]) throws(CommandError) {
        buffer += bytes
        if buffer.count >= Self.bufferSize { try flush() }
    }

    /// Gives the file its name.
    func finish() throws(CommandError) {
        try flush()
        guard let draft else { return }
        let isNamed: Bool
        do throws(POSIXError) {
            try draft.sync()
            isNamed = try draft.name(String(path.split(separator: "/").last ?? ""), replacing: mayReplace)
        } catch {
            throw Self.failure(path, error)
        }
        guard isNamed else { throw Self.exists(path) }
    }

    private func flush() throws(CommandError) {
        defer { buffer.removeAll(keepingCapacity: true) }
        guard let draft else {
            guard StandardStream.output.write(buffer) else {
                throw CommandError(.failed, "the users could not be written to standard output")
            }
            return
        }
        do throws(POSIXError) { try draft.append(buffer) } catch { throw Self.failure(path, error) }
    }

    private static func exists(_ path: String) -> CommandError {
        CommandError(.no, "\(path.printable) exists and was not changed: --force replaces it")
    }

    private static func failure(_ path: String, _ error: POSIXError) -> CommandError {
        CommandError(.failed, "\(path.printable) cannot be written: \("\(error)".printable)")
    }
}
