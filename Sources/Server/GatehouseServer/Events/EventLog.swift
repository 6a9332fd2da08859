import EventDelivery
import Gatehouse
import JSON

extension EventDeliveryReport {
    /// Equal lines are limited, because every event would repeat them. None holds anything of an event.
    func write(to log: Log, throttle: LogThrottle) {
        switch self {
        case .sent(let receiver, let outcome):
            guard let fault = outcome.fault, throttle.permits("\(receiver) \(fault)") else { return }
            log(.warning, "events", [("receiver", .string(receiver)), ("fault", .string(fault))])
        case .stopped(let receiver):
            let fault =
                "the receiver wants no more events (status 410): nothing is sent until gatehouse events resume \(receiver)"
            log(.error, "events", [("receiver", .string(receiver)), ("fault", .string(fault))])
        case .gaveUp(let receiver, let count, let fault):
            guard count > 0 else { return }
            log(
                .error, "events_given_up",
                [
                    ("receiver", .string(receiver)), ("count", .integer(Int64(count))), ("fault", .string(fault)),
                    ("advice", .string("gatehouse events retry --dead --receiver \(receiver) sends them again")),
                ])
        case .storeFailed(.storageUnavailable(let failure)): log.storeFailure(failure)
        case .storeFailed: return
        }
    }
}

extension EventOutcome {
    fileprivate var fault: String? {
        switch self {
        case .accepted, .gone: nil
        case .busy(_, let fault), .unreachable(let fault), .refused(let fault): fault
        }
    }
}
