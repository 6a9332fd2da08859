import CommandLineTool
import FileSystem
import Gatehouse
import GatehouseServer
import GatehouseStore
import JSON
import POSIX
import Synchronization
import UserFiles

struct UsersExportCommand: Command {
    let words = ["users", "export"]
    let summary = "Write all users to a file, as gatehouse users import reads it."
    let discussion = """
        Reads DATABASE_URL. FILE gets a JSON object for each user who is not deleted, sorted by id, and appears under its name
        when it is complete; only this user can read it. - is standard output. A server may be running: a user who changes
        meanwhile is written as before or after the change. A user who joins an older one meanwhile may be missing: for a file
        without gaps, export while no server runs.

        Sessions and Apple's refresh tokens are not in it: users sign in again after an import. gatehouse move and
        gatehouse backup carry a whole database.

        Root works as the owner of a database in a file. To write to a folder that is closed to the owner, redirect the output
        as root: (umask 077; gatehouse users export - >/root/users.jsonl)

        Exits 1 if FILE exists.
        """
    let parameters = ["FILE"]
    let options = [Option(name: "--force", help: "replace FILE"), .json]

    private static let pageSize = 1000

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let place = try ConfiguredDatabase.read()
        do {
            var path = arguments.positional[0]
            if path != "-", case .file(let owner) = place { path = owner.reachable(path) }
            let administration = Administration(store: try place.store(), now: Platform.system.now)
            let output = try UserFileOutput(path, mayReplace: arguments.has("--force"))
            let (count, skipped) = try ProgressLine.showing { progress in
                try write(administration, to: output, progress)
            }
            try output.finish()
            let json: JSONValue = ["exported": .integer(count), "skipped": .integer(skipped)]
            let rest = skipped == 0 ? "" : "; \(skipped) have no way to sign in and were left out"
            Report(json: json, text: "exported \(count) users\(rest)").print(
                for: arguments, on: path == "-" ? .error : .output)
            return .done
        } catch let error as CommandError {
            throw error
        } catch Refusal.storageUnavailable(let failure) {
            throw CommandError(.failed, failure.description)
        } catch {
            throw CommandError(.failed, "\(error)")
        }
    }

    private func write(
        _ administration: Administration, to output: UserFileOutput, _ progress: Progress
    ) throws -> (count: Int64, skipped: Int64) {
        let count = Counter()
        progress.begin("exporting", unit: "users", total: nil) { count.value.load(ordering: .relaxed) }
        var (last, skipped) = (UserID?.none, Int64(0))
        while true {
            let page = try administration.exportedUsers(after: last, limit: Self.pageSize)
            for user in page {
                guard !user.accounts.isEmpty else {
                    skipped += 1
                    continue
                }
                try output.append(UserLine(user).written)
                count.value.add(1, ordering: .relaxed)
            }
            guard page.count == Self.pageSize else { break }
            last = page.last?.user.id
        }
        return (count.value.load(ordering: .relaxed), skipped)
    }
}

private final class Counter: Sendable {
    let value = Atomic(Int64(0))
}

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
        (self.path, self.mayReplace) = (path, mayReplace)
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
