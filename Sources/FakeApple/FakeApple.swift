// FakeApple
