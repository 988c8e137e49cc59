package com.wookler.river.jdbc;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.Message;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The headers of a message as one value of a column.
 *
 * <pre>
 * int     number of headers; then of each
 * int     length of the name, and the name in UTF-8
 * int     length of the value, and the value
 * </pre>
 */
final class OutboxHeaders {
  private OutboxHeaders() {}

  static byte @Nullable [] toBytes(Map<String, byte[]> headers) {
    if (headers.isEmpty()) {
      return null;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeInt(headers.size());
      for (Map.Entry<String, byte[]> header : headers.entrySet()) {
        write(out, header.getKey().getBytes(StandardCharsets.UTF_8));
        write(out, header.getValue());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e); // an array has no such errors
    }
    return bytes.toByteArray();
  }

  private static void write(DataOutputStream out, byte[] bytes) throws IOException {
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  /** Returns the message with the headers that {@link #toBytes} has written. */
  static <M> Message<M> addTo(Message<M> message, byte @Nullable [] bytes) {
    if (bytes == null) {
      return message;
    }
    Message<M> with = message;
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      for (int left = in.readInt(); left > 0; left--) {
        String name = new String(read(in), StandardCharsets.UTF_8);
        with = with.withHeader(name, read(in));
      }
    } catch (IOException e) {
      throw new RiverException("its headers are not what was written", e);
    }
    return with;
  }

  private static byte[] read(DataInputStream in) throws IOException {
    int length = in.readInt();
    byte[] bytes = length < 0 ? new byte[0] : in.readNBytes(length);
    if (bytes.length != length) {
      throw new IOException("cut off");
    }
    return bytes;
  }
}
