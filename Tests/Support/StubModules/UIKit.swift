// What the documentation uses of Apple's UIKit, and of Foundation where Linux does not have it, with the signatures of
// Apple's documentation.
@_exported import Foundation

@MainActor open class UIViewController: NSObject {}

open class NSUserActivity: NSObject {}
