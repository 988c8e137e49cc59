package com.wookler.river.rest.server.hosting;

import com.wookler.river.rest.server.decoder.MessageDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
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

  private final List<MessageDecoder> decoders;

  private MessageDecoders(List<MessageDecoder> decoders) {
    this.decoders = decoders;
  }

  /** Finds all; one that cannot be made is logged, because the server serves without it. */
  static MessageDecoders find() {
    List<MessageDecoder> found = new ArrayList<>();
    try {
      for (ServiceLoader.Provider<MessageDecoder> each :
          ServiceLoader.load(MessageDecoder.class).stream().toList()) {
        add(each, found);
      }
    } catch (ServiceConfigurationError e) {
      LOG.warn("Some decoders of messages are missing: their data is shown as it is", e);
    }
    return new MessageDecoders(found);
  }

  private static void add(
      ServiceLoader.Provider<MessageDecoder> provider, List<MessageDecoder> found) {
    try {
      found.add(provider.get());
    } catch (ServiceConfigurationError | LinkageError e) {
      LOG.warn(
          "Cannot make the decoder {}, so its data is shown as it is: {}",
          provider.type().getName(),
          String.valueOf(e.getCause() == null ? e : e.getCause()));
    }
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
      } catch (RuntimeException | StackOverflowError | LinkageError e) { // of this message alone
        LOG.debug("Decoder {} fails at a message of queue {}", decoder.getClass(), queue, e);
        error = error == null ? error(decoder, e) : error;
      }
    }
    return error == null ? ShownText.NONE : new ShownText(null, error);
  }

  private static String error(MessageDecoder decoder, Throwable failure) {
    String text = decoder.getClass().getName() + ": " + failure;
    return text.length() <= MAX_ERROR ? text : text.substring(0, MAX_ERROR);
  }
}
