package com.wookler.river.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class FailurePolicyTest extends ReactorFixture {
  private String header(String name) {
    Delivery<String> letter = subscriber.deadLetters().peek(1).get(0);
    return new String(letter.headers().get(name), StandardCharsets.UTF_8);
  }

  @Test
  void shouldRejectAtOnceWithTheException() {
    queue.publisher().publish("m");
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .onFailure(IllegalArgumentException.class, FailurePolicy.REJECT)
            .processor(
                d -> {
                  seen.add(d.data());
                  throw new NumberFormatException("no number");
                })
            .start()) {
      await().until(() -> subscriber.stats().dead() == 1);
      await().until(() -> reactor.stats().failed() == 1);
      assertThat(seen).hasSize(1);
      assertThat(header(DeadLetters.REASON)).contains("no number");
      assertThat(header(DeadLetters.EXCEPTION)).isEqualTo(NumberFormatException.class.getName());
    }
  }

  @Test
  void shouldRefuseAPolicyThatTheSubscriberCannotKeep() {
    Subscriber<String> without = queue.subscriber("without");
    for (FailurePolicy policy : List.of(FailurePolicy.REJECT, FailurePolicy.PAUSE)) {
      Reactor.Builder<String> builder =
          Reactor.builder(without)
              .onFailure(IllegalStateException.class, policy)
              .processor(d -> ProcessResult.done());
      assertThatThrownBy(builder::start)
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("the reactor of without")
          .hasMessageContaining(policy + " for java.lang.IllegalStateException")
          .hasMessageContaining("subscriber.ack.required=true");
    }
  }

  @Test
  void shouldRefuseTwoPoliciesForOneClass() {
    Reactor.Builder<String> builder =
        Reactor.builder(subscriber)
            .onFailure(IOException.class, FailurePolicy.PAUSE)
            .onFailure(IOException.class, FailurePolicy.PAUSE);
    assertThatThrownBy(() -> builder.onFailure(IOException.class, FailurePolicy.REJECT))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("two policies for java.io.IOException: PAUSE and REJECT");
  }

  @Test
  void shouldPauseTheSubscriberAndGiveTheMessageBackWithoutItsAttempt() throws Exception {
    AtomicBoolean broken = new AtomicBoolean(true);
    Subscriber<String> limited =
        queue.subscriber(SubscriberConfig.builder("limited").ack(true).maxDeliveries(1).build());
    for (int i = 0; i < 3; i++) {
      queue.publisher().publish("m" + i);
    }
    try (Reactor<String> reactor =
        Reactor.builder(limited)
            .onFailure(IOException.class, FailurePolicy.PAUSE)
            .processor(
                d -> {
                  seen.add(d.data() + " " + d.attempt());
                  if (broken.get()) {
                    throw new IOException("no schema");
                  }
                  return ProcessResult.done();
                })
            .start()) {
      await().until(() -> limited.stats().paused() && limited.stats().inFlight() == 0);
      assertThat(seen).containsExactly("m0 1");
      assertThat(reactor.isRunning()).isTrue();
      assertThat(limited.stats().dead()).isZero();

      broken.set(false);
      limited.resume();
      awaitDrained(limited);
      assertThat(seen).containsExactly("m0 1", "m0 1", "m1 1", "m2 1");
      assertThat(limited.stats().paused()).isFalse();
    }
  }

  @Test
  void shouldTakeTheNearestRuleAndLookIntoCauses() {
    FailurePolicies policies =
        new FailurePolicies(
            Map.of(
                Exception.class, FailurePolicy.PAUSE,
                IOException.class, FailurePolicy.REJECT,
                FileNotFoundException.class, FailurePolicy.RETRY));
    assertThat(policies.of(new InterruptedException())).isEqualTo(FailurePolicy.PAUSE);
    assertThat(policies.of(new IOException())).isEqualTo(FailurePolicy.REJECT);
    assertThat(policies.of(new FileNotFoundException())).isEqualTo(FailurePolicy.RETRY);
    assertThat(policies.of(new UncheckedIOException(new IOException())))
        .isEqualTo(FailurePolicy.REJECT);
    assertThat(policies.of(new IOException(new FileNotFoundException())))
        .isEqualTo(FailurePolicy.REJECT); // equally near: the outer one
    assertThat(policies.of(new Error())).isEqualTo(FailurePolicy.RETRY);
    assertThat(FailurePolicies.NONE.of(new IOException())).isEqualTo(FailurePolicy.RETRY);
    IOException circle = new IOException();
    circle.initCause(new IOException(circle));
    assertThat(policies.of(circle)).isEqualTo(FailurePolicy.REJECT);
  }

  @Test
  void shouldApplyToWhatABatchSaysOfOneMessage() {
    queue.publisher().publish("m");
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .onFailure(IOException.class, FailurePolicy.REJECT)
            .batchProcessor("b", batch -> List.of(ProcessResult.failed(new IOException("bad"))))
            .start()) {
      await().until(() -> subscriber.stats().dead() == 1);
      await().until(() -> reactor.stats().failed() == 1);
    }
  }
}
