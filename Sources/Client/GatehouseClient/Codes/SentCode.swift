import Foundation

/// A code that the server has sent. The user types it, and the app gives both to `signIn` or `bindPhone`.
///
/// Only this app has the id, so that a code that the user tells to another party cannot be used on another device. An app may keep
/// the value while the user reads the code in another app: the system may end a process in the background.
public struct SentCode: Codable, Hashable, Sendable, Identifiable {
    public let id: String
    public let to: CodeDestination
    /// How long the code is valid, in seconds.
    public let expiresIn: Int
    /// How long the server refuses to send it again, in seconds.
    public let resendAfter: Int
    /// When the server answered, by the device's clock.
    public let sentAt: Date

    /// For previews and tests of an app.
    public init(
        id: String, to: CodeDestination, expiresIn: Int = 600, resendAfter: Int = 60, sentAt: Date = Date()
    ) {
        (self.id, self.to, self.expiresIn) = (id, to, expiresIn)
        (self.resendAfter, self.sentAt) = (resendAfter, sentAt)
    }

    public var expiresAt: Date { sentAt.addingTimeInterval(Double(expiresIn)) }

    /// When ``GatehouseClient/requestCode(to:resending:)`` may send it again.
    public var resendAt: Date { sentAt.addingTimeInterval(Double(resendAfter)) }
}

/// With its id, a thief has the tries that are left to guess the code, so it does not print itself.
extension SentCode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "SentCode(…)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
