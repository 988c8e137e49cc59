package com.wookler.river.core.subscriber;

import com.wookler.river.core.message.EntryBuffer;
import com.wookler.river.core.message.StoredMessage;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Some deliveries that were taken together for {@link Subscriber#consume}, with what their handler
 * answered. What is plain and new is in one reused buffer, without an object of its own; the rest
 * are deliveries as other polls return them. Used again; confined to the thread that consumes.
 */
final class DeliveryChunk<M> {
  static final int MAX = 128;

  private final DeliveryOwner<M> owner;
  private final EntryBuffer buffer = new EntryBuffer();
  private final long[] places = new long[MAX];
  private final long[] tags = new long[MAX];
  private final long[] micros = new long[MAX];
  private final int[] starts = new int[MAX + 1]; // in the buffer, where the next one's is the end
  private final Action[] answers = new Action[MAX];
  private final @Nullable MessageDelivery<?>[] others = new MessageDelivery<?>[MAX];
  private boolean hasOtherAnswers;
  private int size;
  private int handled;
  private int deliveredSecond;

  DeliveryChunk(DeliveryOwner<M> owner) {
    this.owner = owner;
  }

  /** Forgets all deliveries, for those of a take at a time. */
  void clear(int second) {
    buffer.clear();
    Arrays.fill(others, 0, size, null);
    size = 0;
    handled = 0;
    hasOtherAnswers = false;
    deliveredSecond = second;
  }

  EntryBuffer buffer() {
    return buffer;
  }

  int size() {
    return size;
  }

  /** Returns for how many, from the first on, there is an answer. */
  int handled() {
    return handled;
  }

  /** Adds the delivery of the message that the buffer got last. */
  void add(long place, long tag) {
    places[size] = place;
    tags[size] = tag;
    micros[size] = buffer.micros();
    size++;
    starts[size] = buffer.end();
  }

  void add(MessageDelivery<M> other) {
    others[size] = other;
    places[size] = other.place();
    tags[size] = other.tag();
    size++;
    starts[size] = buffer.end();
  }

  /** Takes the message out of the buffer that it got last, and that was not added. */
  StoredMessage removeUnadded(long place) {
    int start = starts[size];
    StoredMessage message =
        new StoredMessage(
            place,
            buffer.micros(),
            Arrays.copyOfRange(buffer.array(), buffer.dataOf(start), buffer.end()),
            buffer.keyOf(start),
            Map.of(),
            null);
    buffer.cut(start);
    return message;
  }

  void answer(Action answer) {
    answers[handled] = answer;
    hasOtherAnswers |= answer != Action.ACK;
    handled++;
  }

  Action answer(int index) {
    return answers[index];
  }

  /** Returns whether one of the answers is another than an ack. */
  boolean hasOtherAnswers() {
    return hasOtherAnswers;
  }

  boolean isToAck(int index) {
    return index < handled && answers[index] == Action.ACK;
  }

  long place(int index) {
    return places[index];
  }

  long tag(int index) {
    return tags[index];
  }

  long[] tags() {
    return tags;
  }

  long micros(int index) {
    return micros[index];
  }

  int dataStart(int index) {
    return buffer.dataOf(starts[index]);
  }

  int dataEnd(int index) {
    return starts[index + 1];
  }

  @Nullable String key(int index) {
    return buffer.keyOf(starts[index]);
  }

  int deliveredSecond() {
    return deliveredSecond;
  }

  /** Returns the delivery, if it has an object of its own. */
  @SuppressWarnings("unchecked") // put in by add
  @Nullable MessageDelivery<M> other(int index) {
    return (MessageDelivery<M>) others[index];
  }

  /** Returns the delivery as an object, which is made where there is none. */
  MessageDelivery<M> delivery(int index) {
    MessageDelivery<M> known = other(index);
    if (known != null) {
      return known;
    }
    byte[] data = Arrays.copyOfRange(buffer.array(), dataStart(index), dataEnd(index));
    MessageDelivery<M> made =
        MessageDelivery.of(owner, places[index], micros[index], data, key(index), Map.of(), null);
    made.delivered(tags[index], deliveredSecond);
    others[index] = made;
    return made;
  }
}
