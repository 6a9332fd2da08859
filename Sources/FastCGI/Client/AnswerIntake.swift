/// Puts the records of one answer together, whatever pieces they come in: bytes go in, and at the end there is what the
/// responder wrote. What it keeps is bounded.
struct AnswerIntake {
    private let longest: Int
    private var headerBits: UInt64 = 0
    private var headerCount = 0
    private var record = RecordHeader(bits: 0)
    private var contentLeft = 0
    private var paddingLeft = 0

    /// What came on the standard output so far.
    private(set) var output: [UInt8] = []
    /// The record that ends the request is here.
    private(set) var isComplete = false

    init(longest: Int) {
        self.longest = longest
    }

    mutating func consume(_ bytes: ArraySlice<UInt8>) throws(ClientFault) {
        for byte in bytes where !isComplete { try take(byte) }
    }

    private mutating func take(_ byte: UInt8) throws(ClientFault) {
        if headerCount < RecordHeader.length {
            headerBits = headerBits << 8 | UInt64(byte)
            headerCount += 1
            if headerCount == RecordHeader.length { try openRecord() }
        } else if contentLeft > 0 {
            contentLeft -= 1
            if record.type == .standardOutput { output.append(byte) }
        } else {
            paddingLeft -= 1
        }
        if headerCount == RecordHeader.length, contentLeft == 0, paddingLeft == 0 { closeRecord() }
    }

    private mutating func openRecord() throws(ClientFault) {
        record = RecordHeader(bits: headerBits)
        guard record.version == 1 else { throw .malformed }
        guard record.type != .standardOutput || output.count + record.contentLength <= longest else { throw .tooLong }
        contentLeft = record.contentLength
        paddingLeft = record.paddingLength
    }

    private mutating func closeRecord() {
        headerCount = 0
        if record.type == .endRequest { isComplete = true }
    }
}
