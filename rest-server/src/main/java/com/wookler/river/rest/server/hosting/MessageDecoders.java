package com.wookler.river.rest.server.hosting;

import com.wookler.river.rest.server.decoder.MessageDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The decoders that the server has found on the class path. */
final class MessageDecoders {
  private static final Logger LOG = LoggerFactory.getLogger(MessageDecoders.class);
  private static final int MAX_ERROR = 500; // characters
  private static final int MAX_FAILED = 100; // then no more are looked for

  private final List<MessageDecoder> decoders;

  private MessageDecoders(List<MessageDecoder> decoders) {
    this.decoders = decoders;
  }

  /** Finds all; one that cannot be made is logged, because the server serves without it. */
  static MessageDecoders find() {
    List<MessageDecoder> found = new ArrayList<>();
    Iterator<MessageDecoder> all = ServiceLoader.load(MessageDecoder.class).iterator();
    for (int failed = 0; failed < MAX_FAILED; ) {
      try {
        if (!all.hasNext()) {
          break;
        }
        found.add(all.next());
      } catch (ServiceConfigurationError | LinkageError e) { // the others are found all the same
        failed++;
        LOG.warn(
            "Cannot make a decoder of messages, so its data is shown as it is: {}",
            e.getCause() == null ? e.toString() : e.getMessage() + ": " + e.getCause());
      }
    }
    return new MessageDecoders(found);
  }

  boolean isEmpty() {
    return decoders.isEmpty();
  }

  /** Asks one decoder after the other until one makes text. */
  ShownText decode(String queue, Map<String, byte[]> headers, byte[] data) {
    byte[] type = headers.get("content-type");
    String contentType = type == null ? null : new String(type, StandardCharsets.UTF_8);
    String error = null;
    for (MessageDecoder decoder : decoders) {
      try {
        String text =
            decoder.decode(queue, contentType, Collections.unmodifiableMap(headers), data.clone());
        if (text != null) {
          return new ShownText(text, null);
        }
      } catch (RuntimeException
          | StackOverflowError
          | LinkageError
          | AssertionError e) { // of this message alone
        LOG.debug("Decoder {} fails at a message of queue {}", decoder.getClass(), queue, e);
        error = error == null ? error(decoder, e) : error;
      }
    }
    return error == null ? ShownText.NONE : new ShownText(null, error);
  }

  private static String error(MessageDecoder decoder, Throwable failure) {
    String what;
    try {
      what = failure.toString();
    } catch (RuntimeException e) {
      what = failure.getClass().getName();
    }
    String text = decoder.getClass().getName() + ": " + what;
    return text.length() <= MAX_ERROR ? text : text.substring(0, MAX_ERROR);
  }
}
