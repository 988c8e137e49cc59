package com.wookler.river.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.file.CheckedJson;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.testing.CapturedLog;
import com.wookler.river.testing.DirectoryCopy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Targets that are added, changed and removed while the queue runs, and waited for. */
@Timeout(120)
class ForwardChangesTest extends QueuesFixture {
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final Duration SHORT = Duration.ofMillis(30);

  private static void publish(MessageQueue<String> queue, int from, int to) {
    for (int i = from; i < to; i++) {
      queue.publisher().publish("{\"n\":" + i + "}");
    }
  }

  private static List<String> numbers(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "{\"n\":" + i + "}").toList();
  }

  private static ForwardConfig to(String target, String filter) {
    return ForwardConfig.to(target).filter(filter).build();
  }

  @Test
  void shouldForwardToWhatWasAddedAlsoAfterARestart() {
    MessageQueue<String> audit = open(builder("audit"));
    MessageQueue<String> orders = open(builder("orders"));
    publish(orders, 0, 10);
    Forwards.of(orders).add(ForwardConfig.to("audit").start(Position.latest()).build());
    Forwards.of(orders).add(to("even", "json.n % 2 == 0"));
    publish(orders, 10, 20);
    awaitData(audit, numbers(10, 20));
    shut(orders);
    MessageQueue<String> again = open(builder("orders"));
    assertThat(Forwards.of(again).configs())
        .containsExactlyInAnyOrder(
            ForwardConfig.to("audit").start(Position.latest()).build(),
            to("even", "json.n % 2 == 0"));
    assertThat(Forwards.of(again).isConfigured("even")).isFalse();
    publish(again, 20, 30);
    awaitData(audit, numbers(10, 30));
    MessageQueue<String> even = open(builder("even"));
    await().until(() -> data(even).size() == 15);
    assertThat(data(even)).containsSubsequence("{\"n\":0}", "{\"n\":28}");
  }

  @Test
  void shouldShowTheStartOfWhatWasAddedAlsoAfterAChangeAndARestart() {
    MessageQueue<String> orders = open(builder("orders"));
    Instant time = Instant.parse("2026-11-20T10:15:00Z");
    Map<String, Position> starts =
        Map.of(
            "latest", Position.latest(),
            "at", Position.sequence(7),
            "since", Position.time(time),
            "earliest", Position.earliest());
    starts.forEach(
        (target, start) -> Forwards.of(orders).add(ForwardConfig.to(target).start(start).build()));
    starts.keySet().forEach(target -> Forwards.of(orders).change(to(target, "json.n > 1")));
    shut(orders);
    assertThat(Forwards.of(open(builder("orders"))).configs())
        .hasSize(4)
        .allSatisfy(each -> assertThat(each.start()).isEqualTo(starts.get(each.target())))
        .allSatisfy(each -> assertThat(each.filter()).hasToString("json.n > 1"));
  }

  @Test
  void shouldGiveNothingMoreToWhatWasRemovedAndNothingTwiceToWhatComesBack() {
    MessageQueue<String> audit = open(builder("audit"));
    MessageQueue<String> orders = open(builder("orders"));
    Forwards forwards = Forwards.of(orders);
    forwards.add(ForwardConfig.to("audit").build());
    publish(orders, 0, 10);
    assertThat(forwards.await(9, LONG)).isTrue();
    assertThat(forwards.remove("audit")).isTrue();
    assertThat(forwards.remove("audit")).isFalse();
    assertThat(forwards.stats()).isEmpty();
    assertThat(directory.resolve("orders/forwards")).isEmptyDirectory();
    publish(orders, 10, 20);
    assertThat(data(audit)).isEqualTo(numbers(0, 10));
    forwards.add(ForwardConfig.to("audit").build()); // from the earliest, but for what it has
    awaitData(audit, numbers(0, 20));
    assertThat(forwards.remove("audit")).isTrue();
    shut(orders);
    MessageQueue<String> again = open(builder("orders"));
    assertThat(Forwards.of(again).stats()).isEmpty();
  }

  @Test
  void shouldKeepWhatAnAddedTargetHasNotGot() {
    MessageQueue<String> orders = open(builder("orders").fanoutOnly(true).forwardTo("audit"));
    MessageQueue<String> audit = open(builder("audit"));
    Forwards.of(orders).add(ForwardConfig.to("late").build());
    publish(orders, 0, 45);
    awaitData(audit, numbers(0, 45));
    orders.force();
    await().during(Duration.ofMillis(300)).until(() -> orders.stats().firstSequence() == 0);
    awaitData(open(builder("late")), numbers(0, 45));
    await().until(() -> orders.stats().firstSequence() == 40);
    Forwards.of(orders).add(ForwardConfig.to("later").build());
    publish(orders, 45, 48);
    awaitData(open(builder("later")), numbers(40, 48));
  }

  @Test
  void shouldJudgeByTheSettingsOfNow() {
    MessageQueue<String> audit = open(builder("audit"));
    MessageQueue<String> orders = open(builder("orders"));
    Forwards forwards = Forwards.of(orders);
    forwards.add(to("audit", "json.n < 5"));
    publish(orders, 0, 10);
    assertThat(forwards.await(9, LONG)).isTrue();
    forwards.change(to("audit", "json.n > 5"));
    publish(orders, 10, 12);
    List<String> expected = new ArrayList<>(numbers(0, 5));
    expected.addAll(numbers(10, 12));
    awaitData(audit, expected);
    assertThat(forwards.stats().get(0).filtered()).isEqualTo(5);
    forwards.change(to("audit", "json.n == 100"));
    shut(orders);
    MessageQueue<String> again = open(builder("orders"));
    publish(again, 99, 102);
    expected.addAll(numbers(100, 101));
    awaitData(audit, expected);
  }

  @Test
  void shouldContinueWhereItWaitedOnceItsFilterIsAnother() {
    MessageQueue<String> audit = open(builder("audit"));
    MessageQueue<String> orders = open(builder("orders"));
    Forwards forwards = Forwards.of(orders);
    forwards.add(ForwardConfig.to("audit").filter("json.n >= 0").onFailure(OnFailure.WAIT).build());
    publish(orders, 0, 2);
    orders.publisher().publish("no json");
    publish(orders, 3, 5);
    await().until(() -> forwards.stats().get(0).waiting().contains("sequence 2"));
    forwards.change(ForwardConfig.to("audit").build());
    awaitData(audit, List.of("{\"n\":0}", "{\"n\":1}", "no json", "{\"n\":3}", "{\"n\":4}"));
  }

  @Test
  void shouldTakeUpAFormerTarget() {
    MessageQueue<String> audit = open(builder("audit"));
    MessageQueue<String> orders = open(builder("orders").forwardTo("audit"));
    publish(orders, 0, 10);
    awaitData(audit, numbers(0, 10));
    shut(orders);
    MessageQueue<String> off = open(builder("orders"));
    publish(off, 10, 20);
    assertThat(Forwards.of(off).configs()).isEmpty();
    Forwards.of(off).add(ForwardConfig.to("audit").start(Position.latest()).build());
    awaitData(audit, numbers(0, 20)); // it was there, so that the start does not count
    shut(off);
    MessageQueue<String> on = open(builder("orders").forwardTo("audit"));
    assertThat(Forwards.of(on).isConfigured("audit")).isTrue();
    shut(on);
    MessageQueue<String> without = open(builder("orders")); // as the file says by now
    assertThat(Forwards.of(without).configs()).isEmpty();
  }

  @Test
  void shouldRefuseWhatCannotBe() {
    MessageQueue<String> orders = open(builder("orders").forwardTo("audit"));
    Forwards forwards = Forwards.of(orders);
    forwards.add(ForwardConfig.to("other").build());
    for (String name : List.of("orders", "ORDERS", "../x", "", "audit", "other", "Other")) {
      assertThatThrownBy(() -> forwards.add(ForwardConfig.to(name).build()))
          .as(name)
          .isInstanceOf(ConfigurationException.class);
    }
    assertThatThrownBy(() -> forwards.remove("audit"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("queue.forward");
    assertThatThrownBy(() -> forwards.change(ForwardConfig.to("audit").build()))
        .isInstanceOf(ConfigurationException.class);
    assertThatThrownBy(() -> forwards.change(ForwardConfig.to("unknown").build()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("add it");
    assertThatThrownBy(() -> forwards.await(0, SHORT, "unknown"))
        .isInstanceOf(ConfigurationException.class);
    MessageQueue<String> other = open(builder("other"));
    MessageQueue<String> third = open(builder("third"));
    Forwards.of(other).add(ForwardConfig.to("third").build());
    assertThatThrownBy(() -> Forwards.of(third).add(ForwardConfig.to("orders").build()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("third → orders → other → third");
    assertThat(Forwards.of(third).configs()).isEmpty();
    shut(orders);
    assertThatThrownBy(() -> forwards.add(ForwardConfig.to("late").build()))
        .isInstanceOf(QueueClosedException.class);
    assertThatThrownBy(() -> forwards.await(1_000, LONG)).isInstanceOf(QueueClosedException.class);
  }

  /** Each of two adds a forward to the other: at most one may. */
  @Test
  void shouldMakeNoCycleInTwoThreads() {
    MessageQueue<String> a = open(builder("a"));
    MessageQueue<String> b = open(builder("b"));
    for (int i = 0; i < 20; i++) {
      CompletableFuture<Boolean> one = CompletableFuture.supplyAsync(() -> isAdded(a, "b"));
      CompletableFuture<Boolean> other = CompletableFuture.supplyAsync(() -> isAdded(b, "a"));
      assertThat(one.join() && other.join()).isFalse();
      boolean removed = Forwards.of(a).remove("b");
      assertThat(Forwards.of(b).remove("a") || removed).isTrue();
    }
  }

  private static boolean isAdded(MessageQueue<String> queue, String target) {
    try {
      Forwards.of(queue).add(ForwardConfig.to(target).build());
      return true;
    } catch (ConfigurationException e) {
      return false;
    }
  }

  @Test
  void shouldWaitForWhatAllOrSomeHaveAsDurableAsTheyPromise() {
    MessageQueue<String> audit =
        open(builder("audit").durability(Durability.DISK).syncInterval(Duration.ofHours(1)));
    open(builder("cache").syncInterval(Duration.ofHours(1)));
    MessageQueue<String> orders =
        open(
            builder("orders")
                .syncInterval(Duration.ofHours(1)) // the wait has it forced
                .forwardTo("audit", "cache", "closed"));
    Forwards forwards = Forwards.of(orders);
    for (int i = 0; i < 5; i++) {
      publish(orders, i, i + 1);
      assertThat(forwards.await(i, LONG, "audit")).isTrue();
      assertThat(forwards.stats().get(0).safe()).isGreaterThan(i);
      assertThat(audit.read(i)).isPresent();
      assertThat(forwards.await(i, LONG, "cache", "audit")).isTrue();
    }
    assertThat(forwards.hold(4, "cache")).isTrue();
    assertThat(forwards.hold(5, "cache")).isFalse();
    assertThat(forwards.await(4, SHORT)).isFalse();
    assertThat(forwards.await(1_000, SHORT, "cache")).isFalse(); // not published yet
    open(builder("closed"));
    assertThat(forwards.await(4, LONG)).isTrue();
    Thread.currentThread().interrupt();
    assertThat(forwards.await(1_000, LONG)).isFalse();
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void shouldNotWaitForWhatIsFilteredNorForWhatWasRemoved() {
    open(builder("audit"));
    MessageQueue<String> orders = open(builder("orders"));
    Forwards forwards = Forwards.of(orders);
    forwards.add(to("audit", "json.n == -1"));
    publish(orders, 0, 3);
    assertThat(forwards.await(2, LONG)).isTrue();
    forwards.add(ForwardConfig.to("closed").build());
    CompletableFuture<Boolean> waits = CompletableFuture.supplyAsync(() -> forwards.await(2, LONG));
    forwards.remove("closed");
    assertThat(waits.join()).isTrue();
  }

  @Test
  void shouldWaitWithATargetWhoseSettingsCannotBeRead() throws IOException {
    MessageQueue<String> audit = open(builder("audit"));
    MessageQueue<String> orders = open(builder("orders"));
    Forwards.of(orders).add(to("audit", "json.n > 0"));
    publish(orders, 0, 2);
    awaitData(audit, numbers(1, 2));
    shut(orders);
    Path positions = directory.resolve("orders/forwards");
    String id = CheckedJson.read(directory.resolve("orders/queue.json")).path("id").asText();
    new ForwardPosition(2, true, Map.of("forward.filter", "json.n >"))
        .write(positions, UUID.fromString(id), "audit");
    try (CapturedLog said = new CapturedLog("com.wookler.river.forward")) {
      MessageQueue<String> again = open(builder("orders"));
      publish(again, 2, 3);
      assertThat(said.lines()).anyMatch(line -> line.contains("its settings cannot be read"));
      assertThat(Forwards.of(again).stats().get(0).waiting()).contains("column");
      Forwards.of(again).add(to("audit", "json.n > 0")); // which replaces them
      awaitData(audit, numbers(1, 3));
    }
  }

  @Test
  void shouldLoseNothingWhereTheFileOfATargetIsDamaged() throws IOException {
    MessageQueue<String> audit = open(builder("audit"));
    ForwardConfig latest = ForwardConfig.to("audit").start(Position.latest()).build();
    MessageQueue<String> orders = open(builder("orders").forwardTo("audit").with(latest));
    publish(orders, 0, 10);
    awaitData(audit, numbers(0, 10));
    shut(audit);
    publish(orders, 10, 20);
    shut(orders);
    Files.writeString(ForwardPosition.file(directory.resolve("orders/forwards"), "audit"), "{}");
    open(builder("orders").forwardTo("audit").with(latest));
    awaitData(open(builder("audit")), numbers(0, 20));
  }

  /** Adds, changes, removes, closes and kills; what each target is to have is known. */
  @Test
  void shouldForwardEachOnceWhateverIsChangedAndKilled() throws Exception {
    Random random = new Random(7);
    List<String> expected = new ArrayList<>();
    Path base = directory;
    int published = 0;
    int wanted = 0; // the remainder of a division by 3
    for (int step = 0; step < 12; step++) {
      MessageQueue<String> audit = open(large(base, "audit"));
      MessageQueue<String> orders = open(large(base, "orders"));
      Forwards forwards = Forwards.of(orders);
      for (int turn = 0; turn < 6; turn++) {
        int next = random.nextInt(3);
        ForwardConfig config = to("audit", "json.n % 3 == " + next);
        if (forwards.configs().isEmpty()) {
          wanted = next;
          forwards.add(
              ForwardConfig.to("audit")
                  .start(Position.latest())
                  .filter("json.n % 3 == " + next)
                  .build());
        } else if (random.nextBoolean()) {
          long end = published;
          forwards.await(end - 1, LONG);
          await().until(() -> forwards.stats().get(0).safe() == end);
          wanted = next;
          forwards.change(config);
        } else if (random.nextInt(3) == 0) {
          forwards.await(published - 1, LONG);
          forwards.remove("audit");
          continue;
        }
        for (int i = random.nextInt(12); i > 0; i--) {
          publish(orders, published, published + 1);
          if (published % 3 == wanted) {
            expected.add("{\"n\":" + published + "}");
          }
          published++;
        }
      }
      if (random.nextBoolean()) {
        orders.force();
        audit.force();
        Path copy = directory.resolve("kill-" + step);
        DirectoryCopy.of(base.resolve("audit"), copy.resolve("audit"));
        DirectoryCopy.of(base.resolve("orders"), copy.resolve("orders"));
        base = copy;
      }
      close();
    }
    open(large(base, "orders"));
    MessageQueue<String> audit = open(large(base, "audit"));
    awaitData(audit, expected);
  }
}
