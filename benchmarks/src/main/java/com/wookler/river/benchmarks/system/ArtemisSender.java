package com.wookler.river.benchmarks.system;

import java.io.IOException;
import java.util.List;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.client.ClientMessage;
import org.apache.activemq.artemis.api.core.client.ClientProducer;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.ClientSessionFactory;

/** Waits for each message, or for the commit of a batch. */
final class ArtemisSender implements Sender {
  private final ClientSessionFactory connection;
  private final ClientSession single;
  private final ClientProducer singles;
  private final ClientSession transacted;
  private final ClientProducer batches;

  ArtemisSender(ClientSessionFactory connection) throws ActiveMQException {
    this.connection = connection;
    this.single = connection.createSession(true, true);
    this.singles = single.createProducer(ArtemisSystem.ADDRESS);
    this.transacted = connection.createSession(false, true);
    this.batches = transacted.createProducer(ArtemisSystem.ADDRESS);
  }

  static ClientMessage message(ClientSession session, byte[] data) {
    ClientMessage message = session.createMessage(true);
    message.getBodyBuffer().writeBytes(data);
    return message;
  }

  @Override
  public void send(byte[] data) throws ActiveMQException {
    singles.send(message(single, data));
  }

  @Override
  public void send(List<byte[]> batch) throws ActiveMQException {
    for (byte[] data : batch) {
      batches.send(message(transacted, data));
    }
    transacted.commit();
  }

  @Override
  public void close() throws IOException {
    ArtemisQueue.close(connection, single, transacted);
  }
}
