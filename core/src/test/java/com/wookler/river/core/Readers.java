package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.Delivery;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/** What is seen of a {@link ModelledQueue} without a subscriber, compared with the model. */
final class Readers {
  private final ModelledQueue queue;

  Readers(ModelledQueue queue) {
    this.queue = queue;
  }

  /** The messages of a key from a place on, and its last one. */
  void readKey(String key, long from, int max) {
    LogModel log = queue.log;
    List<Long> places =
        LongStream.range(from, log.end())
            .filter(place -> key.equals(log.key(place)))
            .filter(place -> !log.isPassedOver(place) && !log.isRedriven(place))
            .limit(max)
            .boxed()
            .toList();
    List<StoredMessage> found = queue.queue().read(key, from, max);
    assertThat(found).extracting(StoredMessage::sequence).isEqualTo(places);
    found.forEach(log::shouldBeAsPublished);
    OptionalLong last = log.last(key);
    if (!queue.isLastUncertain(key)) {
      assertThat(queue.queue().latest(key).map(Delivery::place).orElse(-1L))
          .isEqualTo(last.orElse(-1));
    }
  }

  /** All that another process would see, out of log and backup. */
  void view(long from) {
    List<StoredMessage> seen = new ArrayList<>();
    try (QueueView view = queue.view()) {
      view.moveTo(from);
      List<StoredMessage> more = view.poll(7);
      while (!more.isEmpty()) {
        seen.addAll(more);
        more = view.poll(7);
      }
      assertThat(view.position()).isGreaterThanOrEqualTo(from);
      List<Long> present = queue.log.present();
      if (present.size() == queue.log.end()) {
        assertThat(view.missed()).isZero();
      }
      assertThat(seen)
          .extracting(StoredMessage::sequence)
          .isEqualTo(present.stream().filter(place -> place >= from).toList());
    }
    seen.forEach(queue.log::shouldBeAsPublished);
  }
}
