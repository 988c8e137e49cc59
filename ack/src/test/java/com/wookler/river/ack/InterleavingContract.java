package com.wookler.river.ack;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Test;

/**
 * Under the subscriber's lock each interleaving of {@link LedgerCalls} gives what some order of the
 * same calls gives. So no message is completed twice, lost, or with two owners. {@code
 * -Driver.lincheck.iterations} looks at more scenarios.
 */
abstract class InterleavingContract {
  private final Class<? extends LedgerCalls> underLock;
  private final Class<? extends LedgerCalls> withoutLock;
  private final int iterations;

  InterleavingContract(
      Class<? extends LedgerCalls> underLock,
      Class<? extends LedgerCalls> withoutLock,
      int iterations) {
    this.underLock = underLock;
    this.withoutLock = withoutLock;
    this.iterations = Integer.getInteger("river.lincheck.iterations", iterations);
  }

  private ModelCheckingOptions interleavings() {
    return new ModelCheckingOptions()
        .iterations(iterations)
        .invocationsPerIteration(100)
        .threads(2)
        .actorsPerThread(3)
        .actorsBefore(LedgerCalls.MESSAGES)
        .minimizeFailedScenario(false);
  }

  @Test
  void shouldBeTheSameAsSomeOrderWhateverInterleaves() {
    interleavings().check(underLock);
  }

  @Test
  void shouldBeTheSameAsSomeOrderOnRealThreads() {
    new StressOptions()
        .iterations(iterations)
        .invocationsPerIteration(300)
        .threads(3)
        .actorsPerThread(3)
        .actorsBefore(LedgerCalls.MESSAGES)
        .check(underLock);
  }

  @Test
  void shouldFindThatTheLockIsNeeded() {
    assertThatThrownBy(() -> interleavings().check(withoutLock))
        .isInstanceOf(LincheckAssertionError.class);
  }
}
