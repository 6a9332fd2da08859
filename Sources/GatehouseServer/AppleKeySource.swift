package import AppleID
import Curl
import JSON

/// Apple's key set over HTTPS, within the bounds that `HTTPClient` sets.
package enum AppleKeySource {
    package static func fetching(_ url: String, log: Log) -> KeySource {
        let client = HTTPClient()
        return {
            do throws(HTTPFault) {
                let answer = try client.get(url)
                log(answer.status == 200 ? .info : .warning, "apple_keys", [("status", .integer(Int64(answer.status)))])
                return answer.status == 200 ? answer.body : nil
            } catch {
                log(.warning, "apple_keys", [("fault", .string(error.description))])
                return nil
            }
        }
    }
}
