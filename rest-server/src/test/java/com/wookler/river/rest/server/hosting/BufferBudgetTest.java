package com.wookler.river.rest.server.hosting;

import static com.wookler.river.rest.server.hosting.BufferBudget.Reservation.DENIED;
import static com.wookler.river.rest.server.hosting.BufferBudget.Reservation.GRANTED;
import static com.wookler.river.rest.server.hosting.BufferBudget.Reservation.PENDING;
import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.ManualTimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BufferBudgetTest {
  private static final long LIMIT = 1 << 20;

  private final ManualTimeSource time = new ManualTimeSource(Instant.EPOCH);
  private final BufferBudget budget = new BufferBudget(LIMIT, time);
  private final List<Integer> evicted = new ArrayList<>();

  /** Returns a share that holds these bytes, made after all others. */
  private BufferBudget.Share share(int number, long bytes, BufferBudget.Reservation room) {
    time.advance(Duration.ofMillis(1));
    BufferBudget.Share share = budget.share(() -> evicted.add(number));
    assertThat(share.resize(bytes)).isEqualTo(room);
    return share;
  }

  @Test
  void shouldEvictWhatMadeNoProgressForTheLongestTime() {
    share(0, 3 * LIMIT / 8, GRANTED);
    share(1, 3 * LIMIT / 8, GRANTED);
    share(2, 3 * LIMIT / 8, PENDING);

    assertThat(evicted).containsExactly(0);
  }

  @Test
  void shouldHoldNothingOnceClosed() {
    BufferBudget.Share share = share(0, 100, GRANTED);
    share.close();

    assertThat(share.resize(200)).isEqualTo(GRANTED);
    share.keep(50);

    assertThat(budget.used()).isZero();
  }

  @Test
  void shouldEvictWhatHoldsMuchLessThanOthersLast() {
    share(0, 100, GRANTED);
    share(1, LIMIT / 4, GRANTED);
    share(2, LIMIT / 4, GRANTED);
    share(3, LIMIT / 8, GRANTED);
    share(4, 7 * LIMIT / 8, PENDING);

    assertThat(evicted).containsExactly(1, 2, 3);
  }

  @Test
  void shouldCountWhatAnEvictedShareStillTakesAsLeaving() {
    BufferBudget.Share first = share(0, LIMIT / 2, GRANTED);
    share(1, LIMIT / 4, GRANTED);
    share(2, LIMIT / 2, PENDING);
    assertThat(evicted).containsExactly(0);

    assertThat(first.resize(LIMIT)).isEqualTo(PENDING);

    assertThat(evicted).containsExactly(0);
    first.close();
    assertThat(budget.used()).isEqualTo(3 * LIMIT / 4);
  }

  /** Its bytes stay, so there is less room than was promised, and somebody waits for that. */
  @Test
  void shouldEvictOthersForWhatWasWholeBeforeItCouldBeEvicted() {
    BufferBudget.Share first = share(0, LIMIT / 2, GRANTED);
    share(1, LIMIT / 2, GRANTED);
    share(2, LIMIT / 2, PENDING);
    List<String> resumed = new ArrayList<>();
    budget.whenAvailable(() -> resumed.add("resumed"));

    first.keep(LIMIT / 2);

    assertThat(evicted).containsExactly(0, 1);
    assertThat(resumed).isEmpty();
  }

  @Test
  void shouldRefuseWhatHasNoRoomWhenNothingElseCanBeEvicted() {
    budget.reserve(LIMIT / 2);

    share(0, LIMIT, DENIED);
  }
}
