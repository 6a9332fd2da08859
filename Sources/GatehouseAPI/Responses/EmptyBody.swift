public import JSON

/// An answer that says nothing beside its status.
public struct EmptyBody: ResponseBody, Equatable {
    public init() {}

    public func write(to json: inout JSONObjectWriter) {}
}
