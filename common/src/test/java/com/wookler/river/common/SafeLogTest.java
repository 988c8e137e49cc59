package com.wookler.river.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

class SafeLogTest {
  @Test
  void shouldSurviveLoggingThatFails() {
    AtomicInteger calls = new AtomicInteger();
    Logger broken =
        (Logger)
            Proxy.newProxyInstance(
                Logger.class.getClassLoader(),
                new Class<?>[] {Logger.class},
                (proxy, method, args) -> {
                  calls.incrementAndGet();
                  throw new OutOfMemoryError("on purpose");
                });

    assertThatCode(() -> SafeLog.error(broken, "what", new IllegalStateException("on purpose")))
        .doesNotThrowAnyException();
    assertThat(calls).hasValue(1);
  }
}
