import CommandLineTool
import FileSystem
import JSON
import POSIX

/// The file with a JSON object for each line: its number, its result, the id of the user, and why it was refused.
final class ImportReport {
    private let file: OutputFile

    private init(_ file: OutputFile) {
        self.file = file
    }

    /// - Parameter input: the file that is read, which a wrong option must not empty.
    static func create(_ path: String, besides input: String) throws(CommandError) -> ImportReport {
        if let report = FileStatus.ifAny(at: path), FileStatus.ifAny(at: input)?.isSameFile(as: report) == true {
            throw CommandError(.usage, "--report must not be the file that is read")
        }
        do throws(POSIXError) { return ImportReport(try OutputFile(replacing: path)) } catch {
            throw CommandError(.usage, "the report cannot be written: \("\(error)".printable)")
        }
    }

    func add(_ result: LineResult, line: Int, reference: String?) throws(POSIXError) {
        var json = JSONWriter(reserving: 256)
        json.object { json in
            json.member("line", line)
            json.member("result", result.word)
            json.member("userId", result.userID)
            json.member("ref", reference)
            json.member("reasons", .array(result.reasons.map(JSONValue.string)))
        }
        try file.append(json.finish() + [UInt8(ascii: "\n")])
    }

    func flush() throws(POSIXError) { try file.flush() }
}
