// What the documentation uses of Google's SDK for iOS, version 9, with the signatures of its headers. No user is asked.
@_exported import UIKit

open class GIDSignIn: NSObject {
    open class var sharedInstance: GIDSignIn { fatalError() }
    open func signIn(
        withPresenting presentingViewController: UIViewController, hint: String?, additionalScopes: [String]?,
        nonce: String?
    ) async throws -> GIDSignInResult { fatalError() }
}

open class GIDSignInResult: NSObject {
    open var user: GIDGoogleUser { fatalError() }
}

open class GIDGoogleUser: NSObject {
    open var idToken: GIDToken? { fatalError() }
}

open class GIDToken: NSObject {
    open var tokenString: String { fatalError() }
}
