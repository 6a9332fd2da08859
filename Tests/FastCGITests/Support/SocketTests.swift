import Testing

/// All tests that open descriptors, one after the other: some open thousands, some count them.
@Suite(.serialized, .timeLimit(.minutes(3)))
enum SocketTests {}
