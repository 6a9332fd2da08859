import Gatehouse
import JSON

extension JSONValue {
    /// A NumericDate (RFC 7519): seconds, perhaps with a fraction.
    var moment: Timestamp? {
        if let seconds = integer { return Timestamp(seconds: seconds) }
        guard let seconds = number, seconds.isFinite, abs(seconds) < 1e15 else { return nil }
        return Timestamp(milliseconds: Int64(seconds * 1000))
    }
}
