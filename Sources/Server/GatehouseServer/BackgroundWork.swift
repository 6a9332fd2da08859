import EventDelivery
import Gatehouse
import IdentityProviders
import POSIX

/// The loops of the background threads. Each one ends when `ended` is set.
struct BackgroundWork: Sendable {
    let assembly: Assembly
    let log: Log

    /// Renews Apple's keys and probes the public address.
    func fetch(until ended: Monitor<Bool>, _ stopping: Monitor<Bool>) {
        repeat {
            if let seconds = KernelClock.synchronisedSeconds {
                assembly.clocks.note(Timestamp(seconds: seconds), by: "kernel")
            }
            assembly.keys.renewIfDue()
            // A stopping server accepts no connections, so a probe would wait for its timeout and delay the shutdown.
            if !stopping.isReached(within: .zero) { assembly.publicAddressMonitor.probeIfDue() }
        } while !ended.isReached(within: .seconds(1))
    }

    /// A thread of its own: a provider that hangs must not delay Apple's keys.
    func renewProviderKeys(until ended: Monitor<Bool>) {
        repeat { assembly.providers.renewKeysIfDue() } while !ended.isReached(within: .seconds(1))
    }

    func runAppleTasks(until ended: Monitor<Bool>) {
        repeatBatches(until: ended, pause: .zero) { () throws(Refusal) in try assembly.auth.runNextAppleTask() }
    }

    func sendNotices(until ended: Monitor<Bool>) {
        repeatBatches(until: ended, pause: .zero) { () throws(Refusal) in
            try assembly.auth.sendNextNotice(from: assembly.notices)
        }
    }

    /// Ends with the accepting of requests, so that another node, or the next process, goes on at once.
    func sendEvents(until stopping: Monitor<Bool>) { assembly.dispatcher.run(until: stopping) }

    /// Returns at once if there are no other nodes.
    func followRevocations(until ended: Monitor<Bool>) {
        guard assembly.auth.hasOtherNodes else { return }
        while !ended.isReached(within: .zero) {
            do throws(Refusal) { try assembly.auth.followRevocations() } catch { log.storeFailure(error) }
        }
    }

    func runMaintenance(until ended: Monitor<Bool>) {
        // A short pause between two batches lets requests write.
        repeatBatches(until: ended, pause: .milliseconds(50)) { () throws(Refusal) in
            try assembly.auth.runMaintenance()
        }
        do throws(Refusal) { try assembly.auth.flush() } catch { log.storeFailure(error) }
    }

    /// - Parameters:
    ///   - pause: the time between two batches if there is more work; otherwise one second.
    ///   - runBatch: returns whether there is more work.
    private func repeatBatches(
        until ended: Monitor<Bool>, pause: Duration, _ runBatch: () throws(Refusal) -> Bool
    ) {
        var hasMore = false
        repeat {
            do throws(Refusal) { hasMore = try runBatch() } catch {
                hasMore = false
                log.storeFailure(error)
            }
        } while !ended.isReached(within: hasMore ? pause : .seconds(1))
    }
}
