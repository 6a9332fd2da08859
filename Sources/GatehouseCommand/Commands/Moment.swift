import Gatehouse
import POSIX

/// The time that `--at` sets.
enum Moment {
    static func read(_ input: Input) throws(CommandFault) -> Timestamp {
        guard let text = input.value("--at") else {
            return Timestamp(milliseconds: WallClock.millisecondsSince1970())
        }
        guard let seconds = Int64(text) else { throw CommandFault(.usage, "--at must be a number of seconds") }
        return Timestamp(seconds: seconds)
    }
}
