/// Posts a form to an address and brings the answer, whatever its status.
package typealias FormPost = @Sendable (_ url: String, _ form: [(String, String)]) throws(FormFault) -> FormAnswer
