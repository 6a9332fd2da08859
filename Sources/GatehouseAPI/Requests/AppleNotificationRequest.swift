/// The body of `POST /api/auth/apple/notifications`, as Apple sends it.
public struct AppleNotificationRequest: RequestBody {
    /// A signed token.
    public var payload: String

    public init(reading fields: inout FieldReader) {
        payload = fields.required("payload", atMost: FieldLimit.token)
    }
}
