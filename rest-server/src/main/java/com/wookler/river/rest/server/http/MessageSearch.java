package com.wookler.river.rest.server.http;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.FilterExpression;
import com.wookler.river.core.subscriber.ReadOnlyDelivery;
import com.wookler.river.rest.server.hosting.BoundedReader;
import com.wookler.river.rest.server.hosting.ContractFormat;
import com.wookler.river.rest.server.hosting.HostedQueue;
import com.wookler.river.rest.server.hosting.RequestException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A search for messages, in the log and the backups.
 *
 * @param from the first sequence; -1 if it is not given
 * @param max the largest number of messages
 * @param at the first message of this time or later is wanted
 * @param key messages with this key are wanted: the last, or from a sequence on
 * @param filter messages that it accepts are wanted
 * @param preview bytes after which data is cut
 */
record MessageSearch(
    long from,
    int max,
    @Nullable Instant at,
    @Nullable String key,
    @Nullable FilterExpression filter,
    int preview) {
  static final Set<String> PARAMETERS = Set.of("from", "max", "at", "key", "filter", "preview");

  private static final int MAX_FOUND = 1_000;

  static MessageSearch of(ApiRequest call) {
    String from = call.query("from");
    Instant at = call.time("at");
    String key = call.query("key");
    String filter = call.query("filter");
    if ((from != null || key != null) == (at != null)) {
      throw RequestException.field("from", "either at, or from or key, or both, is required");
    }
    if (from == null && call.query("max") != null) {
      throw RequestException.field("max", "can be combined with from only");
    }
    if (filter != null && (from == null || key != null)) {
      throw RequestException.field("filter", "can be combined with from only, and not with key");
    }
    return new MessageSearch(
        from == null ? -1 : ContractFormat.number("from", from, 0, Long.MAX_VALUE),
        call.query("max", 1, MAX_FOUND),
        at,
        key,
        filter == null
            ? null
            : RequestException.checked("filter", () -> FilterExpression.parse(filter)),
        call.preview());
  }

  /**
   * Searches a queue for messages, whose data ends at a number of bytes, as do texts. May block.
   */
  <M> ApiResponse in(HostedQueue<M> hosted, long bytes) {
    MessageQueue<M> queue = hosted.queue();
    DataView view = DataView.of(hosted, preview, bytes);
    if (from < 0) {
      List<Delivery<M>> found =
          key != null
              ? queue.latest(key).stream().toList()
              : first(queue, Objects.requireNonNull(at));
      return ApiResponse.ok(MessageJson.messages(found, view));
    }
    BoundedReader.Reader<M> reader =
        key == null
            ? all(queue)
            : (place, count) -> ofKey(queue, Objects.requireNonNull(key), place, count);
    FilterExpression wanted = filter;
    BoundedReader.Found<M> found =
        BoundedReader.search(from, max, bytes, wanted == null ? null : wanted::matches, reader);
    boolean hasNext = found.next() >= 0 && found.next() < queue.stats().nextSequence();
    return ApiResponse.ok(
        MessageJson.messages(hasNext ? "next" : "", found.next(), found.messages(), view));
  }

  private static <M> BoundedReader.Reader<M> all(MessageQueue<M> queue) {
    return new BoundedReader.Reader<>() {
      @Override
      public List<Delivery<M>> read(long from, int max) {
        return queue.read(from, max);
      }

      @Override
      public long nextFrom(long sequence) {
        return queue.nextFrom(sequence).orElse(-1);
      }
    };
  }

  private static <M> List<Delivery<M>> first(MessageQueue<M> queue, Instant at) {
    OptionalLong sequence = queue.sequenceAt(at);
    return sequence.isEmpty() ? List.of() : queue.read(sequence.getAsLong(), 1);
  }

  private static <M> List<Delivery<M>> ofKey(
      MessageQueue<M> queue, String key, long from, int max) {
    List<Delivery<M>> found = new ArrayList<>();
    for (StoredMessage message : queue.read(key, from, max)) {
      found.add(new ReadOnlyDelivery<>(message, queue.converter(), 0));
    }
    return found;
  }

  /**
   * Returns a message.
   *
   * @throws RequestException there is none
   */
  static Delivery<?> read(HostedQueue<?> hosted, long sequence) {
    MessageQueue<?> queue = hosted.queue();
    Delivery<?> found = queue.read(sequence).orElse(null);
    if (found == null) {
      throw RequestException.of(
          RequestException.Reason.NOT_FOUND,
          "queue " + queue.name() + " has no message " + sequence);
    }
    return found;
  }
}
