// What the documentation uses of Apple's UIKit, and of Foundation where Linux does not have it, with the signatures of
// Apple's documentation.
@_exported import Foundation

@MainActor open class UIViewController: NSObject {}

open class NSUserActivity: NSObject {}

public struct UITextContentType: Sendable {
    public static let username = UITextContentType()
    public static let telephoneNumber = UITextContentType()
    public static let oneTimeCode = UITextContentType()
}

public enum UIKeyboardType: Sendable { case phonePad, numberPad }
