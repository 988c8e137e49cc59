package com.wookler.river.rest.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.rest.server.hosting.RequestException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Who waits for the thread of snapshots, and who is refused. */
class WaitingLineTest {
  private final WaitingLine line = new WaitingLine("snapshots", 2);
  private final List<Runnable> clients = new ArrayList<>(); // run where one leaves
  private final List<String> done = new ArrayList<>();

  private Callable<Boolean> enter(String name) {
    return line.enter(clients::add, () -> done.add(name));
  }

  private void assertFull() {
    assertThatThrownBy(() -> enter("refused"))
        .isInstanceOfSatisfying(
            RequestException.class,
            refused -> {
              assertThat(refused.reason()).isEqualTo(RequestException.Reason.UNAVAILABLE);
              assertThat(refused.retryAfterSeconds()).isPositive();
            });
  }

  @Test
  void shouldRefuseMoreThanMayWaitUntilOneBegins() throws Exception {
    Callable<Boolean> first = enter("first");
    Callable<Boolean> second = enter("second");
    assertFull();

    first.call();
    clients.get(0).run(); // has its answer, and frees no second place
    Callable<Boolean> third = enter("third");
    assertFull();
    second.call();
    third.call();

    assertThat(done).containsExactly("first", "second", "third");
  }

  @Test
  void shouldDoNothingForAClientThatHasLeft() throws Exception {
    Callable<Boolean> left = enter("left");
    Callable<Boolean> stays = enter("stays");
    clients.get(0).run();
    Callable<Boolean> next = enter("next"); // in its place
    assertFull();

    assertThatThrownBy(left::call).isInstanceOf(RequestException.class);
    assertFull();
    stays.call();
    next.call();

    assertThat(done).containsExactly("stays", "next");
  }
}
