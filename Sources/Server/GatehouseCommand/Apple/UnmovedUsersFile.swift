import CommandLineTool
import FileSystem
import Gatehouse
import JSON

/// The file of `--report`: a line of JSON for each user whose account was not moved.
struct UnmovedUsersFile {
    let path: String

    /// Creates the file, or finds out early that it cannot be written.
    func create() throws(CommandError) { try write([]) }

    func write(_ users: [JSONObject]) throws(CommandError) {
        do { try File.replace(path, with: Array(users.map { $0.description + "\n" }.joined().utf8)) } catch {
            throw CommandError(
                .usage, "--report: \(path.printable) cannot be written by the owner of the database: \(error)")
        }
    }

    static func users(_ refused: [UserID], _ tally: TransferTally) -> [JSONObject] {
        refused.map { ["userId": .string($0.text), "result": "refused"] }
            + tally.conflicts.map {
                ["userId": .string($0.user.text), "result": "conflict", "otherUserId": .string($0.other.text)]
            }
    }
}
