import GatehouseAPI
import JSON

extension Request {
    /// The body as one of our request types, with every fault of it named at once.
    func read<Body: RequestBody>(_: Body.Type) throws(Problem) -> Body {
        if !body.isEmpty, !isJSON { throw .unsupportedMediaType }
        return try parsed()
    }

    /// The same for a body that may be missing.
    func readIfPresent<Body: RequestBody>(_: Body.Type) throws(Problem) -> Body? {
        body.isEmpty ? nil : try read(Body.self)
    }

    private func parsed<Body: RequestBody>() throws(Problem) -> Body {
        let object: JSONObjectReader?
        do { object = try JSONObjectReader(parsing: body) } catch { throw .invalidJSON(error.description) }
        guard let object else { throw .invalidJSON("the body must be a JSON object") }
        var fields = FieldReader(object)
        let result = Body(reading: &fields)
        guard fields.faults.isEmpty else { throw .invalidRequest(fields.faults) }
        return result
    }

    /// `application/json`, with no other charset than the one JSON has.
    private var isJSON: Bool {
        let contentType = text(of: .contentType)
        // As nearly every client writes it.
        if contentType == "application/json" { return true }
        let parts = (contentType ?? "").lowercased().split(separator: ";", omittingEmptySubsequences: false)
            .map { $0.filter { $0 != " " && $0 != "\t" } }
        guard parts[0] == "application/json" else { return false }
        return parts.allSatisfy { !$0.hasPrefix("charset=") || $0 == "charset=utf-8" || $0 == "charset=\"utf-8\"" }
    }
}
