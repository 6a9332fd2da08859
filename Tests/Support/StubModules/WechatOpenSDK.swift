// What the documentation uses of WeChat's SDK for iOS, with the signatures of its headers. Nothing is sent.
@_exported import UIKit

/// In reality its methods are optional.
public protocol WXApiDelegate: NSObjectProtocol {
    func onResp(_ resp: BaseResp)
}

open class WXApi: NSObject {
    open class func send(_ req: BaseReq, completion: ((Bool) -> Void)? = nil) {}
    @discardableResult
    open class func handleOpen(_ url: URL, delegate: (any WXApiDelegate)?) -> Bool { false }
    @discardableResult
    open class func handleOpenUniversalLink(_ userActivity: NSUserActivity, delegate: (any WXApiDelegate)?) -> Bool {
        false
    }
}

open class BaseReq: NSObject {}
open class SendAuthReq: BaseReq {
    open var scope = ""
    open var state = ""
}

public struct WXErrCode: Hashable, Sendable {
    public let rawValue: Int32
}
// swift-format-ignore: AlwaysUseLowerCamelCase
public let WXSuccess = WXErrCode(rawValue: 0)

open class BaseResp: NSObject {
    open var errCode: Int32 = 0
}
open class SendAuthResp: BaseResp {
    open var code: String?
    open var state: String?
}
