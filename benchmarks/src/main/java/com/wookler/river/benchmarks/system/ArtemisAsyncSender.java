package com.wookler.river.benchmarks.system;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.api.core.client.ClientProducer;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.ClientSessionFactory;
import org.apache.activemq.artemis.api.core.client.SendAcknowledgementHandler;
import org.jspecify.annotations.Nullable;

/** Sends on while earlier messages are not confirmed yet, up to a number of them. */
final class ArtemisAsyncSender implements Sender, SendAcknowledgementHandler {
  private final ClientSessionFactory connection;
  private final ClientSession session;
  private final ClientProducer producer;
  private final int underWay;
  private final Semaphore permits;

  /** Written by the client's thread that confirms, read by the publisher's. */
  private volatile @Nullable Exception failure;

  ArtemisAsyncSender(ClientSessionFactory connection, int underWay) throws ActiveMQException {
    this.connection = connection;
    this.session = connection.createSession(true, true);
    this.producer = session.createProducer(ArtemisSystem.ADDRESS);
    this.underWay = underWay;
    this.permits = new Semaphore(underWay);
  }

  @Override
  public void send(byte[] data) throws Exception {
    permits.acquire();
    producer.send(ArtemisSender.message(session, data), this);
  }

  @Override
  public void send(List<byte[]> batch) {
    throw new UnsupportedOperationException("a commit is always waited for");
  }

  @Override
  public void sendAcknowledged(Message message) {
    permits.release();
  }

  @Override
  public void sendFailed(Message message, Exception e) {
    failure = e;
    permits.release();
  }

  @Override
  public void finish() throws Exception {
    permits.acquire(underWay);
    permits.release(underWay);
    Exception e = failure;
    if (e != null) {
      throw new IOException("not all messages were stored", e);
    }
  }

  @Override
  public void close() throws IOException {
    ArtemisQueue.close(connection, session);
  }
}
