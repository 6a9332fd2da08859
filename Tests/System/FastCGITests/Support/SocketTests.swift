import Testing

/// All tests that open descriptors. They run serially, since some open thousands and some count them.
@Suite(.serialized, .timeLimit(.minutes(3)))
enum SocketTests {}
