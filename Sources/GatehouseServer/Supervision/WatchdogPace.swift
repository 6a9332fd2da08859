/// When the service manager's watchdog is fed. A check that fails is made once more before time is up.
struct WatchdogPace: Equatable {
    /// From one success to the next check.
    let pause: Duration
    /// What a check may take.
    let patience: Duration
    /// From a failure to the next check.
    let retry: Duration

    /// Half the time has gone when the first check begins, and all but a twentieth when the second one has failed.
    init(interval: Duration) {
        pause = interval / 2
        patience = interval / 5
        retry = interval / 20
    }
}
