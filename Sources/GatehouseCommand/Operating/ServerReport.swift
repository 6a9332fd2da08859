import JSON

/// What a running server says of itself.
struct ServerReport {
    struct Part {
        let isReady: Bool
        /// In words that say what to do, where something is to be done.
        let detail: String
    }

    let isReady: Bool
    let parts: [Part]

    init(document: [UInt8]) {
        let object = (try? JSONValue(parsing: document))?.object ?? [:]
        isReady = object["ready"] == true
        parts = (object["parts"]?.array ?? []).compactMap(\.object).map { part in
            Part(isReady: part["ready"] == true, detail: part["detail"]?.string ?? "")
        }
    }
}
