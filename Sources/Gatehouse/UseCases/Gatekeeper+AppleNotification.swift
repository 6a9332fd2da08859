extension Gatekeeper {
    /// Does what Apple's servers tell, once. What returns has been committed, so that Apple need not tell it again.
    package func receive(notification payload: String) throws(Refusal) {
        let now = world.now()
        let notification = try apple.verify(notification: payload, now: now)
        let event = AuditEvent(.appleNotification, at: now, by: .apple, provider: .apple)
        let ended = try asking { () throws(StoreFailure) in
            try store.apply(notification, by: policy.apple.onConsentRevoked, hasher: hasher, noting: event)
        }
        forget(ended, at: now)
        notice(.appleNotified(notification.kind))
        if !ended.isEmpty { notice(.sessionsEnded(.consentRevoked, count: ended.count)) }
    }
}
