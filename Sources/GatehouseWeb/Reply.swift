/// An answer, with what is to be known of it beside.
package struct Reply: Sendable {
    package let response: Response
    /// The place of the endpoint in `Router.routes`, or of one at the same path where the method is not served; nil where
    /// there is nothing.
    package let route: Int?
    /// Why it is no other answer; nil where all went well.
    package let problem: Problem?

    init(response: Response, route: Int? = nil, problem: Problem? = nil) {
        self.response = response
        self.route = route
        self.problem = problem
    }
}
