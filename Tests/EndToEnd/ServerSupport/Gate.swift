/// Where answers wait until a test lets them go on.
actor Gate {
    private var isOpen = false
    private var arrivals = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var observers: [(arrivals: Int, continuation: CheckedContinuation<Void, Never>)] = []

    func pass() async {
        arrivals += 1
        for observer in observers where observer.arrivals <= arrivals { observer.continuation.resume() }
        observers.removeAll { $0.arrivals <= arrivals }
        if isOpen { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    /// Waits until so many answers have arrived.
    func arrival(_ number: Int = 1) async {
        if arrivals < number { await withCheckedContinuation { observers.append((number, $0)) } }
    }

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}
