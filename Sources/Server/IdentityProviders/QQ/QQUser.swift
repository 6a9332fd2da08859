import Gatehouse
import JSON

/// The user of an access token, as QQ names it.
struct QQUser {
    let openID: String
    /// The same in all apps of the operator; nil if QQ has not enabled it for the app.
    let unionID: String?

    /// - Parameters:
    ///   - appID: the operator's. The token of another app proves nothing: its users have not signed in here.
    ///   - path: of the call, for faults.
    init(_ answer: LenientAnswer, ofApp appID: String, at path: String) throws(CallFault) {
        guard let client = answer.text("client_id") else { throw .unreadable(path) }
        guard client.isIdentical(to: appID) else { throw .credential(.client(PlainName(client))) }
        guard let openID = answer.id("openid") else { throw .unreadable(path) }
        self.openID = openID
        unionID = try answer.optionalID("unionid", at: path)
    }
}
