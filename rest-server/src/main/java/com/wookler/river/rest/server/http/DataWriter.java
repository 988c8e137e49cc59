package com.wookler.river.rest.server.http;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Writes the data of the messages of one answer. How long a converter's text is has nothing to do
 * with the size of the data, so texts have limits of their own. Used by one thread.
 */
final class DataWriter {
  static final int MAX_TEXT = 1 << 20; // characters of a message

  private final DataView view;
  private long textLeft; // bytes that the texts of further messages may have

  DataWriter(DataView view) {
    this.view = view;
    this.textLeft = view.textBytes();
  }

  /** Writes {@code "data": …} or {@code "base64": …}, and {@code "bytes": …} if there is more. */
  void write(JsonGenerator json, byte[] data) throws IOException {
    int length = Math.min(data.length, view.preview());
    if (!MessageJson.isText(data)) {
      writeBinary(json, data, length);
      return;
    }
    while (length > 0 && length < data.length && (data[length] & 0xC0) == 0x80) {
      length--; // not within a character
    }
    writeSize(json, data, length < data.length);
    json.writeFieldName("data");
    json.writeUTF8String(data, 0, length);
  }

  private void writeBinary(JsonGenerator json, byte[] data, int length) throws IOException {
    Function<byte[], @Nullable String> converter = view.text();
    boolean isFull = converter != null && textLeft <= 0;
    String text = converter == null || isFull ? null : converter.apply(data);
    int end = text == null ? 0 : end(text);
    writeSize(json, data, length < data.length || isFull || (text != null && end < text.length()));
    json.writeFieldName("base64");
    json.writeBinary(data, 0, length);
    if (text != null) {
      ByteBuffer utf8 = StandardCharsets.UTF_8.encode(CharBuffer.wrap(text, 0, end));
      textLeft -= utf8.remaining();
      json.writeFieldName("text");
      json.writeUTF8String(utf8.array(), utf8.arrayOffset(), utf8.remaining());
    }
  }

  private static void writeSize(JsonGenerator json, byte[] data, boolean isCut) throws IOException {
    if (isCut) {
      json.writeNumberField("bytes", data.length);
    }
  }

  /** Returns where a text is cut: not within a surrogate pair. */
  private int end(String text) {
    long most = Math.min(Math.min(view.preview(), MAX_TEXT), textLeft);
    if (text.length() <= most) {
      return text.length();
    }
    int end = (int) most;
    boolean isWithinPair =
        Character.isHighSurrogate(text.charAt(end - 1))
            && Character.isLowSurrogate(text.charAt(end));
    return isWithinPair ? end - 1 : end;
  }
}
