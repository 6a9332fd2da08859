public import JSON

/// The answer of `GET /readyz`: a problem document with the same parts in it where something is not ready.
public struct ReadinessBody: ResponseBody, Equatable {
    public struct Part: Sendable, Equatable {
        public var name: String
        public var ready: Bool
        public var detail: String

        public init(name: String, ready: Bool, detail: String) {
            self.name = name
            self.ready = ready
            self.detail = detail
        }
    }

    public var parts: [Part]
    /// Nil where everything is ready.
    public var problem: ProblemBody?

    public init(parts: [Part], problem: ProblemBody? = nil) {
        self.parts = parts
        self.problem = problem
    }

    public func write(to json: inout JSONObjectWriter) {
        problem?.write(to: &json)
        json.member("ready", problem == nil)
        json.member(
            "parts",
            array: { list in
                for part in parts {
                    list.object { json in
                        json.member("name", part.name)
                        json.member("ready", part.ready)
                        json.member("detail", part.detail)
                    }
                }
            })
    }
}
