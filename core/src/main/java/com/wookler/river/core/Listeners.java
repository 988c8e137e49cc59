package com.wookler.river.core;

import com.wookler.river.core.log.Seal;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells every listener, whatever one of them throws. Thread-safe. */
final class Listeners {
  private static final Logger LOG = LoggerFactory.getLogger(Listeners.class);

  private final List<QueueListener> listeners = new CopyOnWriteArrayList<>();

  void add(QueueListener listener) {
    listeners.add(listener);
  }

  void blockArchived(Seal seal, Path backup) {
    each(
        listener ->
            listener.blockArchived(seal.block(), seal.firstSequence(), seal.messages(), backup));
  }

  void failed(Throwable cause) {
    each(listener -> listener.failed(cause));
  }

  private void each(Consumer<QueueListener> call) {
    for (QueueListener listener : listeners) {
      try {
        call.accept(listener);
      } catch (RuntimeException e) {
        LOG.error("Listener {} failed", listener, e);
      }
    }
  }
}
