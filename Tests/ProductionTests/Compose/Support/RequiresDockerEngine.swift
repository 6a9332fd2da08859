import Testing

/// Skips tests, with the reason, where no Docker engine can start.
struct RequiresDockerEngine: SuiteTrait, TestTrait {
    let isRecursive = true

    func prepare(for test: Test) async throws {
        // Checked here and not in the declaration of the suite, so that other tests do not start an engine.
        guard let obstacle = DockerEngine.obstacle else { return }
        try await ConditionTrait.disabled("no Docker engine starts here: \(obstacle)").prepare(for: test)
    }
}

extension Trait where Self == RequiresDockerEngine {
    static var requiresDockerEngine: Self { Self() }
}
