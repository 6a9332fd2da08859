import Curl
package import DevelopmentHTTP
package import JSON

/// Posts notifications as Apple's servers do.
package struct NotificationSender: Sendable {
    private let client: HTTPClient

    /// - Parameter authorities: a file of trusted certificates in place of the system's.
    package init(authorities: String? = nil) {
        client = HTTPClient(timeout: .seconds(10), authorities: authorities)
    }

    /// Returns the answer of the receiver: `{"status", "answer"}`.
    package func deliver(_ notification: JSONObject, to address: String) throws(HTTPRefusal) -> JSONObject {
        guard address.hasPrefix("https://") || Loopback.isHost(of: address) else {
            throw .failed("to: must be an https URL, or an http URL of this machine")
        }
        do throws(HTTPFault) {
            let answer = try client.post(address, json: notification.bytes)
            let body = (try? JSONValue(parsing: answer.body)) ?? .string(String(decoding: answer.body, as: UTF8.self))
            return ["status": .integer(Int64(answer.status)), "answer": body]
        } catch {
            throw .failed("\(error)")
        }
    }
}
