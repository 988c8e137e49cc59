package com.wookler.river.benchmarks.system;

import java.io.IOException;
import java.time.Duration;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.client.ClientConsumer;
import org.apache.activemq.artemis.api.core.client.ClientMessage;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.ClientSessionFactory;
import org.jspecify.annotations.Nullable;

/** Consumes one queue by a connection of its own. */
final class ArtemisReceiver implements Receiver {
  private final ClientSessionFactory connection;
  private final ClientSession session;
  private final ClientConsumer consumer;
  private final boolean ack;

  ArtemisReceiver(ClientSessionFactory connection, String queue, boolean ack)
      throws ActiveMQException {
    this.connection = connection;
    this.ack = ack;
    this.session = connection.createSession(true, true);
    this.consumer = session.createConsumer(queue);
    session.start();
  }

  @Override
  public int receive(int max, Duration timeout, Sink sink) throws ActiveMQException {
    @Nullable ClientMessage message =
        timeout.isZero() ? consumer.receiveImmediate() : consumer.receive(timeout.toMillis());
    @Nullable ClientMessage last = null;
    int count = 0;
    while (message != null) {
      byte[] data = new byte[message.getBodyBuffer().readableBytes()];
      message.getBodyBuffer().readBytes(data);
      sink.accept(data);
      last = message;
      count++;
      message = count < max ? consumer.receiveImmediate() : null;
    }
    if (ack && last != null) {
      acknowledge(last, max);
    }
    return count;
  }

  private static void acknowledge(ClientMessage last, int max) throws ActiveMQException {
    if (max == 1) {
      last.individualAcknowledge();
    } else {
      last.acknowledge(); // and all before it
    }
  }

  @Override
  public void close() throws IOException {
    ArtemisQueue.close(connection, session);
  }
}
