import POSIX
import Testing

@Suite(.timeLimit(.minutes(1))) struct SemaphoreTests {
    @Test("a post wakes one waiting thread, and counts if it comes before the wait")
    func wakes() throws {
        let (ping, pong) = (Semaphore(), Semaphore())
        ping.post()
        let other = try Thread.spawn(name: "other") {
            for _ in 0..<1000 {
                ping.wait()
                pong.post()
            }
        }
        for _ in 0..<999 {
            pong.wait()
            ping.post()
        }
        pong.wait()
        other.join()
    }
}
