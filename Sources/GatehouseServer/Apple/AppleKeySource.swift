package import AppleID
import Curl

/// Apple's key set over HTTPS, within the bounds that `HTTPClient` sets.
package enum AppleKeySource {
    package static func fetching(_ url: String) -> KeySource {
        let client = HTTPClient()
        return { () throws(KeySetFault) in
            let answer: HTTPAnswer
            do throws(HTTPFault) { answer = try client.get(url) } catch { throw KeySetFault(error.description) }
            guard answer.status == 200 else { throw KeySetFault("status \(answer.status)") }
            return answer.body
        }
    }
}
