package com.wookler.river.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReceivedTest {
  private final Payloads first = new Payloads(0, 16, 4);
  private final Payloads second = new Payloads(1, 16, 4);
  private final Received received = new Received(2, 16);

  @Test
  void shouldAcceptEachPublishersMessagesInOrder() {
    received.accept(first.one());
    received.accept(second.one());
    first.all().forEach(received::accept);

    assertThatCode(() -> received.check(List.of(5L, 1L))).doesNotThrowAnyException();
  }

  @Test
  void shouldCheckViewsWithoutMovingThem() {
    received.accept(first.one());
    ByteBuffer view = ByteBuffer.allocate(20).put(4, first.one()).position(4);
    received.view(view);

    assertThat(view.position()).isEqualTo(4);
    assertThat(received.count()).isEqualTo(2);
    assertThatThrownBy(() -> received.view(view)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> received.view(view.position(5)))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldRefuseAGap() {
    first.one();
    byte[] later = first.one();

    assertThatThrownBy(() -> received.accept(later)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldRefuseARepetition() {
    byte[] message = first.one();
    received.accept(message);

    assertThatThrownBy(() -> received.accept(message)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldRefuseAnotherSize() {
    assertThatThrownBy(() -> received.accept(new byte[17]))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldMissWhatDidNotCome() {
    received.accept(first.one());

    assertThatThrownBy(() -> received.check(List.of(1L, 1L)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("publisher 1");
  }
}
