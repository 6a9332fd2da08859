import JSON

extension FakeAppleService {
    /// Carries out what is no endpoint of Apple's, but ours to make it do something.
    func control(_ request: HTTPRequest) throws -> JSONObject {
        switch (request.method, request.path) {
        case ("GET", "/mint"): return login(MintOrder(audience: audience))
        case ("POST", "/mint"): return login(try MintOrder(try object(in: request), audience: audience))
        case ("POST", "/notify"): return try notify(request)
        case ("POST", "/faults"): misbehave(try FaultOrder(try object(in: request)))
        case ("DELETE", "/faults"): behave()
        case ("POST", "/keys/rotate"): try keys.rotate()
        case ("POST", "/keys/turnover"): try keys.turnOver()
        case ("GET", "/requests"): return ["requests": .array(requests.map { .object($0.json) })]
        case ("DELETE", "/requests"): forgetRequests()
        case ("GET", "/authorisations"): return ["authorisations": .array(authorisations.map { .object($0.json) })]
        default: throw ControlRefusal.unknown
        }
        return [:]
    }

    private func notify(_ request: HTTPRequest) throws -> JSONObject {
        let order = try NotificationOrder(try object(in: request), audience: audience)
        var result = notification(order)
        guard let address = order.address else { return result }
        for (name, value) in try courier.deliver(result, to: address).members { result[name] = value }
        return result
    }

    private func object(in request: HTTPRequest) throws(ControlRefusal) -> JSONObject {
        guard let object = (try? JSONValue(parsing: request.body))?.object else { throw .noObject }
        return object
    }
}
