import Testing

/// Passes tests over, saying why, where this machine lets nobody start a Docker engine.
struct WhereAnEngineStarts: SuiteTrait, TestTrait {
    let isRecursive = true

    func prepare(for test: Test) async throws {
        // Asked here and not where the suite is declared: those who run other tests need no engine.
        guard let obstacle = Engine.obstacle else { return }
        try await ConditionTrait.disabled("no Docker engine starts here: \(obstacle)").prepare(for: test)
    }
}

extension Trait where Self == WhereAnEngineStarts {
    static var whereAnEngineStarts: Self { Self() }
}
