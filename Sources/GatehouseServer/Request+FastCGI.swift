import FastCGI
import Gatehouse
import GatehouseWeb

extension GatehouseWeb.Request {
    /// Reads the parameters that every FastCGI front sends.
    init(_ exchange: borrowing FastCGI.Request, id: String) {
        self.init(
            method: exchange.parameter("REQUEST_METHOD") ?? "", path: Self.path(of: exchange),
            contentType: exchange.parameter("CONTENT_TYPE"),
            authorization: exchange.parameter("HTTP_AUTHORIZATION"),
            ifNoneMatch: exchange.parameter("HTTP_IF_NONE_MATCH"),
            demandedRole: exchange.parameter("GATEHOUSE_ROLE"), body: exchange.body,
            bodyIsTooLarge: exchange.bodyIsTooLarge, device: Self.device(of: exchange), id: id)
    }

    /// nginx normalises into DOCUMENT_URI; fronts that do not know it split the path in two, as CGI has it.
    private static func path(of exchange: borrowing FastCGI.Request) -> String {
        if let path = exchange.parameter("DOCUMENT_URI"), !path.isEmpty { return path }
        return (exchange.parameter("SCRIPT_NAME") ?? "") + (exchange.parameter("PATH_INFO") ?? "")
    }

    /// User agents can be of any length; the first part tells devices apart.
    private static func device(of exchange: borrowing FastCGI.Request) -> Device {
        var agent = exchange.parameter("HTTP_USER_AGENT")
        if let text = agent, text.utf8.count > longestAgent {
            agent = String(decoding: text.utf8.prefix(longestAgent), as: UTF8.self)
        }
        if agent?.isEmpty == true { agent = nil }
        return Device(userAgent: agent, address: exchange.parameter("REMOTE_ADDR"))
    }

    private static let longestAgent = 256
}
