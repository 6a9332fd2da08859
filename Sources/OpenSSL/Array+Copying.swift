extension [UInt8] {
    /// What a span lends, to be kept.
    package init(copying bytes: Span<UInt8>) {
        self = []
        append(addingCapacity: bytes.count) { copy in
            for index in bytes.indices { copy.append(bytes[index]) }
        }
    }
}
