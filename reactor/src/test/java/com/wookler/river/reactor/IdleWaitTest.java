package com.wookler.river.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.subscriber.Subscriber;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class IdleWaitTest extends ReactorFixture {
  private final AtomicReference<Runnable> beforeFailure = new AtomicReference<>();

  /** Fails each request, after something else has happened. */
  @SuppressWarnings("unchecked")
  private Subscriber<String> failing() {
    return (Subscriber<String>)
        Proxy.newProxyInstance(
            Subscriber.class.getClassLoader(),
            new Class<?>[] {Subscriber.class},
            (proxy, method, args) -> {
              if (method.getName().equals("batchAsync")) {
                beforeFailure.get().run();
                throw new IllegalStateException("no messages");
              }
              return method.invoke(subscriber, args);
            });
  }

  @Test
  void shouldEndWhenTheReactorIsStoppedDuringARequestThatFails() {
    ReactorRuntime<String> runtime =
        new ReactorRuntime<>(
            failing(), TimeSource.system(), 1, false, new FailurePolicies(Map.of()));
    WorkerGroup<String> group = new WorkerGroup<>(runtime, new Chain<>(List.of(), false), null);
    Worker<String> worker = group.addBorrowed();
    for (int failures = 0; failures < 10; failures++) { // so that it would wait for 10 seconds
      worker.subscriberFailed(new IllegalStateException("before"));
    }
    beforeFailure.set(
        () -> {
          runtime.gate().setState(PauseGate.State.STOPPED);
          group.wake();
        });
    assertThat(new IdleWait<>(worker, runtime, group).begin(0)).isFalse();
    assertThat(group.awaitEnd(Duration.ZERO)).isTrue();
    group.close();
  }
}
