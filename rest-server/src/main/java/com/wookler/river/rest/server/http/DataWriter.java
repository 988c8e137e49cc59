package com.wookler.river.rest.server.http;

import com.fasterxml.jackson.core.JsonGenerator;
import com.wookler.river.rest.server.hosting.ShownText;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Writes the data of the messages of one answer. How long a converter's or decoder's text is has
 * nothing to do with the size of the data, so texts have limits of their own. Used by one thread.
 */
final class DataWriter {
  static final int MAX_TEXT = 1 << 20; // characters of a message

  private final DataView view;
  private long textLeft; // bytes that the texts of further messages may have

  DataWriter(DataView view) {
    this.view = view;
    this.textLeft = view.textBytes();
  }

  /**
   * Writes {@code "data": …} or {@code "base64": …}, and {@code "bytes": …} if there is more; then
   * {@code "text": …}, or {@code "textError": …} if a decoder failed.
   */
  void write(JsonGenerator json, Map<String, byte[]> headers, byte[] data) throws IOException {
    boolean isText = MessageJson.isText(data);
    DataView.TextMaker maker = isText ? view.decoding() : view.text();
    boolean isFull = maker != null && textLeft <= 0;
    ShownText shown = maker == null || isFull ? ShownText.NONE : maker.of(headers, data);
    String text = shown.text();
    int end = text == null ? 0 : end(text);
    int length = isText ? textLength(data) : Math.min(data.length, view.preview());
    // data that is text may have no decoder's, so nothing is missing where none was asked for
    boolean isLeftOut = isFull && !isText;
    boolean isCut = isLeftOut || (text != null && end < text.length());
    writeSize(json, data, isCut || length < data.length);
    if (isText) {
      json.writeFieldName("data");
      json.writeUTF8String(data, 0, length);
    } else {
      json.writeFieldName("base64");
      json.writeBinary(data, 0, length);
    }
    if (text != null) {
      textLeft -= writeText(json, "text", text, end);
    } else if (shown.error() != null) {
      var unused = writeText(json, "textError", shown.error(), shown.error().length());
    }
  }

  /** Returns where a preview of text ends: not within a character. */
  private int textLength(byte[] data) {
    int length = Math.min(data.length, view.preview());
    while (length > 0 && length < data.length && (data[length] & 0xC0) == 0x80) {
      length--;
    }
    return length;
  }

  /** Writes a part of a text, and returns its bytes. Half a surrogate pair becomes '?'. */
  private static int writeText(JsonGenerator json, String field, String text, int end)
      throws IOException {
    ByteBuffer utf8 = StandardCharsets.UTF_8.encode(CharBuffer.wrap(text, 0, end));
    int bytes = utf8.remaining();
    json.writeFieldName(field);
    json.writeUTF8String(utf8.array(), utf8.arrayOffset(), bytes);
    return bytes;
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
