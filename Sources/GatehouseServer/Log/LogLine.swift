import Gatehouse
import JSON
import POSIX

/// The form of a line: when, how grave, what, of which request, and what there is to say about it.
enum LogLine {
    static func bytes(
        _ level: LogLevel, _ event: String, request: String? = nil, _ members: (inout JSONObjectWriter) -> Void
    ) -> [UInt8] {
        var json = JSONWriter(reserving: 384)
        json.object { line in
            line.member("time", utf8: Timestamp(milliseconds: WallClock.millisecondsSince1970()).text.span)
            line.member("level", level.rawValue)
            line.member("event", event)
            if let request { line.member("id", request) }
            members(&line)
        }
        return json.finish()
    }
}
