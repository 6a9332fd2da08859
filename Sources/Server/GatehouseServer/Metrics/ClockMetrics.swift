import Gatehouse

/// Whether two clocks agree, which the deletion of expired rows needs.
struct ClockGauges: MetricSource {
    let clocks: Clocks

    func write(to text: inout Exposition) {
        let agreement = clocks.agreement
        text.begin(
            Family(
                "gatehouse_clock_agrees", .gauge,
                "1 if the machine's clock agrees with a second one, 0 if not: then nothing expired is deleted."))
        text.sample(agreement == .agrees ? 1 : 0)
        text.begin(
            Family(
                "gatehouse_clock_lead_seconds", .gauge,
                "How far the machine's clock is ahead of the second one, 0 if both agree; NaN if that is not known."))
        text.sample(lead(agreement).map { $0 / .seconds(1) })
    }

    private func lead(_ agreement: ClockAgreement) -> Duration? {
        switch agreement {
        case .agrees: .zero
        case .differs(let lead): lead
        case .unconfirmed: nil
        }
    }
}
