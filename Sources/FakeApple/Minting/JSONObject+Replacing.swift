import JSON

extension JSONObject {
    /// Takes over the members of an order, of which `null` takes one away.
    mutating func replaceMembers(by order: JSONObject) {
        for (name, value) in order.members {
            if value.isNull { self[name] = .none } else { self[name] = value }
        }
    }
}
