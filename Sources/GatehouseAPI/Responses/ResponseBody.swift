public import JSON

/// A response body: writes its members, absent ones as `null` and never left out.
public protocol ResponseBody: Sendable {
    func write(to json: inout JSONObjectWriter)
}

extension ResponseBody {
    public var json: [UInt8] {
        var writer = JSONWriter(reserving: 1024)
        writer.object { write(to: &$0) }
        return writer.finish()
    }
}
