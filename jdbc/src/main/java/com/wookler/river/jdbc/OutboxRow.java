package com.wookler.river.jdbc;

import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** A message as it is in the table; times in microseconds, null: none. */
final class OutboxRow {
  static final String COLUMNS =
      "id, message_key, message_id, headers, delay_micros, expiry_micros, written_micros, data";

  private final long id;
  private final @Nullable String key;
  private final @Nullable String messageId;
  private final byte @Nullable [] headers;
  private final @Nullable Long delay;
  private final @Nullable Long expiry;
  private final long written;
  private final byte[] data;

  /** Reads the {@link #COLUMNS}. */
  OutboxRow(ResultSet row) throws SQLException {
    id = row.getLong(1);
    key = row.getString(2);
    messageId = row.getString(3);
    headers = row.getBytes(4);
    delay = nullable(row, 5);
    expiry = nullable(row, 6);
    written = row.getLong(7);
    data = row.getBytes(8);
  }

  long id() {
    return id;
  }

  private static @Nullable Long nullable(ResultSet row, int column) throws SQLException {
    long value = row.getLong(column);
    return row.wasNull() ? null : value;
  }

  /**
   * Returns the message, with what is left of its expiry and delay. A delay that is no shorter than
   * the expiry, which {@link Message} refuses and a program may have written by itself, is left
   * out.
   */
  <M> Message<M> message(MessageConverter<M> converter, long nowMicros) {
    long age = Math.max(0, nowMicros - written);
    Message<M> message = OutboxHeaders.addTo(Message.of(converter.fromBytes(data)), headers);
    message = key == null ? message : message.withKey(key);
    message = messageId == null ? message : message.withId(messageId);
    if (expiry != null) { // one that is over expires in the queue, which counts it
      message = message.expiresAfter(micros(Math.max(1, expiry - age)));
    }
    if (delay == null || delay <= age || (expiry != null && expiry <= delay)) {
      return message;
    }
    return message.deliverAfter(micros(delay - age));
  }

  private static Duration micros(long micros) {
    return Duration.of(micros, ChronoUnit.MICROS);
  }
}
