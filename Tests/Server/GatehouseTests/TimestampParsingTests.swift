import Gatehouse
import Testing

@Suite("Timestamps that an operator writes")
struct TimestampParsingTests {
    @Test(
        "a date or a time in UTC is accepted, in the form of this program's output",
        arguments: [
            ("1970-01-01", 0), ("1969-12-31", -86_400_000), ("2000-02-29", 951_782_400_000),
            ("2026-11-21", 1_795_219_200_000), ("2026-11-21T10:00:00Z", 1_795_255_200_000),
            ("2026-11-21t10:00:00z", 1_795_255_200_000), ("2026-11-21T10:00:00.512Z", 1_795_255_200_512),
            ("2026-11-21T23:59:59.9Z", 1_795_305_599_900), ("2026-11-21T00:00:00.123456789Z", 1_795_219_200_123),
        ])
    func good(text: String, milliseconds: Int64) {
        #expect(Timestamp(written: text) == Timestamp(milliseconds: milliseconds))
    }

    @Test("a description is parsed to the same timestamp, on any day", arguments: (-400...600).map { Int64($0) * 97 })
    func roundTrip(day: Int64) {
        let moment = Timestamp(milliseconds: day * 86_400_000 + 45_296_789)
        #expect(Timestamp(written: moment.description) == moment)
    }

    @Test(
        "a time that does not exist or has no zone is refused",
        arguments: [
            "", "yesterday", "2026-11", "2026-11-31", "2026-02-29", "2100-02-29", "2026-00-01", "2026-13-01",
            "2026-01-00", "0000-01-01", "2026-11-21T10:00:00", "2026-11-21 10:00:00Z", "2026-11-21T24:00:00Z",
            "2026-11-21T10:60:00Z", "2026-11-21T10:00:60Z", "2026-11-21T10:00Z", "2026-11-21T10:00:00+01:00",
            "2026-11-21T10:00:00.Z", " 2026-11-21", "2026-11-21Z", "\u{662}026-11-21",
        ])
    func bad(text: String) {
        #expect(Timestamp(written: text) == nil)
    }
}
