package com.wookler.river.core.subscriber;

import com.wookler.river.ack.Ledger;
import com.wookler.river.core.message.MessageConverter;
import java.nio.ByteBuffer;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Shows the deliveries of chunks one by one, for one call. Confined to the consuming thread. */
final class ChunkView<M> implements MessageView {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

  private final DeliveryOwner<M> owner;
  private final DeliveryChunk<M> chunk;
  private int at = -1; // -1 once no message is shown any more
  private @Nullable MessageDelivery<M> other; // the message shown, if it is an object of its own
  private byte @Nullable [] array; // that the buffer is over
  private ByteBuffer buffer = NOTHING;

  ChunkView(DeliveryOwner<M> owner, DeliveryChunk<M> chunk) {
    this.owner = owner;
    this.chunk = chunk;
  }

  /** Shows a delivery of the chunk. */
  void show(int index) {
    at = index;
    other = chunk.other(index);
  }

  /** Shows nothing from now on; a buffer that the handler has kept is empty then. */
  void end() {
    at = -1;
    other = null;
    buffer.limit(0);
  }

  private int shown() {
    if (at < 0) {
      throw new IllegalStateException("the view has ended: it is valid until its handler returns");
    }
    return at;
  }

  @Override
  public long sequence() {
    long place = place();
    MessageDelivery<M> object = other;
    return object == null ? place : object.sequence();
  }

  @Override
  public long place() {
    return chunk.place(shown());
  }

  @Override
  public int attempt() {
    return Ledger.attempt(chunk.tag(shown()));
  }

  @Override
  public @Nullable String id() {
    shown();
    MessageDelivery<M> object = other; // one with an id is
    return object == null ? null : object.id();
  }

  @Override
  public @Nullable String previousFailure() {
    return attempt() > 1 ? owner.failure(place(), attempt()) : null;
  }

  @Override
  public long publishedMicros() {
    int index = shown();
    MessageDelivery<M> object = other;
    return object == null ? chunk.micros(index) : object.publishedMicros();
  }

  @Override
  public @Nullable String key() {
    int index = shown();
    MessageDelivery<M> object = other;
    return object == null ? chunk.key(index) : object.key();
  }

  @Override
  public Map<String, byte[]> headers() {
    shown();
    MessageDelivery<M> object = other;
    return object == null ? Map.of() : object.headers();
  }

  @Override
  public int length() {
    int index = shown();
    MessageDelivery<M> object = other;
    return object == null ? chunk.dataEnd(index) - chunk.dataStart(index) : object.bytes().length;
  }

  @Override
  public ByteBuffer data() {
    int index = shown();
    MessageDelivery<M> object = other;
    return object == null
        ? over(chunk.buffer().array(), chunk.dataStart(index), chunk.dataEnd(index))
        : over(object.bytes(), 0, object.bytes().length);
  }

  private ByteBuffer over(byte[] bytes, int from, int to) {
    ByteBuffer shows = buffer;
    if (array != bytes) {
      shows.limit(0);
      shows = ByteBuffer.wrap(bytes).asReadOnlyBuffer();
      array = bytes;
      buffer = shows;
    }
    return shows.limit(to).position(from);
  }

  @Override
  public void copyTo(byte[] to, int at) {
    int index = shown();
    MessageDelivery<M> object = other;
    byte[] from = object == null ? chunk.buffer().array() : object.bytes();
    System.arraycopy(from, object == null ? chunk.dataStart(index) : 0, to, at, length());
  }

  @Override
  public <T> T data(MessageConverter<T> converter) {
    ByteBuffer bytes = data();
    return MessageDelivery.converted(
        owner.queueName(), sequence(), bytes.remaining(), () -> converter.fromBuffer(bytes));
  }

  @Override
  public String receipt() {
    int index = shown();
    MessageDelivery<M> object = other;
    if (object != null) {
      return object.receipt();
    }
    owner.memory().use();
    return owner.receipts().write(chunk.place(index), chunk.tag(index), chunk.deliveredSecond());
  }

  @Override
  public String toString() {
    return at < 0 ? "MessageView[ended]" : "MessageView[sequence=" + sequence() + "]";
  }
}
