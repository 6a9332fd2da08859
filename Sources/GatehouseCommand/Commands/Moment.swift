import Gatehouse
import POSIX

/// The time that `--at` sets.
enum Moment {
    static func read(_ input: Input) throws(CommandFault) -> Timestamp {
        guard let text = input.value("--at") else {
            return Timestamp(milliseconds: WallClock.millisecondsSince1970())
        }
        if let seconds = Int64(text) { return Timestamp(seconds: seconds) }
        if let moment = Timestamp(written: text) { return moment }
        throw CommandFault(.usage, "--at must be seconds since 1970, or a moment in UTC such as 2026-11-21T10:00:00Z")
    }
}
