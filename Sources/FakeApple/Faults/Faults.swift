import Synchronization

/// The misbehaviour that was ordered. The order given last goes first.
final class Faults: Sendable {
    private let orders = Mutex<[FaultOrder]>([])

    func add(_ order: FaultOrder) { orders.withLock { $0.append(order) } }

    func clear() { orders.withLock { $0 = [] } }

    /// The order to follow for one request, counted as followed.
    func next(for path: String) -> FaultOrder? {
        orders.withLock { orders in
            guard let index = orders.lastIndex(where: { $0.path == nil || $0.path == path }) else { return nil }
            let order = orders[index]
            if let times = order.times { orders[index].times = times - 1 }
            orders.removeAll { $0.times == 0 }
            return order
        }
    }
}
