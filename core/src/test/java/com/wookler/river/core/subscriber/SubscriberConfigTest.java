package com.wookler.river.core.subscriber;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What is told of two that are not the same. */
class SubscriberConfigTest {
  private static SubscriberConfig.Builder billing() {
    return SubscriberConfig.builder("billing").ack(true);
  }

  private static SubscriberConfig.Builder exclusive() {
    return SubscriberConfig.builder("billing").exclusive(true);
  }

  /** A filter that is code. */
  private record Wanted() implements Predicate<Message<String>> {
    @Override
    public boolean test(Message<String> message) {
      return true;
    }
  }

  private static final List<UnaryOperator<SubscriberConfig.Builder>> CHANGES =
      List.of(
          to -> to.ack(false),
          to -> to.ackTimeout(Duration.ofSeconds(7)),
          to -> to.ackDurability(Durability.DISK),
          to -> to.maxDeliveries(7),
          to -> to.backoff(Backoff.fixed(Duration.ofSeconds(7))),
          to -> to.deadLetterLimit(7),
          to -> to.deadLetterAge(Duration.ofSeconds(7)),
          to -> to.deadLetterQueue("dead"),
          to -> to.expiresAfter(Duration.ofSeconds(7)),
          to -> to.expiryQueue("expired"),
          to -> to.order(Order.KEY),
          to -> to.filter(new Wanted()),
          to -> to.maxInFlight(7),
          to -> to.window(7),
          to -> to.maxRate(7),
          to -> to.maxBytesRate(7),
          to -> to.exclusive(true),
          to -> to.batchSize(7),
          to -> to.pollTimeout(Duration.ofSeconds(7)));

  private static final List<String> TOLD =
      List.of(
          "subscriber.ack.required is true, not false",
          "subscriber.ack.timeout is PT30S, not PT7S",
          "subscriber.ack.durability is MEMORY, not DISK",
          "subscriber.max.deliveries is 0, not 7",
          "subscriber.backoff is none, not fixed PT7S",
          "subscriber.dead.max is 0, not 7",
          "subscriber.dead.age is PT0S, not PT7S",
          "subscriber.dead.queue is none, not dead",
          "subscriber.expires.after is PT0S, not PT7S",
          "subscriber.expiry.queue is none, not expired",
          "subscriber.order is SEQUENCE, not KEY",
          "subscriber.filter is none, not Wanted[]",
          "subscriber.max.in.flight is 10000, not 7",
          "subscriber.window is 262144, not 7",
          "subscriber.max.rate is 0, not 7",
          "subscriber.max.bytes.rate is 0, not 7",
          "subscriber.exclusive is false, not true",
          "subscriber.batch.size is 64, not 7",
          "subscriber.poll.timeout is PT1S, not PT7S");

  @Test
  void shouldNameEachSettingThatDiffersAndNoOther() {
    for (int i = 0; i < CHANGES.size(); i++) {
      SubscriberConfig other = CHANGES.get(i).apply(billing()).build();
      assertThat(billing().build().differences(other)).containsExactly(TOLD.get(i));
      assertThat(billing().build().equalsButForStart(other)).isFalse();
      assertThat(other.differences(CHANGES.get(i).apply(billing()).build())).isEmpty();
    }
    SubscriberConfig two = billing().window(7).batchSize(7).build();
    assertThat(billing().build().differences(two)).hasSize(2);
    SubscriberConfig leased = exclusive().lease(Duration.ofSeconds(7)).build();
    assertThat(exclusive().build().differences(leased))
        .containsExactly("subscriber.lease is PT30S, not PT7S");
  }

  /** So that a new one is not left out. */
  @Test
  void shouldCompareEverySetting() {
    Set<String> setters =
        Arrays.stream(SubscriberConfig.Builder.class.getDeclaredMethods())
            .filter(method -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic())
            .map(Method::getName)
            .collect(Collectors.toCollection(TreeSet::new));
    setters.removeAll(
        // filter sets the same as filterExpression; the lease needs another subscriber, see above
        Set.of("build", "start", "filterExpression", "set", "settings", "lease"));

    assertThat(CHANGES).hasSameSizeAs(setters);
  }

  @Test
  void shouldRefuseWhatHasNoEffectWithoutAcknowledgement() {
    List<UnaryOperator<SubscriberConfig.Builder>> changes =
        List.of(
            to -> to.ackDurability(Durability.DISK),
            to -> to.maxDeliveries(7),
            to -> to.backoff(Backoff.fixed(Duration.ofSeconds(7))),
            to -> to.deadLetterLimit(7),
            to -> to.deadLetterAge(Duration.ofSeconds(7)),
            to -> to.deadLetterQueue("dead"),
            to -> to.order(Order.KEY));
    for (UnaryOperator<SubscriberConfig.Builder> change : changes) {
      String difference = billing().build().differences(change.apply(billing()).build()).get(0);
      String setting = difference.substring(0, difference.indexOf(' '));
      assertThatThrownBy(() -> change.apply(SubscriberConfig.builder("audit")).build())
          .isInstanceOf(ConfigurationException.class)
          .hasMessageStartingWith("subscriber audit: " + setting + " is ")
          .hasMessageContaining("subscriber.ack.required");
    }
  }

  @Test
  void shouldRefuseALeaseWithoutExclusion() {
    assertThatThrownBy(() -> billing().lease(Duration.ofSeconds(7)).build())
        .isInstanceOf(ConfigurationException.class)
        .hasMessage(
            "subscriber billing: subscriber.lease is PT7S, but without subscriber.exclusive it has"
                + " no effect; set subscriber.exclusive, or leave subscriber.lease out");
  }

  @Test
  void shouldLeaveTheStartAside() {
    SubscriberConfig latest = billing().start(Position.latest()).build();

    assertThat(billing().build().differences(latest)).isEmpty();
    assertThat(billing().build().equalsButForStart(latest)).isTrue();
    assertThat(billing().build()).isNotEqualTo(latest);
    assertThat(billing().build().toString()).contains("subscriber.start=earliest");
    assertThat(latest.toString()).contains("subscriber.start=latest");
  }

  @Test
  void shouldTellFiltersApartThatAreCode() {
    Predicate<Message<String>> all = message -> true;
    SubscriberConfig given = billing().filter(all).build();

    assertThat(given.differences(billing().filter(all).build())).isEmpty();
    assertThat(given.differences(billing().build()))
        .singleElement()
        .asString()
        .startsWith("subscriber.filter is ")
        .endsWith(", not none");
  }

  @Test
  void shouldNameTheModuleThatFilterExpressionsNeed() {
    assertThatThrownBy(() -> billing().filterExpression("key == 'EU'"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("com.wookler.river:river-filter");
  }
}
