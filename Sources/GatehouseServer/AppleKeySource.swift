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
                if answer.status == 200 { return answer.body }
                log(.warning, "apple_keys", [("status", .integer(Int64(answer.status)))])
                return nil
            } catch {
                log(.warning, "apple_keys", [("fault", .string(error.description))])
                return nil
            }
        }
    }
}
