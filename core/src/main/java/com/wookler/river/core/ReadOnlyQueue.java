package com.wookler.river.core;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.ReadOnlyDelivery;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What a queue does that is open to read only: reads through a view. Thread-safe. */
final class ReadOnlyQueue<M> implements AutoCloseable {
  private final String name;
  private final MessageConverter<M> converter;

  @GuardedBy("this")
  private final QueueView view;

  @GuardedBy("this")
  private boolean closed;

  private ReadOnlyQueue(String name, MessageConverter<M> converter, QueueView view) {
    this.name = name;
    this.converter = converter;
    this.view = view;
  }

  static <M> ReadOnlyQueue<M> open(String name, Path directory, MessageConverter<M> converter) {
    Path queue = directory.resolve(Names.check("queue", name));
    return new ReadOnlyQueue<>(name, converter, QueueView.open(queue, null));
  }

  String name() {
    return name;
  }

  MessageConverter<M> converter() {
    return converter;
  }

  synchronized QueueState state() {
    return closed ? QueueState.STOPPED : QueueState.RUNNING;
  }

  synchronized List<Delivery<M>> read(long from, int max) {
    if (closed) {
      throw new QueueClosedException("queue " + name + " is closed");
    }
    if (view.position() != from) {
      view.moveTo(from);
    }
    List<Delivery<M>> found = new ArrayList<>();
    for (StoredMessage message : view.poll(max)) {
      found.add(new ReadOnlyDelivery<>(name, message, converter, 0));
    }
    return found;
  }

  @Override
  public synchronized void close() {
    closed = true;
    view.close();
  }
}
