package com.wookler.river.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.reactor.NonFatalProcessorException;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Processor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class RiverChaosTest {
  private static final int SEEDS = Integer.getInteger("river.test.seeds", 100);

  /** Books each message as often as it comes: what at-least-once punishes. */
  static final class Careless implements Processor<String> {
    final List<String> booked = new ArrayList<>();

    @Override
    public ProcessResult<String> process(Delivery<String> delivery) {
      booked.add(delivery.data());
      return ProcessResult.ack();
    }
  }

  /** Books each message once, by its sequence. */
  static final class Careful implements Processor<String> {
    final List<String> booked = new ArrayList<>();
    private final Set<Long> known = new HashSet<>();

    @Override
    public ProcessResult<String> process(Delivery<String> delivery) {
      if (known.add(delivery.sequence())) {
        booked.add(delivery.data());
      }
      return ProcessResult.ack();
    }
  }

  @Test
  void shouldFindAHandlerThatIsNotIdempotent() {
    Throwable found =
        catchThrowable(
            () ->
                RiverChaos.of(Careless::new)
                    .seeds(1, 200)
                    .check(run -> assertThat(run.handler().booked).doesNotHaveDuplicates()));

    assertThat(found)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("the invariant does not hold with seed")
        .hasMessageContaining("With 1 of 20 messages and 1 faults:");
    assertThat(found.getMessage().lines().filter(line -> line.startsWith("PT")).count())
        .isLessThanOrEqualTo(5);
  }

  @Test
  void shouldPassAHandlerThatIsIdempotent() {
    RiverChaos.of(Careful::new)
        .seeds(1, 10)
        .check(
            run -> {
              assertThat(run.handler().booked).hasSize(20).doesNotHaveDuplicates();
              run.queue().assertCompleted("handler");
            });
  }

  /** Holds each message back once. */
  static final class Holding implements Processor<String> {
    private final Set<Long> held = new HashSet<>();

    @Override
    public ProcessResult<String> process(Delivery<String> delivery) {
      return held.add(delivery.sequence())
          ? ProcessResult.holdBack(Duration.ofSeconds(1))
          : ProcessResult.ack();
    }
  }

  @Test
  void shouldCompleteWhatAHandlerHoldsBack() {
    RiverChaos.of(Holding::new).seeds(1, 5).check(run -> run.queue().assertCompleted("handler"));
  }

  @Test
  void shouldCompleteWhatAHandlerIgnores() {
    Processor<String> ignoring =
        delivery -> {
          throw new NonFatalProcessorException("of no use");
        };
    RiverChaos.of(() -> ignoring).seeds(1, 3).check(run -> run.queue().assertCompleted("handler"));
  }

  @Test
  void shouldRunOneHandlerForAllSeedsAndResetIt() {
    List<String> booked = new ArrayList<>();
    RiverChaos<String, Processor<String>> chaos =
        RiverChaos.of(
            delivery -> {
              booked.add(delivery.data());
              return ProcessResult.ack();
            });

    assertThatCode(
            () ->
                chaos
                    .faults(Fault.KILL_BEFORE, Fault.REORDER, Fault.DISK_FULL)
                    .before(booked::clear)
                    .seeds(1, 10)
                    .check(run -> assertThat(booked).hasSize(20)))
        .doesNotThrowAnyException();
  }

  @Test
  void shouldMakeTheSameTraceFromTheSameSeed() {
    RiverChaos<String, Careful> chaos = RiverChaos.of(Careful::new);

    for (long seed = 1; seed <= 3; seed++) {
      assertThat(chaos.trace(seed)).isEqualTo(chaos.trace(seed));
    }
    assertThat(chaos.trace(1)).isNotEqualTo(chaos.trace(2));
  }

  @Tag("full")
  @Test
  void shouldMakeTheSameTraceFromEachOfManySeeds() {
    RiverChaos<String, Careful> chaos = RiverChaos.of(Careful::new);
    for (long seed = 1; seed <= SEEDS; seed++) {
      assertThat(chaos.trace(seed)).as("seed " + seed).isEqualTo(chaos.trace(seed));
    }
  }
}
